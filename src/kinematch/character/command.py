"""Command: what a player, path or tracker asks of each character, whatever device it came from."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Command:
    velocities: np.ndarray  # (N, 3) m/s, wanted along the ground, in the world
    facings: np.ndarray  # (N, 3) unit ground directions wanted, in the world
    filter: str = ""  # tags that frames must satisfy


def toward(velocities: np.ndarray, facings: np.ndarray | None = None, *, filter: str = "") -> Command:
    """A command to move with these velocities (N, 3), facing along them unless told; who stands still turns nowhere."""
    velocities = np.atleast_2d(np.asarray(velocities, np.float64))
    if facings is None:
        speed = np.linalg.norm(velocities, axis=-1, keepdims=True)
        facings = np.where(speed > 1e-3, velocities / np.maximum(speed, 1e-3), 0.0)
    return Command(velocities, np.atleast_2d(np.asarray(facings, np.float64)), filter)
