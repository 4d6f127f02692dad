"""Conversions between quaternions and rotation vectors, matrices, two-axis (6D) form and Euler angles."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.math.quaternion import Array, floating, length, multiply, normalize, unit


def from_rotation_vector(v: ArrayLike) -> Array:
    """Axis times angle in radians; exact at zero."""
    v = floating(v)
    half = length(v) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi).astype(v.dtype) * v / 2], axis=-1)


def to_rotation_vector(q: ArrayLike) -> Array:
    """Axis times angle in radians, the angle in [0, pi] (thesis eq. 2.8 in a form without singularity)."""
    q = floating(q)
    q = np.where(q[..., :1] < 0, -q, q)
    size = length(q[..., 1:])
    safe = np.where(size > 0, size, 1)
    scale = np.where(size > 0, 2 * np.arctan2(size, q[..., :1]) / safe, 2)
    return (q[..., 1:] * scale).astype(q.dtype)


def find_angular_velocity(v: ArrayLike, rate: ArrayLike) -> Array:
    """Angular velocity, in the fixed axes, of a rotation whose vector v changes at a rate: the left Jacobian of SO(3).

    Along the vector both are the same; across it the rotation turns what is added to it."""
    v, along, across = _split(v, rate)
    half = length(v) / 2
    s = np.sinc(half / np.pi).astype(v.dtype)
    return along + s * (np.cos(half) * across + s / 2 * np.cross(v, across))


def find_vector_rate(v: ArrayLike, angular_velocity: ArrayLike) -> Array:
    """The rate at which a rotation's vector v changes: the inverse of `find_angular_velocity`."""
    v, along, across = _split(v, angular_velocity)
    half = length(v) / 2
    return along + np.cos(half) / np.sinc(half / np.pi).astype(v.dtype) * across - np.cross(v, across) / 2


def _split(v: ArrayLike, other: ArrayLike) -> tuple[Array, Array, Array]:
    """A vector, and another's parts along and across it; along nothing there is nothing."""
    v, other = floating(v), floating(other)
    size = np.sum(v * v, axis=-1, keepdims=True)
    along = v * np.sum(v * other, axis=-1, keepdims=True) / np.where(size > 0, size, 1)
    return v, along, other - along


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """A turn by an angle in radians about an axis of any length."""
    axis = unit(axis)
    half = np.asarray(angle, axis.dtype)[..., None] / 2
    cosine = np.cos(half) * np.ones_like(axis[..., :1])
    return np.concatenate([cosine, np.sin(half) * axis], axis=-1)


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices with the turned axes as columns (thesis eq. 2.6, entry (3, 1) put right)."""
    q = floating(q)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Array:
    """From rotation matrices, by the largest component, so that small w loses nothing (thesis eq. 2.5)."""
    m = floating(m)
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    # row i is 4 * component i * (w, x, y, z)
    candidates = np.stack(
        [
            np.stack([1 + m00 + m11 + m22, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + m00 - m11 - m22, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - m00 + m11 - m22, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - m00 - m11 + m22], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    return normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def to_two_axis(q: ArrayLike) -> Array:
    """The turned x and y axes as six numbers: continuous, so fit for learning."""
    m = to_matrix(q)
    return np.concatenate([m[..., 0], m[..., 1]], axis=-1)


def from_two_axis(axes: ArrayLike) -> Array:
    """From six numbers that need be neither of unit length nor perpendicular."""
    axes = floating(axes)
    x = unit(axes[..., :3])
    y = axes[..., 3:]
    y = unit(y - x * np.sum(x * y, axis=-1, keepdims=True))
    return from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def _axes(order: str) -> tuple[int, int, int]:
    indices = ["XYZ".find(letter) for letter in order.upper()]
    if len(indices) != 3 or -1 in indices or indices[0] == indices[1] or indices[1] == indices[2]:
        raise ValueError(f"no Euler order {order!r}; use three of X, Y, Z with no letter twice in a row")
    return indices[0], indices[1], indices[2]


def from_euler(angles: ArrayLike, order: str) -> Array:
    """Radians in the order the letters stand: 'ZYX' is Z * Y * X, turning axes along, as BVH channels do."""
    angles = floating(angles)
    half = angles / 2
    product: Array | None = None
    for k, axis in enumerate(_axes(order)):
        q = np.zeros((*angles.shape[:-1], 4), angles.dtype)
        q[..., 0] = np.cos(half[..., k])
        q[..., 1 + axis] = np.sin(half[..., k])
        product = q if product is None else multiply(product, q)
    assert product is not None
    return product


def to_euler(q: ArrayLike, order: str) -> Array:
    """Radians for any of the twelve orders; at gimbal lock the third angle is zero.

    Works on the quaternion itself: two half-angle sums and differences, after Bernardes and Viollet 2022.
    """
    q = floating(q)
    dtype = q.dtype
    q = q.astype(np.float64)
    k, j, i = _axes(order)  # turning axes along is the same as fixed axes in reverse
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) / 2
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], q[..., 1 + k] * sign
    a, b, c, d = (w, x, y, z) if proper else (w - y, x + z, y + w, z - x)
    middle = 2 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    # nearer than rounding only the sum (or difference) is defined; any split of it gives the same rotation
    low, high = np.abs(middle) < 1e-12, np.abs(middle - np.pi) < 1e-12
    first = np.where(low, 2 * half_sum, np.where(high, 2 * half_difference, half_sum + half_difference))
    third = np.where(low | high, 0.0, half_sum - half_difference)
    if not proper:
        first = first * sign
        middle = middle - np.pi / 2
    angles = np.stack([first, middle, third], axis=-1)
    angles[..., ::2] = (angles[..., ::2] + np.pi) % (2 * np.pi) - np.pi
    return angles.astype(dtype)
