"""Angles, rotation vectors and exponentials by their series, for numbers and lanes: no branches, no calls.

Sines and cosines are exact to 1e-10 for offsets up to half a turn and to 1e-7 up to three quarters, arc tangents
everywhere; a third of the time that the library's functions take.
"""

import math

from kinematch.compile.jit import inner
from kinematch.compile.lanes import floor, inverse_root, larger, root, smaller, where, with_sign
from kinematch.math.vectors import Quaternion, Vector, cross, dot, length

TAN_EIGHTH_PI = math.sqrt(2) - 1  # tangent of an eighth of pi
MIN_GROUND_LENGTH = 1e-30  # of a ground vector that has no direction
LINEAR_SINE = 1e-12  # below it an angle equals its sine to all digits
MIN_SQUARE = 1e-18  # of a cosine, below which it is none
MIN_SQUARED_ANGLE = 1e-20  # rad^2, below which along and across are one


@inner
def half_angle(t):
    """Cosine of half an angle, and its sine divided by the angle, from the square of half the angle."""
    cosine = 1.0 + t * (-1 / 2 + t * (1 / 24 + t * (-1 / 720 + t * (1 / 40320 + t * (
        -1 / 3628800 + t * (1 / 479001600 - t * (1 / 87178291200)))))))  # fmt: skip
    sinc = 1.0 + t * (-1 / 6 + t * (1 / 120 + t * (-1 / 5040 + t * (1 / 362880 + t * (
        -1 / 39916800 + t * (1 / 6227020800 - t * (1 / 1307674368000)))))))  # fmt: skip
    return cosine, 0.5 * sinc


@inner
def from_rotation_vector(v):
    """As rotation.from_rotation_vector."""
    cosine, sine = half_angle(0.25 * dot(v, v))
    return Quaternion(cosine, v.x * sine, v.y * sine, v.z * sine)


@inner
def to_rotation_vector(q):
    """The rotation vector of the shorter way round."""
    v = Vector(q.x, q.y, q.z)
    sine = length(v)
    angle = find_yaw(sine, larger(q.w, -q.w))
    return v * with_sign(where(sine > LINEAR_SINE, 2.0 * angle / larger(sine, LINEAR_SINE), 2.0), q.w)


@inner
def find_angular_velocity(v, rate):
    """Angular velocity of a rotation whose vector v changes at a rate; see math.rotation."""
    cosine, sine = half_angle(0.25 * dot(v, v))
    return add_parts(v, rate, 2.0 * sine * cosine, 2.0 * sine * sine)


@inner
def find_vector_rate(v, angular_velocity):
    """The rate at which a rotation's vector v changes; see math.rotation."""
    cosine, sine = half_angle(0.25 * dot(v, v))
    return add_parts(v, angular_velocity, 0.5 * cosine / sine, -0.5)


@inner
def add_parts(v, other, across, turned):
    """The part of the other along v, plus multiples of its part across and of the cross product of v and that part."""
    square = dot(v, v)
    along = v * where(square > MIN_SQUARED_ANGLE, dot(v, other) / larger(square, MIN_SQUARED_ANGLE), 0.0)
    rest = other - along
    return along + rest * across + cross(v, rest) * turned


@inner
def nlerp(a, b, t):
    """Between two rotations along the shorter arc."""
    s = with_sign(t, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z)
    r = 1.0 - t
    w, x, y, z = a.w * r + b.w * s, a.x * r + b.x * s, a.y * r + b.y * s, a.z * r + b.z * s
    scale = inverse_root(w * w + x * x + y * y + z * z)
    return Quaternion(w * scale, x * scale, y * scale, z * scale)


@inner
def wrap_angle(angle):
    """The same angle in [-pi, pi)."""
    return angle - 2 * math.pi * floor(angle * (0.5 / math.pi) + 0.5)  # a third of the time of a remainder


@inner
def half_angle_sincos(yaw):
    """Cosine and sine of half an angle within [-pi, pi]."""
    cosine, sine = half_angle(0.25 * yaw * yaw)
    return cosine, yaw * sine


@inner
def rotate_about_y(x, z, yaw):
    """A ground vector rotated about +Y."""
    w, y = half_angle_sincos(wrap_angle(yaw))
    c, s = w * w - y * y, w * y + w * y
    return c * x + s * z, c * z - s * x


@inner
def find_yaw(x, z):
    """The angle from +Z to a ground vector."""
    wide, deep = larger(x, -x), larger(z, -z)
    small, large = smaller(wide, deep), larger(wide, deep)
    # the arc tangent around an eighth of pi, the middle of what is left
    t = (small - TAN_EIGHTH_PI * large) / (large + TAN_EIGHTH_PI * small + MIN_GROUND_LENGTH)
    u = t * t
    angle = math.pi / 8 + t * (1.0 + u * (-1 / 3 + u * (1 / 5 + u * (-1 / 7 + u * (1 / 9 + u * (-1 / 11 + u * (
        1 / 13 + u * (-1 / 15 + u * (1 / 17 + u * (-1 / 19 + u * (1 / 21 - u * (1 / 23))))))))))))  # fmt: skip
    angle = where(wide > deep, math.pi / 2 - angle, angle)
    return with_sign(where(z < 0.0, math.pi - angle, angle), x)


@inner
def exp_negative(x):
    """exp(-x) for x >= 0: to all digits but a few where x is small, and smooth everywhere."""
    u = 0.125 * x
    series = 1.0 + u * (1.0 + u * (1 / 2) * (1.0 + u * (1 / 3) * (1.0 + u * (1 / 4) * (1.0 + u * (1 / 5) * (
        1.0 + u * (1 / 6) * (1.0 + u * (1 / 7) * (1.0 + u * (1 / 8))))))))  # fmt: skip
    square = series * series
    square = square * square
    return 1.0 / (square * square)


@inner
def find_rotation_between(a, b):
    """The shortest rotation that takes the direction of a to that of b; none between opposite ones."""
    c, size = cross(a, b), root(dot(a, a) * dot(b, b))
    w = size + dot(a, b)
    square = w * w + dot(c, c)
    scale = inverse_root(larger(square, 1e-18))
    some = square > 1e-12 * size * size  # of unit vectors' sum; none of vectors without a length
    return Quaternion(
        where(some, w * scale, 1.0), where(some, c.x * scale, 0.0), where(some, c.y * scale, 0.0),
        where(some, c.z * scale, 0.0),
    )  # fmt: skip


@inner
def turn_by_sum(axis, cos_a, sin_a, cos_b):
    """The rotation about an axis by the sum of two angles, the second from 0 to pi."""
    sin_b = root(1.0 - cos_b * cos_b)
    square = larger(0.5 + 0.5 * (cos_a * cos_b - sin_a * sin_b), MIN_SQUARE)
    sine = 0.5 * (sin_a * cos_b + cos_a * sin_b) * inverse_root(square)
    return Quaternion(root(square), axis.x * sine, axis.y * sine, axis.z * sine)
