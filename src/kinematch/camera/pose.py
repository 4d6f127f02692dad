"""The pose of a camera: what takes places in camera space to the world."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class CameraPose:
    """Where a camera is, and how far to trust that."""

    yaw: float = 0.0  # rad, where it looks: from +Z towards +X
    position: np.ndarray | None = None  # (3,) m; None: not known yet
    pitch: float = 0.0  # rad, downwards
    scale: float = 1.0  # m in the world per m of a landmark
    deviation: float = np.pi  # rad, standard deviation of the yaw
    residual: float = np.nan  # m, root mean square of how far points are off

    def level(self, places: np.ndarray) -> np.ndarray:
        """Camera-space places (..., 3), scaled and with the pitch taken out."""
        return places @ self._leveling

    def to_world(self, places: np.ndarray) -> np.ndarray:
        """Camera-space places (..., 3) in the world."""
        position = np.zeros(3) if self.position is None else self.position
        return places @ self._turning + position

    @cached_property
    def _leveling(self) -> np.ndarray:
        """(3, 3) what takes places as rows to level ones."""
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        return self.scale * np.array([[1.0, 0, 0], [0, c, s], [0, -s, c]])

    @cached_property
    def _turning(self) -> np.ndarray:
        """(3, 3) what takes places as rows to the axes of the world."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return self._leveling @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
