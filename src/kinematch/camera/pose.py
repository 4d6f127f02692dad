"""The pose of a camera: what takes places in camera space to the world."""

from dataclasses import dataclass

import numpy as np

from kinematch.math.angles import rotate_about_y


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
        c, s = self.scale * np.cos(self.pitch), self.scale * np.sin(self.pitch)
        x, y, z = places[..., 0], places[..., 1], places[..., 2]
        return np.stack([self.scale * x, c * y - s * z, s * y + c * z], axis=-1)

    def to_world(self, places: np.ndarray) -> np.ndarray:
        """Camera-space places (..., 3) in the world."""
        position = np.zeros(3) if self.position is None else self.position
        return rotate_about_y(self.level(places), self.yaw) + position
