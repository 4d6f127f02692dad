"""Performances: users' trackers put to a method step by step, and what its avatars did."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from kinematch.avatar.trackers import Trackers
from kinematch.character.pose import Pose
from kinematch.evaluate.vr.users import Cast, User
from kinematch.motion.skeleton import Skeleton

FIELDS = ("times", "positions", "rotations", "velocities", "angular_velocities", "valid")
Progress = Callable[[int, int], None]


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

    user: User
    skeleton: Skeleton
    positions: np.ndarray  # (F, J, 3) m, in the parent's space
    rotations: np.ndarray  # (F, J, 4)
    global_positions: np.ndarray  # (F, J, 3) m
    global_rotations: np.ndarray  # (F, J, 4)
    root_positions: np.ndarray  # (F, 3) m
    yaws: np.ndarray  # (F,) rad, estimated body directions
    frames: np.ndarray  # (F,) of the database


def perform(cast: Cast, method: Method, *, progress: Progress | None = None) -> tuple[list[Performance], np.ndarray]:
    """The performances of all users of a cast, and the seconds of each step."""
    users, dt = cast.users, 1 / cast.users[0].rate
    length = max(len(user.yaws) for user in users)
    made: list[tuple[np.ndarray, ...]] = []
    seconds = np.empty(length)
    for frame in range(length):
        devices = _gather(users, frame)
        began = perf_counter()
        pose = method.step(devices, dt)
        seconds[frame] = perf_counter() - began
        made.append(
            (
                pose.positions.copy(), pose.rotations.copy(), pose.global_positions.copy(),
                pose.global_rotations.copy(), method.root_positions.copy(), method.body_yaws.copy(), pose.frames.copy(),
            )
        )  # fmt: skip
        if progress is not None and frame % 30 == 0:
            progress(frame, length)
    columns = [np.array(column) for column in zip(*made)]
    return [
        Performance(user, method.skeleton, *(column[: len(user.yaws), n] for column in columns))
        for n, user in enumerate(users)
    ], seconds


def _gather(users: tuple[User, ...], frame: int) -> Trackers:
    """What all users' devices say at a frame; those whose clip is over stay as they were."""
    rows = [user.devices.take(slice(last, last + 1)) for user in users for last in [min(frame, len(user.yaws) - 1)]]
    return Trackers(*(np.concatenate([getattr(row, name) for row in rows]) for name in FIELDS))
