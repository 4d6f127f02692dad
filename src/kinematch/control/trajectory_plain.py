"""The definitions of what trajectories compute, in plain numpy; `trajectory_kernels` has the compiled twins."""

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.trajectory import STILL, Trajectory
from kinematch.math.angles import wrap_angle


def find_mean_velocities(trajectory: Trajectory) -> np.ndarray:
    """Trajectory.mean_velocities (N, 3) m/s."""
    now, _ = trajectory.sample(np.zeros(1))
    velocities = (trajectory.positions[:, -1] - now[:, 0]) / trajectory.times[-1]
    speeds = np.linalg.norm(velocities[:, [0, 2]], axis=-1, keepdims=True)
    return np.where(speeds > STILL, velocities, 0.0)


def locate_bodies(trajectory: Trajectory, characters: np.ndarray, dt: float) -> SimulatedBody:
    """Trajectory.place_bodies: bodies on a trajectory dt from now, with its velocity there."""
    reach = 0.5 * (trajectory.times[1] - trajectory.times[0])  # s on either side over which velocities are taken
    positions, yaws = trajectory.sample(np.array([dt - reach, dt, dt + reach]), characters)
    velocities = (positions[:, 2] - positions[:, 0]) / (2 * reach)
    rates = wrap_angle(yaws[:, 2] - yaws[:, 0]) / (2 * reach)
    return SimulatedBody(positions[:, 1], velocities, np.zeros_like(velocities), wrap_angle(yaws[:, 1]), rates)
