"""The simulated body: a point with a facing, driven towards the command by springs; exact for any time step."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinematch.math.angles import wrap_angle
from kinematch.math.spring import omega, spring, velocity_spring

if TYPE_CHECKING:
    from kinematch.control.command import Command

WORLD_RADIUS = 1e6  # m from the origin: beyond it float32 poses are coarser than a hand


class Halflives(NamedTuple):
    """How quickly the simulated body takes on a commanded velocity and facing."""

    velocity: float = 0.4  # s
    facing: float = 0.3  # s


class SimulatedBody(NamedTuple):
    """N simulated bodies: what a game collides and aims with. Callers may write into the arrays (walls, physics)."""

    positions: np.ndarray  # (N, 3) m
    velocities: np.ndarray  # (N, 3) m/s
    accelerations: np.ndarray  # (N, 3) m/s^2
    yaws: np.ndarray  # (N,) rad about +Y, 0 faces +Z
    yaw_rates: np.ndarray  # (N,) rad/s

    def take(self, characters: np.ndarray) -> "SimulatedBody":
        """Copies of some of the bodies."""
        return SimulatedBody(*(array[characters] for array in self))


def place_at_rest(positions: np.ndarray, yaws: np.ndarray) -> SimulatedBody:
    """Bodies at rest at positions (N, 3) m, facing yaws (N,) rad."""
    positions = np.array(positions, np.float64)
    zero = np.zeros_like(positions)
    return SimulatedBody(positions, zero.copy(), zero.copy(), np.array(yaws, np.float64), np.zeros(len(positions)))


def predict_bodies(body: SimulatedBody, command: "Command", times: np.ndarray, halflives: Halflives) -> SimulatedBody:
    """The bodies (N, T, ...) after times (T,) or (N, T) under a constant command (digital humans eq. 2-4)."""
    dt = np.atleast_2d(np.asarray(times, np.float64))[..., None]
    position, velocity, acceleration = velocity_spring(
        body.positions[:, None], body.velocities[:, None], body.accelerations[:, None],
        desired=command.velocities[:, None], halflife=halflives.velocity, dt=dt,
    )  # fmt: skip
    target = body.yaws + remaining_turn(body, command.facings, halflives)
    yaw, rate = spring(
        body.yaws[:, None], body.yaw_rates[:, None], target[:, None], halflife=halflives.facing, dt=dt[..., 0]
    )
    return SimulatedBody(position, velocity, acceleration, yaw, rate)


def step_bodies(body: SimulatedBody, command: "Command", dt: float, halflives: Halflives) -> SimulatedBody:
    """The bodies (N, ...) after one step."""
    after = SimulatedBody(*(array[:, 0] for array in predict_bodies(body, command, np.array([dt]), halflives)))
    return after._replace(yaws=wrap_angle(after.yaws))


def remaining_turn(body: SimulatedBody, facings: np.ndarray, halflives: Halflives) -> np.ndarray:
    """Angles (N,) rad that bodies still turn: to the commanded facing, or without one until their turning stops."""
    wanted = np.arctan2(facings[:, 0], facings[:, 2])
    given = np.abs(facings[:, [0, 2]]).max(axis=-1) > 0
    return np.where(given, wrap_angle(wanted - body.yaws), body.yaw_rates / omega(halflives.facing))
