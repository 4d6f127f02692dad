"""Finite differences along time: velocities of positions and angular velocities of rotations."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.math.quaternion import Array, floating, inverse, multiply
from kinematch.math.rotation import to_rotation_vector


def backward(x: ArrayLike, dt: float) -> Array:
    """Rate of change from the frame before (thesis eq. 3.9); frame 0 repeats frame 1."""
    x = floating(x)
    out = np.zeros_like(x)
    if len(x) > 1:
        out[1:] = (x[1:] - x[:-1]) / dt
        out[0] = out[1]
    return out


def central(x: ArrayLike, dt: float) -> Array:
    """Rate of change from both neighbours; one-sided at the two ends."""
    x = floating(x)
    out = backward(x, dt)
    if len(x) > 2:
        out[1:-1] = (x[2:] - x[:-2]) / (2 * dt)
    return out


def angular_backward(q: ArrayLike, dt: float) -> Array:
    """Angular velocity from the frame before, in the space the rotations map to (thesis eq. 3.10)."""
    q = floating(q)
    out = np.zeros((*q.shape[:-1], 3), q.dtype)
    if len(q) > 1:
        out[1:] = to_rotation_vector(multiply(q[1:], inverse(q[:-1]))) / dt
        out[0] = out[1]
    return out


def angular_central(q: ArrayLike, dt: float) -> Array:
    """Angular velocity from both neighbours; the two half steps are added, so fast turns do not wrap."""
    steps = angular_backward(q, dt)
    if len(steps) > 2:
        steps[1:-1] = (steps[1:-1] + steps[2:]) / 2
    return steps
