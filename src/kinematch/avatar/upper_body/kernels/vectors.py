"""Vectors and rotations that the upper body alone needs; those of all kernels are in math.kernels."""

import math

from kinematch.compile.jit import inner
from kinematch.math.kernels import cross, dot, inverse, length, multiply, scale_vector, subtract


@inner
def blend(a, b, share):
    """From a to b."""
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share


@inner
def unit(a, fallback):
    """Of length one; the fallback for vectors too short to have a direction."""
    size = length(a)
    return scale_vector(a, 1 / size) if size > 1e-9 else fallback


@inner
def reject(a, axis):
    """The part of a at right angles to a unit axis."""
    return subtract(a, scale_vector(axis, dot(a, axis)))


@inner
def level(a):
    """Along the ground."""
    return a[0], 0.0, a[2]


@inner
def normalize(q):
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    by = 1 / size if size > 0 else 1.0
    return q[0] * by, q[1] * by, q[2] * by, q[3] * by


@inner
def from_vector(v):
    """A rotation from its rotation vector."""
    angle = length(v)
    s = math.sin(angle / 2) / angle if angle > 1e-9 else 0.5
    return math.cos(angle / 2), v[0] * s, v[1] * s, v[2] * s


@inner
def to_vector(q):
    """The rotation vector of the shorter way round."""
    sign = 1.0 if q[0] >= 0 else -1.0
    size = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    by = sign * 2 * math.atan2(size, abs(q[0])) / size if size > 1e-9 else sign * 2.0
    return q[1] * by, q[2] * by, q[3] * by


@inner
def slerp(a, b, share):
    return multiply(a, from_vector(scale_vector(to_vector(multiply(inverse(a), b)), share)))


@inner
def twist_angle(q, axis):
    """The angle of a rotation about a unit axis, within half a turn."""
    angle = 2 * math.atan2(q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2], q[0])
    return wrap(angle)


@inner
def wrap(angle):
    """Within half a turn."""
    return angle - 2 * math.pi * math.floor(angle / (2 * math.pi) + 0.5)


@inner
def smoothstep(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


@inner
def soften(x, limit):
    """x up to half of a limit, then ever more slowly up to the limit."""
    half = limit / 2
    over = abs(x) - half
    if over <= 0:
        return x
    return math.copysign(half + half * math.tanh(over / half), x)  # its curvature begins with zero


@inner
def ramp(x, width):
    """Zero up to zero, then nearly x - width, with a bend of about this width between them that begins as a cubic."""
    return x * x * x / (x * x + width * x + width * width / 2) if x > 0 else 0.0


@inner
def turn_frame(axis, normal, new_axis, new_normal):
    """The rotation that takes a unit axis and its unit normal to new ones."""
    third, new_third = cross(axis, normal), cross(new_axis, new_normal)
    xx, xy, xz = _outer(new_axis[0], axis, new_normal[0], normal, new_third[0], third)
    yx, yy, yz = _outer(new_axis[1], axis, new_normal[1], normal, new_third[1], third)
    zx, zy, zz = _outer(new_axis[2], axis, new_normal[2], normal, new_third[2], third)
    # by the largest component of the quaternion, so that half turns lose nothing
    if xx + yy + zz > 0:
        q = 1 + xx + yy + zz, zy - yz, xz - zx, yx - xy
    elif xx > yy and xx > zz:
        q = zy - yz, 1 + xx - yy - zz, yx + xy, zx + xz
    elif yy > zz:
        q = xz - zx, yx + xy, 1 + yy - xx - zz, zy + yz
    else:
        q = yx - xy, zx + xz, zy + yz, 1 + zz - xx - yy
    return normalize(q)


@inner
def _outer(a, u, b, v, c, w):
    return a * u[0] + b * v[0] + c * w[0], a * u[1] + b * v[1] + c * w[1], a * u[2] + b * v[2] + c * w[2]
