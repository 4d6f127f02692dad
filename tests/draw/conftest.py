"""A humanoid in T-pose and a clip of it walking stiffly along +Z, for the tests of pictures."""

import numpy as np
import pytest

from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton


@pytest.fixture(scope="session")
def person(humanoid) -> Skeleton:
    return humanoid()


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
