"""A rig that is not a humanoid: name the joint that carries the body, the feet and the mirrored pairs, and it builds.

python examples/06_an_animal.py
"""

from pathlib import Path

import numpy as np

import kinematch as km

# a trotting box on four legs: the diagonal pairs swing alternately
LEGS = ["front_left", "front_right", "back_left", "back_right"]
hips = np.array([[0.1, 0, 0.3], [-0.1, 0, 0.3], [0.1, 0, -0.3], [-0.1, 0, -0.3]])
names = ["body", *LEGS, *(f"{leg}_paw" for leg in LEGS)]
rig = km.skeleton(
    names,
    [-1, 0, 0, 0, 0, 1, 2, 3, 4],
    np.concatenate([[[0, 0.5, 0]], hips, np.tile([0, -0.5, 0], (4, 1))]),
    ends=[(5 + k, (0.0, 0.0, 0.05)) for k in range(4)],
)
time = np.arange(600) / 60
positions = np.tile(rig.offsets, (600, 1, 1))
positions[:, 0, 2] += 0.8 * time
rotations = np.tile(rig.rotations, (600, 1, 1))
for leg, phase in enumerate([0, np.pi, np.pi, 0]):
    angles = 0.35 * np.sin(6 * time + phase)  # about x
    rotations[:, 1 + leg, :2] = np.stack([np.cos(angles / 2), np.sin(angles / 2)], axis=-1)  # quaternions are w x y z
km.save("trot.bvh", km.Clip(rig, positions, rotations, 60.0))

features = "".join(
    f'\n[[feature]]\nkind = "{kind}"\njoint = "{leg}_paw"\n' for leg in LEGS for kind in ("position", "velocity")
)
Path("dog.toml").write_text(
    f"""
[[source]]
files = ["trot.bvh"]
unit = "cm"
up = "Y"
root_joint = "body"
contact_joints = ["front_left_paw", "front_right_paw", "back_left_paw", "back_right_paw"]
mirror_pairs = [["front_left", "front_right"], ["back_left", "back_right"],
                ["front_left_paw", "front_right_paw"], ["back_left_paw", "back_right_paw"]]

[cleaning]
mirror = true
{features}
[[feature]]
kind = "trajectory_position"
times = [0.33, 0.67, 1.0]
"""
)
poses = km.build("dog.toml").poses
print(f"{poses.clip_count} clips, {poses.frame_count} frames, first joint {poses.skeleton.names[0]!r}")
print("contacts:", ", ".join(f"{share:.0%}" for share in poses.contacts.mean(axis=0)))
