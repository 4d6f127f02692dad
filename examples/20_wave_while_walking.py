"""A character waves as it walks: an arm and the head of a played clip, on top of the animation.

python examples/20_wave_while_walking.py
"""

import numpy as np

import kinematch as km

DT = 1 / 60
database = km.load("built-in-actions")
poses, actions = database.poses, database.poses.actions
wave = next(row for row in actions.stretches if actions.names[row[0]] == "wave")  # action, entry from, entry to, exit
first, last = int(wave[1]), int(wave[3])
arm = [j for j, name in enumerate(database.skeleton.names) if name.startswith("Right") and "Leg" not in name]
arm = [j for j in arm if "Foot" not in database.skeleton.names[j] and "Toe" not in database.skeleton.names[j]]

layer = km.ClipLayer(poses.rotations[[first]], np.zeros((1, database.skeleton.joint_count)))
character = km.Crowd(database, layers=[layer])
shown, raised = [], -np.inf
for step in range(360):
    frame = first + round((step - 90) * DT * poses.frame_rate)
    playing = first <= frame < last
    layer.rotations = poses.rotations[[frame if playing else last]]
    share = np.clip(min(frame - first, last - frame) * 4 / poses.frame_rate, 0.0, 1.0)  # in and out in 0.25 s
    layer.weights[:, arm] = share * share * (3 - 2 * share)
    pose = character.step(km.move([0, 0, 1.35]), DT)
    hand, head = (pose.global_positions[0, database.skeleton.joint(name), 1] for name in ("RightHand", "Head"))
    raised = max(raised, float(hand - head))
    shown.append(pose)

km.save("wave.glb", km.record(shown, database.skeleton, 60))
distance, below = character.root_positions[0, 2], -100 * raised
print(f"walked {distance:.1f} m, the hand rose to {below:.0f} cm below the head joint; wrote wave.glb")
