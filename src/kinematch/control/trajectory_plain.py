"""The definitions of what trajectories compute, in plain numpy; `trajectory_kernels` has the compiled twins."""

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.trajectory import STILL, Trajectory
from kinematch.math.angles import wrap_angle


def sample(
    trajectory: Trajectory, times: np.ndarray, characters: np.ndarray | slice = slice(None)
) -> tuple[np.ndarray, np.ndarray]:
    """Trajectory.sample: positions (N, T, 3) and yaws (N, T) at times (T,) or (N, T)."""
    given = trajectory.times
    positions, directions = trajectory.positions[characters], trajectory.directions[characters]
    yaws = np.arctan2(directions[..., 0], directions[..., 2])
    times = np.broadcast_to(np.asarray(times, np.float64) + trajectory.elapsed, (len(positions), np.shape(times)[-1]))
    after = np.clip(np.searchsorted(given, times), 1, len(given) - 1)
    start, stop = given[after - 1], given[after]
    t = (times - start) / (stop - start)
    rows = np.arange(len(positions))[:, None]
    here, there = positions[rows, after - 1], positions[rows, after]
    turn = wrap_angle(yaws[rows, after] - yaws[rows, after - 1])
    return here + t[..., None] * (there - here), yaws[rows, after - 1] + np.clip(t, 0, 1) * turn


def find_mean_velocities(trajectory: Trajectory) -> np.ndarray:
    """Trajectory.mean_velocities (N, 3) m/s."""
    now, _ = sample(trajectory, np.zeros(1))
    velocities = (trajectory.positions[:, -1] - now[:, 0]) / trajectory.times[-1]
    speeds = np.linalg.norm(velocities[:, [0, 2]], axis=-1, keepdims=True)
    return np.where(speeds > STILL, velocities, 0.0)


def locate_bodies(trajectory: Trajectory, characters: np.ndarray, dt: float) -> SimulatedBody:
    """Trajectory.place_bodies: bodies on a trajectory dt from now, with its velocity there."""
    reach = 0.5 * (trajectory.times[1] - trajectory.times[0])  # s on either side over which velocities are taken
    positions, yaws = sample(trajectory, np.array([dt - reach, dt, dt + reach]), characters)
    velocities = (positions[:, 2] - positions[:, 0]) / (2 * reach)
    rates = wrap_angle(yaws[:, 2] - yaws[:, 0]) / (2 * reach)
    return SimulatedBody(positions[:, 1], velocities, np.zeros_like(velocities), wrap_angle(yaws[:, 1]), rates)
