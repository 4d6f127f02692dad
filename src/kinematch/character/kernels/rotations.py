"""Rotations in kernels: quaternions (w, x, y, z) and vectors as tuples, which stay in registers."""

import math

from kinematch.compile.jit import inner
from kinematch.compile.lanes import floor, larger, smaller, where_positive, with_sign
from kinematch.math.kernels import cross, dot, scale_vector, subtract

EIGHTH = math.sqrt(2) - 1  # tangent of an eighth of pi
LARGE = 2.5  # square of a half-angle up to which the series below are exact to 1e-10


@inner
def normalize(q):
    scale = 1 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@inner
def nlerp(a, b, t):
    """Between two rotations along the shorter arc."""
    s = t if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0 else -t
    r = 1 - t
    return normalize((a[0] * r + b[0] * s, a[1] * r + b[1] * s, a[2] * r + b[2] * s, a[3] * r + b[3] * s))


@inner
def from_rotation_vector(x, y, z):
    """A rotation from its rotation vector; sin and cos by their series, a third of the time of the library's."""
    t = 0.25 * (x * x + y * y + z * z)  # the half-angle, squared
    if t <= LARGE:
        cosine, s = half_angle(t)
    else:
        half = math.sqrt(t)
        cosine = math.cos(half)
        s = 0.5 * math.sin(half) / half
    return cosine, x * s, y * s, z * s


@inner
def half_angle(t):
    """Cosine of half an angle, and its sine by the angle, from its square; for angles within half a turn."""
    cosine = 1.0 + t * (-1 / 2 + t * (1 / 24 + t * (-1 / 720 + t * (1 / 40320 + t * (
        -1 / 3628800 + t * (1 / 479001600 - t * (1 / 87178291200)))))))  # fmt: skip
    sinc = 1.0 + t * (-1 / 6 + t * (1 / 120 + t * (-1 / 5040 + t * (1 / 362880 + t * (
        -1 / 39916800 + t * (1 / 6227020800 - t * (1 / 1307674368000)))))))  # fmt: skip
    return cosine, 0.5 * sinc


@inner
def to_rotation_vector(q):
    """The rotation vector of the shorter way round."""
    w, x, y, z = q if q[0] >= 0 else (-q[0], -q[1], -q[2], -q[3])
    s = math.sqrt(x * x + y * y + z * z)
    k = 2 * find_yaw(s, w) / s if s > 1e-12 else 2.0  # below, the quotient's limit to all digits
    return x * k, y * k, z * k


@inner
def find_angular_velocity(v, rate):
    """Angular velocity of a rotation whose vector v changes at a rate; see math.rotation."""
    square = dot(v, v)
    part = dot(v, rate) / square if square > 0 else 0.0
    half = 0.5 * math.sqrt(square)
    s = math.sin(half) / half if half > 1e-6 else 1.0  # below, the quotient's limit to all digits
    return add_parts(v, rate, part, s * math.cos(half), 0.5 * s * s)


@inner
def find_vector_rate(v, angular_velocity):
    """The rate at which a rotation's vector v changes; see math.rotation."""
    square = dot(v, v)
    part = dot(v, angular_velocity) / square if square > 0 else 0.0
    half = 0.5 * math.sqrt(square)
    s = math.sin(half) / half if half > 1e-6 else 1.0
    return add_parts(v, angular_velocity, part, math.cos(half) / s, -0.5)


# what follows takes lanes or single numbers


@inner
def add_parts(v, other, part, across, turned):
    """The other's part along v, so many times its part across, and so many times v by that part."""
    along = scale_vector(v, part)
    rest = subtract(other, along)
    x, y, z = cross(v, rest)
    return (
        along[0] + rest[0] * across + x * turned, along[1] + rest[1] * across + y * turned,
        along[2] + rest[2] * across + z * turned,
    )  # fmt: skip


@inner
def wrap_angle(angle):
    """The same angle in [-pi, pi)."""
    return angle - 2 * math.pi * floor(angle / (2 * math.pi) + 0.5)  # a third of the time of a remainder


@inner
def half_angle_sincos(yaw):
    """Cosine and sine of half an angle within [-pi, pi]."""
    cosine, s = half_angle(0.25 * yaw * yaw)
    return cosine, yaw * s


@inner
def rotate_by_wrapped(x, z, yaw):
    """A ground vector rotated about +Y by an angle within [-pi, pi]."""
    w, y = half_angle_sincos(yaw)
    c, s = w * w - y * y, w * y + w * y
    return c * x + s * z, c * z - s * x


@inner
def rotate_about_y(x, z, yaw):
    """A ground vector rotated about +Y."""
    return rotate_by_wrapped(x, z, wrap_angle(yaw))


@inner
def find_yaw(x, z):
    """The angle from +Z to a ground vector, as atan2 to 1e-10, in a third of the time: no branches, no call."""
    wide, deep = larger(x, -x), larger(z, -z)
    small, large = smaller(wide, deep), larger(wide, deep)
    # the arc tangent around an eighth of pi, the middle of what is left, by its series
    t = (small - EIGHTH * large) / (large + EIGHTH * small + 1e-300)
    u = t * t
    angle = math.pi / 8 + t * (1.0 + u * (-1 / 3 + u * (1 / 5 + u * (-1 / 7 + u * (1 / 9 + u * (-1 / 11 + u * (
        1 / 13 + u * (-1 / 15 + u * (1 / 17 + u * (-1 / 19 + u * (1 / 21 - u * (1 / 23))))))))))))  # fmt: skip
    angle = where_positive(wide - deep, math.pi / 2 - angle, angle)
    return with_sign(where_positive(-z, math.pi - angle, angle), x)
