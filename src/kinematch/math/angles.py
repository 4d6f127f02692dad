"""Angles about the vertical: wrapping them, and turning vectors by them."""

import numpy as np


def wrap_angle(angles: np.ndarray) -> np.ndarray:
    """The same angles in [-pi, pi)."""
    return (angles + np.pi) % (2 * np.pi) - np.pi


def rotate_about_y(vectors: np.ndarray, yaws: np.ndarray | float) -> np.ndarray:
    """Vectors (..., 3) turned about +Y."""
    c, s = np.cos(yaws), np.sin(yaws)
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.stack([c * x + s * z, y, c * z - s * x], axis=-1)
