"""Direction estimators: where N users' hips face, sample by sample; and the plainest, the headset's direction."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.errors import KinematchError
from kinematch.motion.heading import facing_yaws

HEAD_HEIGHT, ARM_LENGTH = 1.52, 0.765  # m, before a user is measured: head joint above the floor, neck to wrist
HEADSET_UNCERTAINTY = np.radians(17)  # mean angle between heads and hips in motion capture


@dataclass(frozen=True, eq=False)
class Direction:
    """Where N users' hips face, and how far off that may be."""

    yaws: np.ndarray  # (N,) rad from +Z towards +X
    uncertainties: np.ndarray  # (N,) rad: the mean absolute error to expect


class DirectionEstimator(Protocol):
    """Turns joints of N users into the directions of their hips; what it remembers of them is its own state."""

    def reset(
        self, count: int, *, head_heights: np.ndarray | None = None, arm_lengths: np.ndarray | None = None
    ) -> None:
        """Forget everything and serve this many users, with their measures (N,) in m where known:
        the height of the head joint when standing, and the length from the neck to the wrist of a stretched arm."""
        ...

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """Directions now, from the users' joints (N) and the seconds since the last call."""
        ...


class Headset:
    """The body faces where the headset does: what most applications do, and the baseline of every comparison."""

    def reset(
        self, count: int, *, head_heights: np.ndarray | None = None, arm_lengths: np.ndarray | None = None
    ) -> None:
        """Nothing to forget but where untracked headsets faced."""
        self._yaws = np.zeros(count)

    def __init__(self, count: int = 1):
        self.reset(count)

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """The headsets' directions; a headset that is not tracked keeps its last one."""
        check_count(joints, len(self._yaws))
        self._yaws = np.where(joints.valid[:, HEAD], facing_yaws(joints.rotations[:, HEAD]), self._yaws)
        return Direction(self._yaws.copy(), np.full(len(self._yaws), HEADSET_UNCERTAINTY))


def check_count(joints: Trackers, count: int) -> None:
    """Estimators serve a fixed number of users."""
    if len(joints) != count:
        raise KinematchError(f"trackers of {len(joints)} users, expected {count}: call reset({len(joints)}) first")


def check_measures(values: np.ndarray | None, usual: float, count: int, what: str) -> np.ndarray:
    """Measures (N,) in m of users: those given, one for all, or the usual."""
    measures = np.broadcast_to(np.asarray(usual if values is None else values, np.float64), (count,)).copy()
    if not ((measures > 0.05) & (measures < 3.0)).all():
        raise KinematchError(f"{what} {measures.tolist()} m, expected 0.05 to 3 m each")
    return measures
