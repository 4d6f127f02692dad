"""The simulated body: a point with a facing that follows the command by springs, exact for any time step."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinematch.math.spring import omega, spring, velocity_spring

if TYPE_CHECKING:
    from kinematch.control.command import Command


WORLD_RADIUS = 1e6  # m from the origin: beyond it float32 poses are coarser than a hand


class Halflives(NamedTuple):
    """How quickly the simulated body follows its command."""

    velocity: float = 0.4  # s
    facing: float = 0.3  # s


class SimulatedBody(NamedTuple):
    """N bodies; callers may write into these arrays: walls and physics have the last word."""

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


def turned(v: np.ndarray, yaws: np.ndarray | float) -> np.ndarray:
    """Vectors (..., 3) turned about +Y."""
    c, s = np.cos(yaws), np.sin(yaws)
    return np.stack([c * v[..., 0] + s * v[..., 2], v[..., 1], c * v[..., 2] - s * v[..., 0]], axis=-1)


def ahead(body: SimulatedBody, command: "Command", times: np.ndarray, halflives: Halflives) -> SimulatedBody:
    """The bodies (N, T, ...) after times (T,) or (N, T) under an unchanging command (digital humans eq. 2-4)."""
    dt = np.atleast_2d(np.asarray(times, np.float64))[..., None]
    position, velocity, acceleration = velocity_spring(
        body.positions[:, None], body.velocities[:, None], body.accelerations[:, None],
        desired=command.velocities[:, None], halflife=halflives.velocity, dt=dt,
    )  # fmt: skip
    wanted = np.arctan2(command.facings[:, 0], command.facings[:, 2])
    told = np.abs(command.facings).sum(axis=-1) > 0
    # told nothing, it comes to rest where its turning leads
    target = body.yaws + np.where(told, wrapped(wanted - body.yaws), body.yaw_rates / omega(halflives.facing))
    yaw, rate = spring(
        body.yaws[:, None], body.yaw_rates[:, None], target[:, None], halflife=halflives.facing, dt=dt[..., 0]
    )
    return SimulatedBody(position, velocity, acceleration, yaw, rate)


def asked(
    body: SimulatedBody, command: "Command", times: np.ndarray, halflives: Halflives, *, places: np.ndarray,
    yaws: np.ndarray, past: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Where bodies will be in the axes of roots at places (N, 3) and yaws (N,): positions (N, T, 3), facings (N, T).

    `past` (N,) s: both are taken back by so much, to the moment of the frame that plays, and times count from there.
    """
    back = past[:, None]
    future = ahead(body, command, times - back, halflives)
    yaws = (yaws - past * body.yaw_rates)[:, None]
    ways = future.positions - (places - back * body.velocities)[:, None]
    return turned(ways, -yaws), future.yaws - yaws
