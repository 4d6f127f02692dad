"""Tracker controller: from where the head is and the body faces to the trajectory that motion matching follows."""

from dataclasses import dataclass

import numpy as np

from kinematch.avatar.kernels import following
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.control.trajectory import Trajectory
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.math.spring import decay, omega, spring
from kinematch.motion.heading import yaw_direction

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

    def predict_plainly(self, joints: Trackers, yaws: np.ndarray, offsets: np.ndarray, dt: float) -> Trajectory:
        """The definition of `predict`."""
        fresh = np.isnan(self.yaws)
        ground = np.array([1.0, 0.0, 1.0])
        heads, speeds = joints.positions[:, HEAD] * ground, joints.velocities[:, HEAD] * ground
        self.yaws = np.where(fresh, yaws, self.yaws)
        self.velocities, self.accelerations = spring(
            self.velocities, self.accelerations, speeds, halflife=self.smoothing.velocity, dt=dt
        )
        targets = self.yaws + wrap_angle(yaws - self.yaws)
        self.yaws, self.yaw_rates = spring(self.yaws, self.yaw_rates, targets, halflife=self.smoothing.facing, dt=dt)
        self.turn_rates = decay(self.turn_rates, self.yaw_rates, self.smoothing.rate, dt)
        # a turning body keeps turning for a moment
        turns = wrap_angle(yaws - self.yaws)[:, None] + self.turn_rates[:, None] * self.smoothing.turning
        future = self.yaws[:, None] - turns * np.expm1(-np.maximum(SAMPLE_TIMES, 0.0) / self.smoothing.turning)
        roots = heads - rotate_about_y(offsets, self.yaws)
        positions = roots[:, None] + SAMPLE_TIMES[:, None] * self.velocities[:, None]  # eq. 7
        return Trajectory(SAMPLE_TIMES, positions, yaw_direction(future))  # eq. 8
