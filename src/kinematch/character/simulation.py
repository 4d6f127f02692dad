"""The simulated body: a point with a facing that follows the command by springs, exact for any time step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.settings import Settings
from kinematch.math.spring import spring, velocity_spring

if TYPE_CHECKING:
    from kinematch.character.command import Command


@dataclass(eq=False)
class SimulatedBody:
    """State of N bodies; the only thing here that changes."""

    positions: np.ndarray  # (N, 3) m
    velocities: np.ndarray  # (N, 3) m/s
    accelerations: np.ndarray  # (N, 3) m/s^2
    yaws: np.ndarray  # (N,) rad about +Y, 0 faces +Z
    yaw_rates: np.ndarray  # (N,) rad/s


def at_rest(positions: np.ndarray, yaws: np.ndarray) -> SimulatedBody:
    positions = np.array(positions, np.float64)
    zero = np.zeros_like(positions)
    return SimulatedBody(positions, zero.copy(), zero.copy(), np.array(yaws, np.float64), np.zeros(len(positions)))


def wrapped(angles: np.ndarray) -> np.ndarray:
    """The same angles in [-pi, pi)."""
    return (angles + np.pi) % (2 * np.pi) - np.pi


def ahead(body: SimulatedBody, command: "Command", times: np.ndarray, settings: Settings) -> SimulatedBody:
    """The bodies after times (T,) under an unchanging command: (N, T, ...) arrays (digital humans eq. 2-4)."""
    dt = np.asarray(times, np.float64)[None, :, None]
    position, velocity, acceleration = velocity_spring(
        body.positions[:, None], body.velocities[:, None], body.accelerations[:, None],
        desired=command.velocities[:, None], halflife=settings.velocity_halflife, dt=dt,
    )  # fmt: skip
    wanted = np.arctan2(command.facings[:, 0], command.facings[:, 2])
    told = np.abs(command.facings).sum(axis=-1) > 0
    target = body.yaws + np.where(told, wrapped(wanted - body.yaws), 0.0)
    yaw, rate = spring(
        body.yaws[:, None], body.yaw_rates[:, None], target[:, None], halflife=settings.facing_halflife, dt=dt[..., 0]
    )
    return SimulatedBody(position, velocity, acceleration, yaw, rate)


def advance(body: SimulatedBody, command: "Command", dt: float, settings: Settings) -> None:
    after = ahead(body, command, np.array([dt]), settings)
    body.positions, body.velocities = after.positions[:, 0], after.velocities[:, 0]
    body.accelerations = after.accelerations[:, 0]
    body.yaws, body.yaw_rates = wrapped(after.yaws[:, 0]), after.yaw_rates[:, 0]
