"""Rotations of eight joints or characters at once, in float32: by series, without branches."""

import math

import numpy as np

from kinematch.character.kernels.rotations import add_parts
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, root, smaller, splat, where_positive, with_sign
from kinematch.math.kernels import dot

QUARTER, HALF, ONE, TWO = np.float32(0.25), np.float32(0.5), np.float32(1), np.float32(2)
# the series of the cosine and of half of sin(x) / x, in squares of x: to the last digit of float32 for any offset
COS0, COS1, COS2, COS3, COS4, COS5, COS6 = (np.float32((-1) ** k / math.factorial(2 * k)) for k in range(7))
SINC0, SINC1, SINC2, SINC3, SINC4, SINC5, SINC6 = (
    np.float32((-1) ** k / math.factorial(2 * k + 1) / 2) for k in range(7)
)
TAN0, TAN1, TAN2, TAN3, TAN4, TAN5, TAN6, TAN7 = (np.float32((-1) ** k / (2 * k + 1)) for k in range(8))
ARC, RIGHT_ANGLE = np.float32(math.pi / 8), np.float32(math.pi / 2)
EIGHTH = np.float32(math.sqrt(2) - 1)  # tangent of an eighth of pi
SMALL_ANGLE = np.float32(1e-6)  # rad, below which half-angles and their sines are one
SMALL_SQUARE = np.float32(1e-20)  # rad^2, below which along and across are one


@inner
def lerp(a, b, t):
    """Between two rotations along the shorter arcs, shorter than one."""
    t = np.float32(t)
    r = ONE - t
    s = with_sign(splat(t), a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
    return a[0] * r + b[0] * s, a[1] * r + b[1] * s, a[2] * r + b[2] * s, a[3] * r + b[3] * s


@inner
def nlerp(a, b, t):
    w, x, y, z = lerp(a, b, t)
    scale = inverse_root(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


@inner
def from_rotation_vector(x, y, z):
    cosine, s = half_angle(QUARTER * (x * x + y * y + z * z))
    return cosine, x * s, y * s, z * s


@inner
def half_angle(t):
    """Cosine of half an angle, and its sine by the angle, from the half-angle's square."""
    return (
        COS0 + t * (COS1 + t * (COS2 + t * (COS3 + t * (COS4 + t * (COS5 + t * COS6))))),
        SINC0 + t * (SINC1 + t * (SINC2 + t * (SINC3 + t * (SINC4 + t * (SINC5 + t * SINC6))))),
    )


@inner
def find_angular_velocity(v, rate):
    """Angular velocity of a rotation whose vector v changes at a rate; see math.rotation."""
    square = dot(v, v)
    cosine, s = half_angle(QUARTER * square)
    part = dot(v, rate) / larger(square, splat(SMALL_SQUARE))
    return add_parts(v, rate, part, TWO * s * cosine, TWO * s * s)


@inner
def find_vector_rate(v, angular_velocity):
    """The rate at which a rotation's vector v changes; see math.rotation."""
    square = dot(v, v)
    cosine, s = half_angle(QUARTER * square)
    part = dot(v, angular_velocity) / larger(square, splat(SMALL_SQUARE))
    return add_parts(v, angular_velocity, part, cosine / (TWO * s), -HALF)


@inner
def to_rotation_vector(q):
    """Of the shorter way round; half-angles as rotations.find_yaw."""
    sign = with_sign(splat(ONE), q[0])
    w, x, y, z = q[0] * sign, q[1] * sign, q[2] * sign, q[3] * sign
    size = root(x * x + y * y + z * z)
    small, large = smaller(size, w), larger(size, w)
    t = (small - EIGHTH * large) / (large + EIGHTH * small)
    u = t * t
    angle = ARC + t * (TAN0 + u * (TAN1 + u * (TAN2 + u * (TAN3 + u * (TAN4 + u * (TAN5 + u * (TAN6 + u * TAN7)))))))
    angle = where_positive(size - w, RIGHT_ANGLE - angle, angle)
    k = where_positive(size - SMALL_ANGLE, (angle + angle) / larger(size, splat(SMALL_ANGLE)), splat(TWO))
    return x * k, y * k, z * k
