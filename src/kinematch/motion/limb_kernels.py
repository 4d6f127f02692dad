"""Compiled vectors and two-joint inverse kinematics; inverse_kinematics.bend_limb defines what a limb does."""

import math

from kinematch.compile.jit import inner, part
from kinematch.motion.inverse_kinematics import CLEARLY, NARROWEST, SAME_LINE
from kinematch.motion.retarget_kernels import multiply, rotate

OPEN = math.cos(NARROWEST)


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
def stretch(a, by):
    return a[0] * by, a[1] * by, a[2] * by


@inner
def size(a):
    return math.sqrt(dot(a, a))


@inner
def unit(a):
    """As quaternion.unit: a vector without length stays one."""
    length = size(a)
    return stretch(a, 1.0 / length if length > 0 else 0.0)


@inner
def invert(q):
    return q[0], -q[1], -q[2], -q[3]


@inner
def to_unit(q):
    """A rotation of length one; none from zero."""
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if length == 0:
        return 1.0, 0.0, 0.0, 0.0
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


@inner
def about(axis, angle):
    s = math.sin(0.5 * angle)
    return math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s


@inner
def limit(x, low, high):
    return min(max(x, low), high)


@part
def bend_limb(upper, middle, end, target, hinge):
    """The turns in the world of a limb's upper and middle joint that bring its end to a target, without softness.

    Places of the three joints, the target's, and the hinge in the world: see inverse_kinematics.bend_limb.
    """
    u, v, aim = subtract(middle, upper), subtract(end, middle), subtract(target, upper)
    a, b = size(u), size(v)
    distance = min(size(aim), a + b)

    bend, hinge = cross(u, v), unit(hinge)
    clearly = CLEARLY * a * b
    share = limit(dot(bend, hinge) / (clearly if clearly > 0 else 1.0), 0.0, 1.0)
    axis = add(stretch(unit(bend), share), stretch(hinge, 1.0 - share))
    axis = unit(axis) if size(axis) > 0 else hinge

    wanted = 0.5 * (distance * distance - a * a - b * b)
    along = dot(v, axis)
    p = subtract(v, stretch(axis, along))
    ahead, aside = dot(u, p), dot(u, cross(axis, p))
    length = math.sqrt(ahead * ahead + aside * aside)
    flex = 1.0, 0.0, 0.0, 0.0
    if length > 0:
        cosine = limit((wanted - along * dot(u, axis)) / length, -1.0, 1.0)
        flex = about(axis, math.atan2(aside, ahead) + math.acos(cosine))
    v = rotate(flex, v)

    normal = cross(u, v)
    sine, product, both = size(normal), dot(u, v), a * b
    if both > 0:
        turn = math.acos(limit(wanted / both, -1.0, 1.0)) - math.atan2(sine, product)
        more = about(unit(normal) if sine > 0 else axis, turn)
        flex, v = multiply(more, flex), rotate(more, v)

    swing = turn_between(add(u, v), aim, axis)
    return swing, multiply(swing, flex)


@inner
def limit_fold(upper, middle, end, target, upwards):
    """As inverse_kinematics.limit_fold; `upwards` is 1 where targets may move up and down too, else 0."""
    a, b, aim = size(subtract(middle, upper)), size(subtract(end, middle)), subtract(target, upper)
    nearest = min(math.sqrt(a * a + b * b - 2.0 * OPEN * a * b), size(subtract(end, upper)))
    kept, free = (0.0, (1.0 - upwards) * aim[1], 0.0), (aim[0], upwards * aim[1], aim[2])
    square, wanted = dot(free, free), nearest * nearest - dot(kept, kept)
    if square == 0:
        return target
    return add(add(upper, kept), stretch(free, math.sqrt(max(wanted / square, 1.0))))


@inner
def turn_between(a, b, axis):
    """The shortest turn between directions; half a turn about the axis between opposite ones."""
    a, b = unit(a), unit(b)
    w = 1.0 + dot(a, b)
    if w < SAME_LINE:
        x, y, z = subtract(axis, stretch(a, dot(axis, a)))
        return to_unit((0.0, x, y, z))
    x, y, z = cross(a, b)
    return to_unit((w, x, y, z))
