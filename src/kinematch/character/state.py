"""State: everything of N characters that changes from step to step, as arrays; the database and settings do not."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from kinematch.compile.handle import opening
from kinematch.control.body import SimulatedBody, at_rest
from kinematch.errors import KinematchError


class Playing(NamedTuple):
    """Which moment of which database each character shows, and where it stands."""

    databases: np.ndarray  # (N,) int32
    frames: np.ndarray  # (N,) int32
    fractions: np.ndarray  # (N,) of a frame, 0 to 1
    positions: np.ndarray  # (N, 3) m, of the root
    yaws: np.ndarray  # (N,) rad, of the root


class Offsets(NamedTuple):
    """What transitions remember: for each number its offset or source, then its velocity; see transition_kernels.

    Joint stands beside joint, so that kernels take eight at a time.
    """

    rotations: np.ndarray  # (N, 6, W) float32, W being J and some room to be divisible by eight
    positions: np.ndarray  # (N, 6, M) float32, of the joints that move in their parent's space
    roots: np.ndarray  # (N, 6) offset of its velocity (x and z in its own axes, turn), and its rate
    ages: np.ndarray  # (N,) s since the last jump; infinite before the first


class Feet(NamedTuple):
    """K toes of each character; in single precision where kernels take eight characters at a time."""

    locked: np.ndarray  # (N, K) bool
    refused: np.ndarray  # (N, K) bool, pulled loose in this stance: free until the next, or until it has stepped over
    places: np.ndarray  # (N, K, 3) m, where locked toes stand
    offsets: np.ndarray  # (N, K, 6) m and m/s, between what is shown and where the toe should be
    toes: np.ndarray  # (N, K, 3) m, as animated in the last step; NaN before the first
    headings: np.ndarray  # (N, K, 2) x and z of where the foot pointed when it was locked
    lifts: np.ndarray  # (N, K, 2) m and m/s, by which moving toes are raised
    grounds: np.ndarray  # (N, K + 1, 2) m and m/s, smoothed heights of the ground under the root and each toe
    slopes: np.ndarray  # (N, K, 4) of the ground under each toe along x and z, smoothed, and their rates
    shorts: np.ndarray  # (N, K, 2) m and m/s, by which legs fall short of where their feet should be
    pelvis: np.ndarray  # (N, 2) m and m/s, by which the body is lowered


class Schedule(NamedTuple):
    """When each character searched, and what it was told then."""

    since: np.ndarray  # (N,) s since the last search
    asked: np.ndarray  # (N, 4) m/s and rad, the command at the last search; NaN before the first
    filters: np.ndarray  # (N,) int32, which of the crowd's filters was asked with
    settled: np.ndarray  # (N,) bool, whether it stood and was to stand then
    costs: np.ndarray  # (N,) float32, of what was found
    frames: np.ndarray  # (N,) int32, that played then; -1 for none
    queries: np.ndarray  # (N, D) float32, normalised


class State(NamedTuple):
    body: SimulatedBody
    playing: Playing
    offsets: Offsets
    feet: Feet
    schedule: Schedule

    def copy(self) -> "State":
        """One that shares nothing with this one."""
        return self._of(np.copy)

    def take(self, who: np.ndarray) -> "State":
        """The state of some characters alone."""
        return self._of(lambda array: array[who].copy())

    def assign(self, other: "State") -> None:
        """Take over all values of another state of as many characters, bit for bit; of one that does not fit, none."""
        for group in self._fields:
            for name, array, values in zip(getattr(self, group)._fields, getattr(self, group), getattr(other, group)):
                if array.shape != values.shape or array.dtype != values.dtype:
                    raise KinematchError(
                        f"a state whose {group}.{name} is {values.dtype} {values.shape}, "
                        f"expected {array.dtype} {array.shape}"
                    )
        for mine, theirs in zip(self, other):
            for array, values in zip(mine, theirs):
                array[...] = values

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for group in self for array in group)

    def _of(self, change: Callable[[np.ndarray], np.ndarray]) -> "State":
        groups: list = [type(group)(*(change(array) for array in group)) for group in self]
        return State(*groups)


def wide(joints: int) -> int:
    """The next multiple of eight."""
    return -(-joints // 8) * 8


def fresh(
    positions: np.ndarray, yaws: np.ndarray, *, joints: int, moving: int, toes: int, columns: int, interval: float
) -> State:
    """Characters that stand and have not searched; their phases are spread over the interval between searches."""
    count = len(positions)
    zeros, single = np.zeros, partial(np.zeros, dtype=np.float32)
    grounds = zeros((count, toes + 1, 2))
    grounds[..., 0] = positions[:, None, 1]
    return State(
        body=at_rest(positions, yaws),
        playing=Playing(
            zeros(count, np.int32), zeros(count, np.int32), zeros(count), np.array(positions, np.float64),
            np.array(yaws, np.float64),
        ),
        offsets=Offsets(
            zeros((count, 6, wide(joints)), np.float32), zeros((count, 6, moving), np.float32), zeros((count, 6)),
            np.full(count, np.inf),
        ),
        feet=Feet(
            zeros((count, toes), bool), zeros((count, toes), bool), single((count, toes, 3)), single((count, toes, 6)),
            np.full((count, toes, 3), np.nan, np.float32), single((count, toes, 2)), single((count, toes, 2)), grounds,
            zeros((count, toes, 4)), single((count, toes, 2)), single((count, 2)),
        ),
        schedule=Schedule(
            # the golden ratio's multiples spread evenly, however many there are
            (np.arange(count) * 0.618034 % 1.0) * interval, np.full((count, 4), np.nan), np.full(count, -1, np.int32),
            zeros(count, bool), np.full(count, np.inf, np.float32), np.full(count, -1, np.int32),
            zeros((count, columns), np.float32),
        ),
    )  # fmt: skip


opened_state = opening(fresh(np.zeros((1, 3)), np.zeros(1), joints=1, moving=1, toes=1, columns=1, interval=1.0))
