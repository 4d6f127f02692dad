"""Head and trunk lead a turn: the character looks where it is about to go, before its body turns.

python examples/23_look_ahead.py
"""

import numpy as np

import kinematch as km

DT = 1 / 60
database = km.load("built-in")
look = km.layers.LookLayer(database.skeleton)
character = km.Crowd(database, layers=[look])
head = database.skeleton.roles["head"]

poses, turned = [], {"head": [], "root": []}
for step in range(240):
    direction = np.array([0.0, 0.0, 1.0]) if step < 120 else np.array([1.0, 0.0, 0.0])
    look.targets = character.root_positions[0] + [0.0, 1.6, 0.0] + 6.0 * direction
    pose = character.step(km.move(1.3 * direction), DT)
    poses.append(pose)
    w, x, y, z = pose.global_rotations[0, head]
    turned["head"].append(np.degrees(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))))
    turned["root"].append(np.degrees(character.root_yaws[0]))

km.save("look.glb", km.record(poses, database.skeleton, 60))
halfway = {name: next(k for k in range(120, 240) if yaws[k] - yaws[119] > 45) - 120 for name, yaws in turned.items()}
seconds = {name: f"{frames * DT:.2f} s" for name, frames in halfway.items()}
print(f"half of the turn after {seconds['head']} by the head, {seconds['root']} by the root; wrote look.glb")
