"""A character carries a box in both hands, picks its way with it, and lets go.

python examples/22_carry.py
"""

import numpy as np

import kinematch as km

DT, WIDTH = 1 / 60, 0.36  # s, m of the box
database = km.load("built-in")
arms = [km.ReachLayer(database.skeleton, hand) for hand in ("left_hand", "right_hand")]
character = km.Crowd(database, layers=arms)
hands = [database.skeleton.roles[hand] for hand in ("left_hand", "right_hand")]
path = km.Path([(0, 0), (0, 3), (2, 5), (2, 8)])

poses, widths = [], []
for step in range(480):
    carried = 60 <= step < 400
    yaw, root = character.root_yaws[0], character.root_positions[0]
    ahead, left = np.array([np.sin(yaw), 0, np.cos(yaw)]), np.array([np.cos(yaw), 0, -np.sin(yaw)])
    box = root + 0.34 * ahead + [0, 1.05, 0]  # its middle, before the chest
    for arm, side in zip(arms, (0.5, -0.5)):
        arm.targets = box + side * WIDTH * left if carried else np.nan
    pose = character.step(path.command(character.body, DT), DT)
    poses.append(pose)
    if 120 <= step < 400:
        widths.append(float(np.linalg.norm(np.diff(pose.global_positions[0, hands], axis=0))))

km.save("carry.glb", km.record(poses, database.skeleton, 60))
print(f"hands {min(widths):.3f} to {max(widths):.3f} m apart on a box of {WIDTH} m; wrote carry.glb")
