"""Vectors and quaternions (w, x, y, z) for kernels: tuples, which stay in registers, of numbers or (most) of lanes."""

import math

from kinematch.compile.jit import inner


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def scale_vector(a, by):
    return a[0] * by, a[1] * by, a[2] * by


@inner
def length(a):
    return math.sqrt(dot(a, a))


@inner
def multiply(a, b):
    """As quaternion.multiply: b first, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@inner
def inverse(q):
    """As quaternion.inverse, of a rotation."""
    return q[0], -q[1], -q[2], -q[3]


@inner
def rotate(q, v):
    """As quaternion.rotate."""
    w, x, y, z = q
    tx, ty, tz = y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]
    tx, ty, tz = tx + tx, ty + ty, tz + tz  # 2 * would turn float32 into float64
    return v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx


@inner
def about(axis, angle):
    """The rotation by an angle about a unit axis."""
    s = math.sin(0.5 * angle)
    return math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s


@inner
def read3(rows, j):
    return rows[j, 0], rows[j, 1], rows[j, 2]


@inner
def read4(rows, j):
    return rows[j, 0], rows[j, 1], rows[j, 2], rows[j, 3]


@inner
def write3(rows, j, v):
    rows[j, 0], rows[j, 1], rows[j, 2] = v[0], v[1], v[2]


@inner
def write4(rows, j, q):
    rows[j, 0], rows[j, 1], rows[j, 2], rows[j, 3] = q[0], q[1], q[2], q[3]
