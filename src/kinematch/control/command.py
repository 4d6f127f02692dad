"""Command: what a player, path or tracker asks of each character, independent of the input device."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.body import SimulatedBody
from kinematch.control.trajectory import Trajectory

if TYPE_CHECKING:
    from kinematch.control.request import Requests

MIN_FACING_SPEED = 1e-3  # m/s; slower velocities give no direction to face


@dataclass(frozen=True, eq=False)
class Command:
    """The command of N characters for the next step. `km.move` and `km.follow_trajectory` make one."""

    velocities: np.ndarray  # (N, 3) m/s, desired, along the ground in the world
    facings: np.ndarray  # (N, 3) desired directions along the ground in the world; zero keeps the facing
    filter: str | Sequence[str] | None = None  # tag expression, for all or one each; None: the database's, "": none
    source: int | Sequence[int] = 0  # number of the crowd's motion source to play, for all or one each
    trajectory: Trajectory | None = None  # the controller's own prediction; without one, springs predict
    request: "Requests | None" = None  # an action, of one character or of each: see km.act


class Controller(Protocol):
    """Anything with this method steers a crowd: `crowd.step(controller.command(crowd.body, dt), dt)`."""

    def command(self, body: SimulatedBody, dt: float) -> Command:
        """The command for the N simulated bodies for the next dt seconds."""


def move(
    velocities: ArrayLike,
    facings: ArrayLike | None = None,
    *,
    filter: str | Sequence[str] | None = None,
    source: int | Sequence[int] = 0,
) -> Command:
    """A command to move at velocities (N, 3) or (3,), in m/s in the world.

    Characters face along their velocity unless facings (N, 3) or (3,) are given; at rest they keep their facing.
    `filter` and `source` are those of Command.
    """
    desired = np.atleast_2d(np.asarray(velocities, np.float64))
    if facings is None:
        speed = np.linalg.norm(desired, axis=-1, keepdims=True)
        facings = np.where(speed > MIN_FACING_SPEED, desired / np.maximum(speed, MIN_FACING_SPEED), 0.0)
    return Command(desired, np.atleast_2d(np.asarray(facings, np.float64)), filter, source)


def follow_trajectory(
    trajectory: Trajectory, *, filter: str | Sequence[str] | None = None, source: int | Sequence[int] = 0
) -> Command:
    """A command to move along a trajectory that the controller predicted itself, instead of springs.

    The simulated bodies go exactly where the trajectory says. `filter` and `source` are those of Command.
    """
    velocities, facings = trajectory.mean_velocities(), trajectory.directions[:, -1]
    return Command(velocities, facings, filter, source, trajectory)
