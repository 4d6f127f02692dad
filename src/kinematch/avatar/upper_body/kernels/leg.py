"""Legs: thigh and shin, so that the ankle stays where it is while the pelvis moves."""

import math

from kinematch.avatar.upper_body.kernels import constants as c
from kinematch.avatar.upper_body.kernels.arm import find_bone, limit_reach, swing_pole
from kinematch.avatar.upper_body.kernels.vectors import from_vector, reject, smoothstep, turn_frame, unit
from kinematch.compile.jit import inner, part
from kinematch.math.kernels import (
    add,
    cross,
    inverse,
    length,
    multiply,
    read3,
    read4,
    rotate,
    scale_vector,
    subtract,
    write4,
)

UP, DOWN, FORWARD = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)


@part
def bend_leg(plan, body, side, hip, ankle, ankle_turn, knee, dt, halflife):
    """Turn thigh, shin and foot so that the ankle is at its target, the knee on the side where the animation has it.

    The more a leg is folded, the less its animation says: the knee goes forward and up then, and swings there from
    where it was, in `halflife` s. `knee` (3,) remembers that in the pelvis' axes.
    """
    upper, lower, foot = plan.legs[side, 0], plan.legs[side, 1], plan.legs[side, 2]
    first, second = find_bone(plan, body.bones, upper, lower), find_bone(plan, body.bones, lower, foot)
    a, b = length(first), length(second)
    thigh, shin = rotate(read4(body.animated, upper), first), rotate(read4(body.animated, lower), second)
    reach = add(thigh, shin)
    axis = unit(reach, DOWN)
    # the new leg, relative to the pelvis as the animated one is to its own
    turn = multiply(read4(body.turns, plan.trunk[0]), inverse(read4(body.animated, plan.trunk[0])))
    away = subtract(ankle, hip)
    start = max(c.SOFT_LEG * (a + b), min(length(reach), 0.999 * (a + b)))
    far = limit_reach(length(away), abs(a - b), a + b, start)
    new_axis = unit(away, DOWN)
    pole = _find_pole(thigh, axis, rotate(read4(body.animated, upper), FORWARD), a + b)
    pelvis = read4(body.turns, plan.trunk[0])
    fold = 1 - smoothstep((far / (a + b) - c.FOLDED) / (c.UNFOLDED - c.FOLDED))
    wanted = add(rotate(turn, pole), scale_vector(add(rotate(pelvis, FORWARD), UP), fold))
    wanted = unit(reject(wanted, new_axis), unit(reject(UP, new_axis), rotate(pelvis, FORWARD)))
    new_pole = swing_pole(pelvis, new_axis, wanted, knee, dt, fold * halflife)
    along = (far * far + a * a - b * b) / (2 * far)
    radius = math.sqrt(max(a * a - along * along, 0.0))
    new_thigh = add(scale_vector(new_axis, along), scale_vector(new_pole, radius))
    new_shin = subtract(scale_vector(new_axis, far), new_thigh)
    normal, new_normal = cross(pole, axis), cross(new_pole, new_axis)
    write4(body.turns, upper, multiply(_turn_bone(thigh, normal, new_thigh, new_normal), read4(body.animated, upper)))
    write4(body.turns, lower, multiply(_turn_bone(shin, normal, new_shin, new_normal), read4(body.animated, lower)))
    write4(body.turns, foot, ankle_turn)


@part
def raise_heel(plan, body, side, hip, ankle, turn):
    """A leg that is nearly straight raises its heel over the toes instead; where the ankle is then, and its turn."""
    upper, lower, foot = plan.legs[side, 0], plan.legs[side, 1], plan.legs[side, 2]
    longest = length(find_bone(plan, body.bones, upper, lower)) + length(find_bone(plan, body.bones, lower, foot))
    sole = rotate(turn, find_bone(plan, body.bones, foot, plan.toes[side]))
    toes, far = add(ankle, sole), length(subtract(ankle, hip))
    goal = limit_reach(far, 0.0, longest, c.HEEL_FROM * longest)
    away, size = subtract(hip, toes), length(sole)
    if goal >= far or length(away) < size or size < 1e-6:
        return ankle, turn
    # about the axis across foot and leg, so that toes, ankle and hip stay in one plane: the law of cosines
    axis = unit(cross(sole, away), rotate(turn, (1.0, 0.0, 0.0)))
    rise = c.HEEL_RISE * math.tanh((_find_angle(away, size, far) - _find_angle(away, size, goal)) / c.HEEL_RISE)
    raised = from_vector(scale_vector(axis, -rise))
    return subtract(toes, rotate(raised, sole)), multiply(raised, turn)


@inner
def _find_angle(away, size, far):
    """Angle at the toes between hip and ankle, by the foot's length and the distance from ankle to hip."""
    long = length(away)
    return math.acos(min(max((long * long + size * size - far * far) / (2 * long * size), -1.0), 1.0))


@inner
def _find_pole(thigh, axis, ahead, longest):
    """The side of the hip-ankle line on which the knee is; for a straight leg, in front of it."""
    return unit(reject(add(thigh, scale_vector(ahead, c.KNEE_AHEAD * longest)), axis), ahead)


@inner
def _turn_bone(bone, normal, new_bone, new_normal):
    along, new_along = unit(bone, DOWN), unit(new_bone, DOWN)
    return turn_frame(
        along, unit(reject(normal, along), FORWARD), new_along, unit(reject(new_normal, new_along), FORWARD)
    )


@inner
def find_hip(plan, body, side):
    """Where the thigh begins: the joints between it and the pelvis keep their animated angles."""
    joint, hips = plan.legs[side, 0], plan.trunk[0]
    turn = multiply(read4(body.turns, hips), inverse(read4(body.animated, hips)))
    vector = (0.0, 0.0, 0.0)
    while joint != hips:
        parent = plan.parents[joint]
        vector = add(vector, rotate(read4(body.animated, parent), read3(body.bones, joint)))
        joint = parent
    return add(read3(body.pelvis, 0), rotate(turn, vector))
