"""Steering: the point where a body would come to rest, which a command moves exactly and which cannot overshoot."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.body import SimulatedBody
from kinematch.errors import KinematchError
from kinematch.math.spring import omega

NONE = np.finfo(np.float64).tiny  # instead of a length of zero, which cannot be divided by


def rest_points(body: SimulatedBody, halflife: float) -> np.ndarray:
    """Where bodies (N, 2) x, z come to rest if nothing more is wanted of them.

    The velocity spring (digital humans eq. 2-4), integrated with a desired velocity of zero: x + 2 v / w + a / w^2.
    That point's own velocity is the desired velocity, whatever the spring does, and the body follows it critically
    damped. So where the point stops, the body stops, and a convex region that it never leaves the body never leaves.
    """
    if not 0 < halflife < np.inf:
        raise KinematchError(f"a half-life of {halflife} s, expected more than zero")
    w = omega(halflife)
    points = body.positions + 2 / w * body.velocities + body.accelerations / w**2
    return np.asfortranarray(points[:, ::2])  # numpy is several times quicker on long columns than on short rows


def ground(vectors: np.ndarray) -> np.ndarray:
    """Vectors x, z (N, 2) as (N, 3) along the ground."""
    flat = np.zeros((len(vectors), 3))
    flat[:, 0], flat[:, 2] = vectors[:, 0], vectors[:, 1]
    return flat


def directions(vectors: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Unit vectors (N, 2), and zero for those no longer than `least`."""
    length = lengths(vectors)
    return vectors * np.where(length > least, 1 / np.maximum(length, NONE), 0.0)[:, None]


def shortened(vectors: np.ndarray, most: np.ndarray | float) -> np.ndarray:
    """The same vectors (N, 2), none longer than `most`."""
    return vectors * (most / np.maximum(np.maximum(lengths(vectors), most), NONE))[:, None]


def lengths(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("nk,nk->n", vectors, vectors))


def per_body(values: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    """One value for all or one for each body, as an array of a shape (N, ...)."""
    try:
        array = np.broadcast_to(np.asarray(values, np.float64), shape)
    except (TypeError, ValueError):
        expected = f"{shape[1:]} or {shape}" if len(shape) > 1 else f"a number or {shape}"
        raise KinematchError(f"{what} of shape {np.shape(values)}, expected {expected}") from None
    if not np.isfinite(array).all():
        raise KinematchError(f"{what} has values that are not finite")
    return array
