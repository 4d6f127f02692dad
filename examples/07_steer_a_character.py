"""Steer a character over a small course, and save what it did as BVH, GLB and a moving picture.

python examples/07_steer_a_character.py [DATABASE]
"""

import sys
from pathlib import Path

import numpy as np

from kinematch.character import Crowd
from kinematch.character.record import record
from kinematch.control.command import move
from kinematch.database.build import build
from kinematch.database.storage import load
from kinematch.draw.animation import animate
from kinematch.files import write_clip

if len(sys.argv) > 1:
    database = load(sys.argv[1])
else:
    Path("walker.toml").write_text('[[source]]\nbuiltin = "dance-card"\n')
    database = build("walker.toml").database

# seconds until, speed in m/s, heading in degrees from +Z to +X
COURSE = [(2.0, 1.35, 0), (4.5, 1.35, 90), (6.5, 1.35, 225), (9.0, 3.0, 225), (11.0, 0.0, 225)]
DT = 1 / 60
tags = "level0" if "level0" in database.poses.tags.names else ""

character = Crowd(database)
steps = []
for frame in range(round(COURSE[-1][0] / DT)):
    speed, degrees = next((v, a) for until, v, a in COURSE if frame * DT < until)
    heading = np.radians(degrees)
    direction = np.array([[np.sin(heading), 0.0, np.cos(heading)]])
    steps.append(character.step(move(speed * direction, filter=tags), DT))

jumps = sum(int(step.jumped[0]) for step in steps)
apart = np.linalg.norm(character.root_positions - character.body.positions)
print(f"{len(steps)} steps, {jumps} jumps between clips, at the end {apart * 100:.0f} cm from the simulated body")

clip = record(steps, character.skeleton, 60)
for name in ("played.bvh", "played.glb"):
    write_clip(name, clip)
animate(clip, "played.gif", camera="fixed", size=(480, 300), frames_per_second=15)
print("written: played.bvh, played.glb, played.gif")
