"""Cubic pieces between known states: how a joint gets from one planted pose to the next without a jolt."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

BLEND_SHARE = 0.09  # share of the swing in which a joint leaves or meets the planted leg's rate of turning


def cubic(u: np.ndarray, a: ArrayLike, b: ArrayLike, slope_a: ArrayLike, slope_b: ArrayLike) -> np.ndarray:
    """Hermite's cubic on 0..1 from a to b."""
    v = 1 - u
    return v * v * (1 + 2 * u) * a + u * u * (1 + 2 * v) * b + u * v * (v * np.asarray(slope_a) - u * slope_b)


def through(s: np.ndarray, curves: np.ndarray, knots: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike]]) -> np.ndarray:
    """Cubics through knots (place, value, slope), each a number or one per curve, at places s (F,) of curves (F,)."""
    count = int(curves.max(initial=0)) + 1
    columns = [np.stack([np.broadcast_to(knot[k], (count,)) for knot in knots], -1) for k in range(3)]
    places, values, slopes = (column[curves] for column in columns)
    piece = np.clip(np.sum(s[:, None] >= places, -1) - 1, 0, len(knots) - 2)
    row = np.arange(len(s))
    p, q = places[row, piece], places[row, piece + 1]
    width = q - p
    return cubic(
        (s - p) / width,
        values[row, piece],
        values[row, piece + 1],
        slopes[row, piece] * width,
        slopes[row, piece + 1] * width,
    )


def near(end: np.ndarray, slope: np.ndarray, most: float) -> np.ndarray:
    """Values a short way from an end with this outward slope, from which a cubic meets it without swinging back.

    A third of the way that the slope would cover is the least for that; a fast rate is met by at most that.
    """
    return end + np.clip(BLEND_SHARE / 3 * slope, -most, most)
