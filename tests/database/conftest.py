"""Clips whose motion is known exactly, on a skeleton of a few joints with a ground root."""

from collections.abc import Callable

import numpy as np
import pytest

from kinematch.database.poses import ClipEntry, PoseDatabase, build_poses
from kinematch.math import rotation
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton

NAMES = ("Root", "Hips", "LeftFoot", "RightFoot", "Chest", "LeftHand", "RightHand")
OFFSETS = [[0, 0, 0], [0, 0.9, 0], [0.1, -0.85, 0], [-0.1, -0.85, 0], [0, 0.5, 0], [0.5, 0, 0], [-0.5, 0, 0]]
ROLES = {"root": 0, "hips": 1, "left_foot": 2, "right_foot": 3, "chest": 4, "left_hand": 5, "right_hand": 6}


@pytest.fixture(scope="session")
def body() -> Skeleton:
    return skeleton(NAMES, [-1, 0, 1, 1, 1, 4, 4], np.array(OFFSETS), roles=ROLES)


@pytest.fixture(scope="session")
def walk(body) -> Callable[..., Clip]:
    """A walk along a line (turn 0) or a circle, feet and hands swinging once a second."""

    def make(
        name: str = "walk",
        *,
        speed: float = 1.5,
        turn: float = 0.0,
        seconds: float = 2.0,
        rate: float = 60.0,
        swing: float = 0.2,
        hands: float = 0.3,
        heading: float = 0.0,
        tags: tuple[str, ...] = (),
    ) -> Clip:
        t = np.arange(round(seconds * rate) + 1) / rate
        yaw = heading + turn * t
        p = np.tile(body.offsets.astype(np.float64), (len(t), 1, 1))
        r = np.zeros((len(t), body.joint_count, 4))
        r[..., 0] = 1
        r[:, 0] = rotation.from_axis_angle([0.0, 1.0, 0.0], yaw)
        if turn:
            p[:, 0, 0], p[:, 0, 2] = -speed / turn * np.cos(yaw), speed / turn * np.sin(yaw)
        else:
            p[:, 0, 0], p[:, 0, 2] = speed * t * np.sin(heading), speed * t * np.cos(heading)
        phase = 2 * np.pi * t
        for joint, sign in ((2, 1), (3, -1)):
            p[:, joint, 2] = sign * swing * np.sin(phase)
        r[:, 4] = rotation.from_axis_angle([0.0, 1.0, 0.0], hands * np.sin(phase))
        return Clip(body, p, r, rate, name, frozenset(tags))

    return make


@pytest.fixture(scope="session")
def database(walk) -> Callable[..., PoseDatabase]:
    """A pose database of clips, with no contacts unless entries are given."""

    def make(*clips: Clip | ClipEntry) -> PoseDatabase:
        entries = [c if isinstance(c, ClipEntry) else ClipEntry(c, np.zeros((c.frame_count, 2), bool)) for c in clips]
        return build_poses(entries or [ClipEntry(walk(), np.zeros((121, 2), bool))], np.array([2, 3]))

    return make
