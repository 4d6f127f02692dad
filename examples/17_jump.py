"""A character runs up to a gap, jumps over it to a point on the other side, and runs on.

python examples/17_jump.py
"""

import numpy as np

import kinematch as km

DT = 1 / 60
database = km.load("built-in-actions")
character = km.Crowd(database)
run, landing = km.move([0, 0, 3.4]), np.array([0.0, 0.0, 9.0])

poses, entered, nearest = [], False, np.inf
for _ in range(270):
    # asked for in every step, it is entered where a clip fits best
    pose = character.step(run if entered else km.jump(run, target=landing), DT)
    entered = entered or bool(pose.acting[0] >= 0)
    if pose.acting[0] >= 0:
        nearest = min(nearest, float(np.linalg.norm(character.root_positions[0] - landing)))
    poses.append(pose)

km.save("jump.glb", km.record(poses, database.skeleton, 60))
print(f"jumped: {entered}; the landing was {100 * nearest:.1f} cm from its target; wrote jump.glb")
