"""Send a character along a path over uneven ground, and save what it did as GLB, BVH and a map.

python examples/08_follow_a_path.py [DATABASE]
"""

import sys
from pathlib import Path as FilePath

import numpy as np

from kinematch.character import Crowd
from kinematch.character.record import record
from kinematch.control.path import Path
from kinematch.control.route import Keypoint
from kinematch.database.build import build
from kinematch.database.storage import load
from kinematch.draw.trace import top_down
from kinematch.files import write_clip
from kinematch.terrain.made import uneven_ground

if len(sys.argv) > 1:
    database = load(sys.argv[1])
else:
    FilePath("walker.toml").write_text('[[source]]\nbuiltin = "dance-card"\n')
    database = build("walker.toml").database

DT = 1 / 60
tags = "level0" if "level0" in database.poses.tags.names else ""
path = Path(
    [(0, 0), (0, 4), Keypoint(4, 5, speed=2.6), Keypoint(4, -1, stop=1.0, facing=0.0), (0, -2)], radius=1.5, filter=tags
)
character = Crowd(database, terrain=uneven_ground(np.random.default_rng(4), hills=0.4, step=0.08))

steps, apart = [], []
while len(steps) < 30 / DT and not path.done.all():
    steps.append(character.step(path.command(character.body, DT), DT))
    places = path.route.points - character.root_positions[0, [0, 2]]
    apart.append(np.linalg.norm(places, axis=-1).min())
steps += [character.step(path.command(character.body, DT), DT) for _ in range(60)]
end = np.linalg.norm(character.root_positions[0, [0, 2]] - path.route.points[-1])
print(f"{path.route.length:.1f} m in {len(steps) * DT:.1f} s; from the path {100 * np.mean(apart):.0f} cm on average,")
print(f"{100 * max(apart):.0f} cm at most; it stands {100 * end:.0f} cm from the last keypoint")

clip = record(steps, character.skeleton, 60, name="along the path")
for name in ("path.glb", "path.bvh"):
    write_clip(name, clip)
top_down(clip, contacts=np.array([step.contacts[0] for step in steps])).save("path.png")
print("written: path.glb, path.bvh, path.png")
