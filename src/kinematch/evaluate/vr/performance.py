"""Performances: users' trackers put to a method step by step, and what its avatars did."""

from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from kinematch.avatar.trackers import Trackers, take_moments
from kinematch.character.pose import Pose
from kinematch.evaluate.vr.users import Cast, SimulatedUser
from kinematch.motion.skeleton import Skeleton


class Method(Protocol):
    """What makes bodies of trackers: an Avatar, or a baseline that steps alike."""

    @property
    def skeleton(self) -> Skeleton: ...

    @property
    def root_positions(self) -> np.ndarray: ...

    @property
    def body_yaws(self) -> np.ndarray:
        """(N,) rad, where the method takes the bodies to face."""

    def step(self, devices: Trackers, dt: float) -> Pose: ...


@dataclass(frozen=True, eq=False)
class Performance:
    """What the avatar of one user did."""

    user: SimulatedUser
    skeleton: Skeleton
    positions: np.ndarray  # (F, J, 3) m, in the parent's space
    rotations: np.ndarray  # (F, J, 4)
    global_positions: np.ndarray  # (F, J, 3) m
    global_rotations: np.ndarray  # (F, J, 4)
    root_positions: np.ndarray  # (F, 3) m
    yaws: np.ndarray  # (F,) rad, estimated body directions
    frames: np.ndarray  # (F,) of the database


def perform(cast: Cast, method: Method) -> tuple[list[Performance], np.ndarray]:
    """The performances of all users of a cast, and the seconds of each step."""
    users, dt = cast.users, 1 / cast.users[0].rate
    made: list[tuple[np.ndarray, ...]] = []
    seconds = []
    ends = np.array([len(user.yaws) for user in users])
    for frame in range(ends.max()):
        # users whose clip is over stay as they were
        devices = take_moments([user.devices for user in users], np.minimum(frame, ends - 1))
        began = perf_counter()
        pose = method.step(devices, dt)
        seconds.append(perf_counter() - began)
        made.append(
            (
                pose.positions.copy(), pose.rotations.copy(), pose.global_positions.copy(),
                pose.global_rotations.copy(), method.root_positions.copy(), method.body_yaws.copy(), pose.frames.copy(),
            )
        )  # fmt: skip
    columns = [np.array(column) for column in zip(*made)]
    return [
        Performance(user, method.skeleton, *(column[: len(user.yaws), n] for column in columns))
        for n, user in enumerate(users)
    ], np.array(seconds)
