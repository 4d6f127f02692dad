"""An arm, the head and the trunk follow a moving point while the character walks.

python examples/21_aim.py
"""

import numpy as np

import kinematch as km

DT = 1 / 60
database = km.load("built-in")
look, aim = km.layers.LookLayer(database.skeleton), km.layers.AimLayer(database.skeleton, "right_hand")
character = km.Crowd(database, layers=[look, aim])
shoulder, hand = (database.skeleton.roles[f"right_{part}"] for part in ("upper_arm", "hand"))

poses, errors = [], []
for step in range(420):
    time = step * DT
    target = np.array([-3.0 + 2.5 * np.sin(0.8 * time), 1.5 + 0.8 * np.sin(1.3 * time), 9.0])
    look.targets = aim.targets = target if time > 1.0 else np.nan
    pose = character.step(km.move([0, 0, 0.9]), DT)
    poses.append(pose)
    arm, way = (point - pose.global_positions[0, shoulder] for point in (pose.global_positions[0, hand], target))
    cosine = arm @ way / np.linalg.norm(arm) / np.linalg.norm(way)
    errors.append(float(np.degrees(np.arccos(min(cosine, 1.0)))))

km.save("aim.glb", km.record(poses, database.skeleton, 60))
print(f"the arm is {max(errors[120:]):.1f} degrees off its target at most, once it has risen; wrote aim.glb")
