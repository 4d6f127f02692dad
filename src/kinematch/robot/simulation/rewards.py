"""Rewards for tracking a reference: exponentials of errors, and what ends an episode."""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError


class TrackingErrors(NamedTuple):
    """How far N robots are from the reference now."""

    joint_positions: np.ndarray  # (N,) rad, root of the mean square over hinges
    joint_velocities: np.ndarray  # (N,) rad/s, likewise
    base_position: np.ndarray  # (N,) m
    base_height: np.ndarray  # (N,) m
    base_rotation: np.ndarray  # (N,) rad
    base_velocity: np.ndarray  # (N,) m/s
    body_positions: np.ndarray  # (N,) m, root of the mean square over bodies, each against its base
    tilt: np.ndarray  # (N,) rad between the bases' up axes
    action_change: np.ndarray  # (N,) mean square of the difference of actions


@dataclass(frozen=True)
class TrackingSettings:
    """Weights and scales of rewards, limits of deviation, commands, and the controller's reach."""

    # weight and scale of exp(-(error / scale)^2); the weights add up to 1
    joint_positions: tuple[float, float] = (0.25, 0.3)  # rad
    joint_velocities: tuple[float, float] = (0.1, 3.0)  # rad/s
    base_position: tuple[float, float] = (0.15, 0.3)  # m
    base_rotation: tuple[float, float] = (0.15, 0.4)  # rad
    base_velocity: tuple[float, float] = (0.1, 0.6)  # m/s
    body_positions: tuple[float, float] = (0.25, 0.2)  # m
    action_change: float = 0.02  # times the mean square of the change of actions, subtracted
    max_base_distance: float = 0.5  # m from the reference's base
    max_height_error: float = 0.25  # m
    max_tilt: float = 0.8  # rad
    max_body_distance: float = 0.4  # m, root of the mean square
    action_scale: float = 0.5  # rad by which an action of 1 moves a hinge's target from the reference
    episode_seconds: float = 20.0
    command_seconds: float = 4.0  # s on average between new commands
    max_speed: float = 1.5  # m/s of random commands

    def __post_init__(self) -> None:
        for one in fields(self):
            values = np.atleast_1d(getattr(self, one.name)).astype(float)
            size = 2 if isinstance(one.default, tuple) else 1
            if values.shape != (size,) or not (np.isfinite(values) & (values >= 0)).all() or values[-1] == 0 < size - 1:
                raise KinematchError(f"{one.name} is {getattr(self, one.name)!r}, expected {size} numbers, 0 or more")


TERMS = ("joint_positions", "joint_velocities", "base_position", "base_rotation", "base_velocity", "body_positions")


def find_rewards(errors: TrackingErrors, settings: TrackingSettings) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rewards (N,), at most 1, and their terms."""
    terms = {}
    for name in TERMS:
        weight, scale = getattr(settings, name)
        terms[name] = weight * np.exp(-np.square(getattr(errors, name) / scale))
    terms["action_change"] = -settings.action_change * errors.action_change
    return np.sum(list(terms.values()), axis=0), terms


def find_lost(errors: TrackingErrors, settings: TrackingSettings) -> np.ndarray:
    """Whether each robot (N,) is too far from the reference to go on; what is not finite is lost."""
    with np.errstate(invalid="ignore"):
        kept = (
            (errors.base_position <= settings.max_base_distance)
            & (errors.base_height <= settings.max_height_error)
            & (errors.tilt <= settings.max_tilt)
            & (errors.body_positions <= settings.max_body_distance)
        )
    return ~kept
