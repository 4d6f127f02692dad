"""A plain humanoid in T-pose and a clip of it walking stiffly along +Z, for the tests of pictures."""

import numpy as np
import pytest

from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton

MIDDLE = [("hips", "", (0, 0.93, 0)), ("spine", "hips", (0, 0.12, 0)), ("chest", "spine", (0, 0.18, 0))]
MIDDLE += [("neck", "chest", (0, 0.22, -0.01)), ("head", "neck", (0, 0.1, 0.02))]
SIDE = [
    ("upper_leg", "hips", (0.09, -0.04, 0)),
    ("lower_leg", "upper_leg", (0, -0.41, 0)),
    ("foot", "lower_leg", (0, -0.4, 0)),
    ("toes", "foot", (0, -0.06, 0.13)),
    ("upper_arm", "chest", (0.17, 0.17, 0)),
    ("lower_arm", "upper_arm", (0.27, 0, 0)),
    ("hand", "lower_arm", (0.25, 0, 0)),
]


@pytest.fixture(scope="session")
def person() -> Skeleton:
    joints = list(MIDDLE)
    own = {name for name, _, _ in SIDE}
    for side, sign in (("left", 1), ("right", -1)):
        for name, parent, (x, y, z) in SIDE:
            joints.append((f"{side}_{name}", f"{side}_{parent}" if parent in own else parent, (sign * x, y, z)))
    names = [name for name, _, _ in joints]
    rig = skeleton(
        [f"Joint{n}" for n in range(len(names))],
        [names.index(parent) if parent else -1 for _, parent, _ in joints],
        np.array([offset for _, _, offset in joints], np.float32),
        roles={name: n for n, name in enumerate(names)},
    )
    return rig.with_tpose(quaternion.identity((len(names),)))


@pytest.fixture(scope="session")
def walking(person: Skeleton) -> Clip:
    """Two seconds at 30 fps, 1.2 m/s, legs swinging once a second."""
    frames = 61
    time = np.arange(frames) / 30
    positions = np.tile(person.offsets, (frames, 1, 1))
    positions[:, 0, 2] = 1.2 * time
    rotations = quaternion.identity((frames, person.joint_count))
    for side, phase in (("left", 0), ("right", np.pi)):
        swing = 0.4 * np.sin(2 * np.pi * time + phase)
        rotations[:, person.roles[f"{side}_upper_leg"]] = from_axis_angle(np.array([1.0, 0, 0]), swing)
        down = np.full(frames, 1.2 if side == "left" else -1.2)
        rotations[:, person.roles[f"{side}_upper_arm"]] = from_axis_angle(np.array([0, 0, -1.0]), down)
    return Clip(person, positions, rotations, 30, "stiff walk")
