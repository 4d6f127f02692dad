"""Steer a character over a small course, and save what it did as BVH, GLB and an animated picture.

python examples/07_steer_a_character.py [DATABASE]
"""

import sys

import numpy as np

import kinematch as km

database = km.load(sys.argv[1]) if len(sys.argv) > 1 else km.load("built-in")

# seconds until, speed in m/s, heading in degrees from +Z to +X
COURSE = [(2.0, 1.35, 0), (4.5, 1.35, 90), (6.5, 1.35, 225), (9.0, 3.0, 225), (11.0, 0.0, 225)]
DT = 1 / 60

character = km.Crowd(database)
poses = []
for frame in range(round(COURSE[-1][0] / DT)):
    speed, degrees = next((v, a) for until, v, a in COURSE if frame * DT < until)
    heading = np.radians(degrees)
    direction = np.array([np.sin(heading), 0.0, np.cos(heading)])
    poses.append(character.step(km.move(speed * direction), DT))

jumps = sum(int(pose.jumped[0]) for pose in poses)
gap = np.linalg.norm(character.root_positions - character.body.positions)
print(f"{len(poses)} steps, {jumps} jumps between clips, at the end {gap * 100:.0f} cm from the simulated body")

clip = km.record(poses, character.skeleton, 60)
km.save("played.bvh", clip)
km.save("played.glb", clip)
km.animate(clip, "played.gif", camera="fixed", size=(480, 300), frames_per_second=15)
print("written: played.bvh, played.glb, played.gif")
