"""Quaternions as tuples of float64, for the kernels of this folder."""

import numpy as np

from kinematch.compile.jit import part


@part
def normalize(q):
    """As quaternion.normalize, zero included."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if square == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    scale = 1.0 / np.sqrt(square)
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@part
def to_vector(q):
    """As rotation.to_rotation_vector."""
    sign = -1.0 if q[0] < 0 else 1.0
    size = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 * sign
    if size > 0:
        scale = 2.0 * np.arctan2(size, sign * q[0]) / size * sign
    return q[1] * scale, q[2] * scale, q[3] * scale


@part
def mix(a, b, share):
    """Normalised interpolation along the shorter arc; its speed varies by a few per cent at a right angle."""
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    high = share if cosine >= 0 else -share
    low = 1.0 - share
    return normalize(
        (low * a[0] + high * b[0], low * a[1] + high * b[1], low * a[2] + high * b[2], low * a[3] + high * b[3])
    )


@part
def unit_or(v, other):
    """A vector of length one, or the other where it has none."""
    size = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if size == 0.0:
        return other
    return v[0] / size, v[1] / size, v[2] / size
