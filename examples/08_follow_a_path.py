"""Send a character along a path over uneven ground, and save what it did as GLB, BVH and a map.

python examples/08_follow_a_path.py [DATABASE]
"""

import sys

import numpy as np

import kinematch as km

database = km.load(sys.argv[1]) if len(sys.argv) > 1 else km.load("built-in")

DT = 1 / 60
path = km.Path(
    [(0, 0), (0, 4), km.Keypoint(4, 5, speed=2.6), km.Keypoint(4, -1, stop=1.0, facing=0.0), (0, -2)], radius=1.5
)
character = km.Crowd(database, terrain=km.scene.uneven_ground(np.random.default_rng(4), hills=0.4, step=0.08))

poses, gaps = [], []
while len(poses) < 30 / DT and not path.done.all():
    poses.append(character.step(path.command(character.body, DT), DT))
    gaps.append(np.linalg.norm(path.route.points - character.root_positions[0, [0, 2]], axis=-1).min())
poses += [character.step(path.command(character.body, DT), DT) for _ in range(60)]
end = np.linalg.norm(character.root_positions[0, [0, 2]] - path.route.points[-1])
print(f"{path.route.length:.1f} m in {len(poses) * DT:.1f} s")
print(f"distance from the path: {100 * np.mean(gaps):.0f} cm on average, {100 * max(gaps):.0f} cm at most")
print(f"it stops {100 * end:.0f} cm from the last keypoint")

clip = km.record(poses, character.skeleton, 60, name="along the path")
km.save("path.glb", clip)
km.save("path.bvh", clip)
km.draw.top_down(clip, contacts=np.array([pose.contacts[0] for pose in poses])).save("path.png")
print("written: path.glb, path.bvh, path.png")
