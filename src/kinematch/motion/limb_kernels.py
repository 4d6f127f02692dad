"""Compiled two-joint inverse kinematics; inverse_kinematics.bend_limb defines what a limb does."""

import math

from kinematch.compile.jit import inner, part
from kinematch.math.kernels import about, add, cross, dot, length, multiply, rotate, scale_vector, subtract
from kinematch.motion.inverse_kinematics import CLEARLY, NARROWEST, SAME_LINE

OPEN = math.cos(NARROWEST)


@inner
def unit(a):
    """As quaternion.unit: a vector without length stays one."""
    size = length(a)
    return scale_vector(a, 1.0 / size if size > 0 else 0.0)


@inner
def to_unit(q):
    """A rotation of length one; none from zero."""
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if size == 0:
        return 1.0, 0.0, 0.0, 0.0
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


@inner
def limit(x, low, high):
    return min(max(x, low), high)


@part
def bend_limb(upper, middle, end, target, hinge):
    """The turns in the world of a limb's upper and middle joint that bring its end to a target, without softness.

    Places of the three joints, the target's, and the hinge in the world: see inverse_kinematics.bend_limb.
    """
    u, v, aim = subtract(middle, upper), subtract(end, middle), subtract(target, upper)
    a, b = length(u), length(v)
    distance = min(length(aim), a + b)

    bend, hinge = cross(u, v), unit(hinge)
    clearly = CLEARLY * a * b
    share = limit(dot(bend, hinge) / (clearly if clearly > 0 else 1.0), 0.0, 1.0)
    axis = add(scale_vector(unit(bend), share), scale_vector(hinge, 1.0 - share))
    axis = unit(axis) if length(axis) > 0 else hinge

    wanted = 0.5 * (distance * distance - a * a - b * b)
    along = dot(v, axis)
    p = subtract(v, scale_vector(axis, along))
    ahead, aside = dot(u, p), dot(u, cross(axis, p))
    size = math.sqrt(ahead * ahead + aside * aside)
    flex = 1.0, 0.0, 0.0, 0.0
    if size > 0:
        cosine = limit((wanted - along * dot(u, axis)) / size, -1.0, 1.0)
        flex = about(axis, math.atan2(aside, ahead) + math.acos(cosine))
    v = rotate(flex, v)

    normal = cross(u, v)
    sine, product, both = length(normal), dot(u, v), a * b
    if both > 0:
        turn = math.acos(limit(wanted / both, -1.0, 1.0)) - math.atan2(sine, product)
        more = about(unit(normal) if sine > 0 else axis, turn)
        flex, v = multiply(more, flex), rotate(more, v)

    swing = turn_between(add(u, v), aim, axis)
    return swing, multiply(swing, flex)


@inner
def limit_fold(upper, middle, end, target, upwards):
    """A target for the end of a limb, moved away from its upper joint until the limb need not fold.

    Folded flat, a joint has no side to which it bends. One that is folded further already stays as it is. `upwards` is
    1 where the target may move up and down too, else 0.
    """
    a, b, aim = length(subtract(middle, upper)), length(subtract(end, middle)), subtract(target, upper)
    nearest = min(math.sqrt(a * a + b * b - 2.0 * OPEN * a * b), length(subtract(end, upper)))
    kept, free = (0.0, (1.0 - upwards) * aim[1], 0.0), (aim[0], upwards * aim[1], aim[2])
    square, wanted = dot(free, free), nearest * nearest - dot(kept, kept)
    if square == 0:
        return target
    return add(add(upper, kept), scale_vector(free, math.sqrt(max(wanted / square, 1.0))))


@inner
def turn_between(a, b, axis):
    """The shortest turn between directions; half a turn about the axis between opposite ones."""
    a, b = unit(a), unit(b)
    w = 1.0 + dot(a, b)
    if w < SAME_LINE:
        x, y, z = subtract(axis, scale_vector(a, dot(axis, a)))
        return to_unit((0.0, x, y, z))
    x, y, z = cross(a, b)
    return to_unit((w, x, y, z))
