"""Tracker controller: from where the head is and the body faces to the trajectory that motion matching follows."""

from dataclasses import dataclass

import numpy as np

from kinematch.avatar.kernels import following
from kinematch.avatar.trackers import Trackers
from kinematch.control.trajectory import Trajectory
from kinematch.math.spring import omega

SAMPLE_TIMES = np.array([-1 / 60, 0.0, 1 / 60, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0])  # s


@dataclass(frozen=True)
class Smoothing:
    """Half-lives of what trackers say before it is predicted from; springs as MMVR used, instead of its eq. 3-4."""

    velocity: float = 0.06  # s
    facing: float = 0.05  # s
    rate: float = 0.08  # s, of turning
    turning: float = 0.3  # s, the time in which a turn is expected to fade


class TrackerController:
    """Predicts trajectories of N users from their heads and body directions (MMVR eq. 3-8)."""

    def __init__(self, count: int, *, smoothing: Smoothing | None = None):
        self.smoothing = smoothing or Smoothing()
        self._stiffness = omega([self.smoothing.velocity, self.smoothing.facing])
        self.velocities = np.zeros((count, 3))  # m/s, smoothed
        self.accelerations = np.zeros((count, 3))  # m/s^2
        self.yaws = np.full(count, np.nan)  # rad, smoothed; NaN before the first sample
        self.yaw_rates = np.zeros(count)  # rad/s
        self.turn_rates = np.zeros(count)  # rad/s, smoothed again, since a corrected estimate is not a turn

    def predict(self, joints: Trackers, yaws: np.ndarray, offsets: np.ndarray, dt: float) -> Trajectory:
        """Trajectories of N users with body directions yaws (N,) rad, dt after the last ones.

        `offsets` (N, 3) m: from the root to below the head, in the root's axes.
        """
        smoothing, count = self.smoothing, len(self.yaws)
        kept = 0.5 ** (dt / smoothing.rate) if smoothing.rate else 0.0
        positions, directions = np.empty((2, count, len(SAMPLE_TIMES), 3))
        following.predict(
            joints.positions, joints.velocities, yaws, offsets, float(dt), self._stiffness, kept, smoothing.turning,
            SAMPLE_TIMES, self.velocities, self.accelerations, self.yaws, self.yaw_rates, self.turn_rates, positions,
            directions,
        )  # fmt: skip
        return Trajectory(SAMPLE_TIMES, positions, directions)
