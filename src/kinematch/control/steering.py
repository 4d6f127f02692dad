"""Steering: controllers steer the point where a body would come to rest, which responds at once, so none overshoot."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.body import SimulatedBody
from kinematch.errors import KinematchError
from kinematch.math.spring import omega

TINY = np.finfo(np.float64).tiny  # in place of zero lengths in divisions


def find_rest_points(body: SimulatedBody, halflife: float) -> np.ndarray:
    """Points (N, 2), x and z in m, where bodies come to rest if the commanded velocity becomes zero.

    The velocity spring (digital humans eq. 2-4) with a desired velocity of zero ends at x + 2 v / w + a / w^2.
    The velocity of this point is the commanded one at all times, and the body follows it critically damped. So the body
    stops where the point stops, and never leaves a convex region that the point does not leave.
    """
    if not 0 < halflife < np.inf:
        raise KinematchError(f"a half-life of {halflife} s, expected more than zero")
    w = omega(halflife)
    points = body.positions + 2 / w * body.velocities + body.accelerations / w**2
    return np.asfortranarray(points[:, ::2])  # numpy is several times faster on long columns than on short rows


def to_ground_vectors(vectors: np.ndarray) -> np.ndarray:
    """Vectors (N, 2) of x and z as vectors (N, 3) with y = 0."""
    flat = np.zeros((len(vectors), 3))
    flat[:, 0], flat[:, 2] = vectors[:, 0], vectors[:, 1]
    return flat


def find_directions(vectors: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Unit vectors (N, 2); zero for vectors no longer than `least`."""
    length = find_lengths(vectors)
    return vectors * np.where(length > least, 1 / np.maximum(length, TINY), 0.0)[:, None]


def limit_lengths(vectors: np.ndarray, most: np.ndarray | float) -> np.ndarray:
    """Vectors (N, 2) scaled down to lengths of at most `most`, (N,) or one for all."""
    return vectors * (most / np.maximum(np.maximum(find_lengths(vectors), most), TINY))[:, None]


def find_lengths(vectors: np.ndarray) -> np.ndarray:
    """Lengths (N,) of vectors (N, 2)."""
    return np.sqrt(np.einsum("nk,nk->n", vectors, vectors))


def expand_per_body(values: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    """One value for all bodies, or one per body, as a finite array of this shape (N, ...)."""
    try:
        array = np.broadcast_to(np.asarray(values, np.float64), shape)
    except (TypeError, ValueError):
        expected = f"{shape[1:]} or {shape}" if len(shape) > 1 else f"a number or {shape}"
        raise KinematchError(f"{what} of shape {np.shape(values)}, expected {expected}") from None
    if not np.isfinite(array).all():
        raise KinematchError(f"{what} has values that are not finite")
    return array
