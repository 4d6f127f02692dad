"""Command: what a player, path or tracker asks of each character, whatever device it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.trajectory import Trajectory

SLOWEST = 1e-3  # m/s below which a velocity has no direction to face


@dataclass(frozen=True, eq=False)
class Command:
    velocities: np.ndarray  # (N, 3) m/s, wanted along the ground, in the world
    facings: np.ndarray  # (N, 3) ground directions wanted, in the world; zero keeps the facing
    filter: str | Sequence[str] | None = None  # over tags, for all or for each; None: the database's own
    source: int | Sequence[int] = 0  # which of a crowd's motion sources, for all or for each
    trajectory: Trajectory | None = None  # the controller's own prediction; without it springs predict


class Controller(Protocol):
    """Anything that yields a command for each step."""

    def command(self, body: SimulatedBody, dt: float) -> Command:
        """What is wanted of bodies (N) during the next dt seconds."""


def move(
    velocities: np.ndarray | Sequence[float],
    facings: np.ndarray | Sequence[float] | None = None,
    *,
    filter: str | Sequence[str] | None = None,
    source: int | Sequence[int] = 0,
) -> Command:
    """A command to move with velocities (N, 3) or (3,), facing along them unless told; standing keeps the facing."""
    velocities = np.atleast_2d(np.asarray(velocities, np.float64))
    if facings is None:
        speed = np.linalg.norm(velocities, axis=-1, keepdims=True)
        facings = np.where(speed > SLOWEST, velocities / np.maximum(speed, SLOWEST), 0.0)
    return Command(velocities, np.atleast_2d(np.asarray(facings, np.float64)), filter, source)


def follow_trajectory(
    trajectory: Trajectory, *, filter: str | Sequence[str] | None = None, source: int | Sequence[int] = 0
) -> Command:
    """A command to move along a trajectory that the caller predicted itself."""
    velocities, facings = trajectory.mean_velocities(), trajectory.directions[:, -1]
    return Command(velocities, facings, filter, source, trajectory)
