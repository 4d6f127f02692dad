"""Command: what a player, path or tracker asks of each character, whatever device it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.control.body import SimulatedBody


@dataclass(frozen=True, eq=False)
class Command:
    velocities: np.ndarray  # (N, 3) m/s, wanted along the ground, in the world
    facings: np.ndarray  # (N, 3) ground directions wanted, in the world; zero keeps the facing
    filter: str | Sequence[str] = ""  # tags that frames must satisfy, for all or for each
    database: int | Sequence[int] = 0  # which of a crowd's databases, for all or for each


class Controller(Protocol):
    """Anything that yields a command for each step."""

    def command(self, body: SimulatedBody, dt: float) -> Command:
        """What is wanted of bodies (N) during the next dt seconds."""


def toward(velocities: np.ndarray, facings: np.ndarray | None = None, *, filter: str | Sequence[str] = "") -> Command:
    """A command to move with these velocities (N, 3), facing along them unless told; who stands still turns nowhere."""
    velocities = np.atleast_2d(np.asarray(velocities, np.float64))
    if facings is None:
        speed = np.linalg.norm(velocities, axis=-1, keepdims=True)
        facings = np.where(speed > 1e-3, velocities / np.maximum(speed, 1e-3), 0.0)
    return Command(velocities, np.atleast_2d(np.asarray(facings, np.float64)), filter)
