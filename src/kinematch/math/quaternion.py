"""Unit quaternions (w, x, y, z): algebra, rotation of vectors, interpolation, signs along time."""

import numpy as np
from numpy.typing import ArrayLike

Array = np.ndarray

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def floating(x: ArrayLike) -> Array:
    """As an array of its own floating type; whole numbers become float64."""
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def identity(shape: tuple[int, ...] = (), dtype: type = np.float64) -> Array:
    """Zero rotations of a batch shape."""
    q: Array = np.zeros((*shape, 4), dtype)
    q[..., 0] = 1
    return q


def length(v: ArrayLike) -> Array:
    """Length along the last axis, kept as an axis of one; exact for tiny and huge values."""
    v = floating(v)
    total = np.abs(v[..., :1])
    for i in range(1, v.shape[-1]):
        total = np.hypot(total, v[..., i : i + 1])
    return total


def unit(v: ArrayLike, fallback: ArrayLike = 0.0) -> Array:
    """Vectors of length one; where the length is zero, the fallback."""
    v = floating(v)
    size = length(v)
    if (size > 0).all():
        return v / size
    safe = np.where(size > 0, size, 1)
    return np.where(size > 0, v / safe, np.asarray(fallback, v.dtype)).astype(v.dtype)


def normalize(q: ArrayLike) -> Array:
    """Quaternions of length one; the zero quaternion becomes the identity."""
    return unit(q, IDENTITY)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The rotation that applies b first, then a (thesis eq. 2.1)."""
    a, b = floating(a), floating(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out: Array = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: ArrayLike) -> Array:
    """The opposite rotation; q is taken to be of unit length (thesis eq. 2.2)."""
    q = floating(q)
    return q * np.array([1, -1, -1, -1], q.dtype)


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors turned by quaternions (thesis eq. 2.3)."""
    q, v = floating(q), floating(v)
    axis = q[..., 1:]
    t = 2 * cross(axis, v)
    return v + q[..., :1] * t + cross(axis, t)


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """Cross products of vectors (..., 3); np.cross takes four times as long on short arrays."""
    a, b = floating(a), floating(b)
    out: Array = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def dot(a: ArrayLike, b: ArrayLike) -> Array:
    return np.sum(floating(a) * floating(b), axis=-1)


def angle(a: ArrayLike, b: ArrayLike | None = None) -> Array:
    """The angle of a rotation, or between two, in [0, pi]; accurate at both ends."""
    q = floating(a) if b is None else multiply(inverse(b), a)
    return 2 * np.arctan2(length(q[..., 1:])[..., 0], np.abs(q[..., 0]))


def nearest(q: ArrayLike, reference: ArrayLike) -> Array:
    """q or -q, whichever lies on the reference's side; they are the same rotation."""
    q = floating(q)
    return np.where(dot(q, reference)[..., None] < 0, -q, q)


def unroll(q: ArrayLike, axis: int = 0) -> Array:
    """Signs chosen so that consecutive quaternions along the axis lie on one side."""
    q = np.moveaxis(floating(q), axis, 0)
    flips = np.where(dot(q[1:], q[:-1]) < 0, -1, 1)
    signs = np.concatenate([np.ones_like(flips[:1]) if len(flips) else np.ones(q.shape[:-1], int)[:1], flips])
    return np.moveaxis(q * np.cumprod(signs, axis=0)[..., None].astype(q.dtype), 0, axis)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Constant-speed interpolation along the shorter arc."""
    from kinematch.math.rotation import from_rotation_vector, to_rotation_vector

    a = floating(a)
    step = to_rotation_vector(multiply(inverse(a), b))
    return multiply(a, from_rotation_vector(step * np.asarray(t, step.dtype)[..., None]))


def between(u: ArrayLike, v: ArrayLike) -> Array:
    """The shortest rotation from direction u to direction v; for opposite ones, half a turn about some normal."""
    u, v = unit(u), unit(v)
    half = unit(u + v)
    # for opposite directions the half vector vanishes: any normal of u will do
    helper = np.eye(3, dtype=u.dtype)[np.argmin(np.abs(u), axis=-1)]
    normal = unit(cross(u, helper))
    opposite = np.sum(u * v, axis=-1, keepdims=True) < -1 + 4 * np.finfo(u.dtype).eps
    half = np.where(opposite, normal, half)
    return normalize(np.concatenate([np.sum(u * half, axis=-1, keepdims=True), cross(u, half)], axis=-1))


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Split q into swing * twist, the twist being about the axis; a half-turn swing has no twist."""
    q = floating(q)
    axis = unit(np.asarray(axis, q.dtype))
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    twist = normalize(np.concatenate([q[..., :1], along * axis], axis=-1))
    return multiply(q, inverse(twist)), twist


def look_rotation(forward: ArrayLike, up: ArrayLike = (0.0, 1.0, 0.0)) -> Array:
    """Turns +Z to forward and +Y as near to up as it can (thesis eq. 2.7, with the cross product put right)."""
    from kinematch.math.rotation import from_matrix

    z = unit(forward)
    up = np.broadcast_to(unit(np.asarray(up, z.dtype)), z.shape)
    side = cross(up, z)
    # forward along up: the side is free, so take the one nearest to +X
    helper = np.where(np.abs(z[..., :1]) > 0.9, np.array([0, 0, -1], z.dtype), np.array([1, 0, 0], z.dtype))
    free = unit(helper - z * np.sum(helper * z, axis=-1, keepdims=True))
    x = np.where(length(side) > 1e-6, unit(side), free)  # below, rounding alone decides the side
    return from_matrix(np.stack([x, cross(z, x), z], axis=-1))
