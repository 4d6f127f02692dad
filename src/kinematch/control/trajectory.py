"""Trajectory: past and future positions and directions of bodies in the world, as samples over time."""

from dataclasses import dataclass

import numpy as np

from kinematch.control import trajectory_kernels
from kinematch.control.body import SimulatedBody
from kinematch.errors import KinematchError
from kinematch.math.angles import wrap_angle

MAX_STANDING_SPEED = 0.1  # m/s; a trajectory that is slower on average means standing


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Positions and facings of N bodies at common times, as a controller predicts them; see `km.follow_trajectory`.

    At time 0 it says where the simulated body is now.
    """

    times: np.ndarray  # (H,) s from now, increasing, from 0 or earlier to later than 0
    positions: np.ndarray  # (N, H, 3) m
    directions: np.ndarray  # (N, H, 3) facings along the ground, of any length but zero
    elapsed: float = 0.0  # s that have passed since it was given: `sample` counts times from then

    def __post_init__(self) -> None:
        for name in ("times", "positions", "directions"):
            try:
                array = np.array(getattr(self, name), np.float64, order="C")
            except (TypeError, ValueError):
                raise KinematchError(f"trajectory: {name} are not numbers") from None
            object.__setattr__(self, name, array)
        given = self.times, self.positions, self.directions
        shapes = self.times.ndim == 1 and len(self.times) > 1 and self.positions.ndim == 3
        shapes = shapes and self.positions.shape[1:] == (len(self.times), 3) == self.directions.shape[1:]
        if not shapes or len(self.positions) != len(self.directions) or not trajectory_kernels.is_sound(*given):
            self._refuse()

    def _refuse(self) -> None:
        """Say what is wrong with it."""
        for name in ("times", "positions", "directions"):
            if not np.isfinite(getattr(self, name)).all():
                raise KinematchError(f"trajectory: {name} have values that are not finite")
        count = len(self.times) if self.times.ndim == 1 else -1
        if count < 2 or not (np.diff(self.times) > 0).all() or self.times[0] > 0 or self.times[-1] <= 0:
            raise KinematchError(
                f"trajectory: times {self.times.tolist()}, expected two or more that increase, from 0 or earlier "
                "to later than 0"
            )
        if self.positions.ndim != 3 or self.positions.shape[1:] != (count, 3):
            raise KinematchError(f"trajectory: positions of shape {self.positions.shape}, expected (N, {count}, 3)")
        if self.directions.shape != self.positions.shape:
            raise KinematchError(
                f"trajectory: directions of shape {self.directions.shape}, expected {self.positions.shape}"
            )
        if not np.abs(self.directions[..., [0, 2]]).max(axis=-1).all():
            raise KinematchError("trajectory: a direction is zero or vertical, expected one along the ground")

    @property
    def count(self) -> int:
        """N, the number of bodies."""
        return len(self.positions)

    def sample(self, times: np.ndarray, characters: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Positions (N, T, 3) and yaws (N, T) at times (T,) or (N, T), linear between samples.

        Beyond the first and last samples positions are extrapolated linearly and yaws stay constant.
        """
        positions = self.positions[characters]
        yaws = np.arctan2(self.directions[characters, :, 0], self.directions[characters, :, 2])
        times = np.broadcast_to(np.asarray(times, np.float64) + self.elapsed, (len(positions), np.shape(times)[-1]))
        after = np.clip(np.searchsorted(self.times, times), 1, len(self.times) - 1)
        start, stop = self.times[after - 1], self.times[after]
        t = (times - start) / (stop - start)
        rows = np.arange(len(positions))[:, None]
        here, there = positions[rows, after - 1], positions[rows, after]
        turn = wrap_angle(yaws[rows, after] - yaws[rows, after - 1])
        return here + t[..., None] * (there - here), yaws[rows, after - 1] + np.clip(t, 0, 1) * turn

    def mean_velocities(self) -> np.ndarray:
        """Mean velocities (N, 3) in m/s from now to the last sample; zero below the speed that means standing."""
        velocities = np.empty((self.count, 3))
        given = self.times, self.positions, self.directions
        trajectory_kernels.average_velocities(*given, self.elapsed, MAX_STANDING_SPEED, velocities)
        return velocities

    def place_bodies(self, body: SimulatedBody, characters: np.ndarray, dt: float) -> None:
        """Put bodies of characters (M,) where they are dt from now, with the trajectory's velocity there."""
        given = self.times, self.positions, self.directions
        trajectory_kernels.place_bodies(*given, self.elapsed + dt, characters, *body)
