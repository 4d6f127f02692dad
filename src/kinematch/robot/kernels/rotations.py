"""Quaternions as tuples of float64, for the kernels of this folder."""

import numpy as np

from kinematch.compile.jit import part as inner


@inner
def read(q, j):
    return q[j, 0], q[j, 1], q[j, 2], q[j, 3]


@inner
def write(out, j, q):
    out[j, 0], out[j, 1], out[j, 2], out[j, 3] = q[0], q[1], q[2], q[3]


@inner
def read3(v, j):
    return v[j, 0], v[j, 1], v[j, 2]


@inner
def write3(out, j, v):
    out[j, 0], out[j, 1], out[j, 2] = v[0], v[1], v[2]


@inner
def multiply(a, b):
    """As quaternion.multiply: b first, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inner
def invert(q):
    return q[0], -q[1], -q[2], -q[3]


@inner
def rotate(q, v):
    """As quaternion.rotate."""
    w, x, y, z = q
    tx, ty, tz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx


@inner
def normalize(q):
    """As quaternion.normalize, zero included."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if square == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    scale = 1.0 / np.sqrt(square)
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@inner
def about(axis, angle):
    """A turn about a unit axis."""
    s = np.sin(angle / 2)
    return np.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s


@inner
def to_vector(q):
    """As rotation.to_rotation_vector."""
    sign = -1.0 if q[0] < 0 else 1.0
    size = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 * sign
    if size > 0:
        scale = 2.0 * np.arctan2(size, sign * q[0]) / size * sign
    return q[1] * scale, q[2] * scale, q[3] * scale


@inner
def mix(a, b, share):
    """Normalised interpolation along the shorter arc; its speed varies by a few per cent at a right angle."""
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    high = share if cosine >= 0 else -share
    low = 1.0 - share
    return normalize(
        (low * a[0] + high * b[0], low * a[1] + high * b[1], low * a[2] + high * b[2], low * a[3] + high * b[3])
    )


@inner
def unit_or(v, other):
    """A vector of length one, or the other where it has none."""
    size = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if size == 0.0:
        return other
    return v[0] / size, v[1] / size, v[2] / size
