"""Compiled corrections of arms and twist joints in retargeted poses."""

import math

import numpy as np

from kinematch.compile.jit import inner, part
from kinematch.math.kernels import add, dot, inverse, length, multiply, rotate, scale_vector, subtract, write3, write4
from kinematch.motion.limb_kernels import bend_limb, limit, limit_fold, to_unit, turn_between, unit
from kinematch.motion.pose_kernels import fade, read3, read4, turn_joint
from kinematch.motion.retarget.constants import FAR_HANDS, HANDS_TOGETHER, NEAR_HANDS

UNMOVED = 1e-9  # m


@part
def lead_hands(fixes, scale, body, origin, source_places, source_turns, grips):
    _, _, _, places, turns = body
    arms = fixes.arms.shape[0]
    middle, own_middle = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(arms):
        middle = add(middle, scale_vector(read3(source_places, fixes.source_arms[k, 0]), 1.0 / arms))
        own_middle = add(own_middle, scale_vector(read3(places, fixes.arms[k, 0]), 1.0 / arms))
        hand = fixes.source_arms[k, 2]
        grip = add(read3(source_places, hand), rotate(read4(source_turns, hand), read3(fixes.grips[0], k)))
        write3(grips, k, grip)
    weight = 1.0
    if fixes.hands[0] == HANDS_TOGETHER:
        a, b, c = fixes.source_arms[0, 0], fixes.source_arms[0, 1], fixes.source_arms[0, 2]
        upper, lower, hand = read3(source_places, a), read3(source_places, b), read3(source_places, c)
        reach = length(subtract(lower, upper)) + length(subtract(hand, lower))
        apart = length(subtract(read3(grips, 0), read3(grips, arms - 1)))
        weight = fade(apart / reach, NEAR_HANDS, FAR_HANDS)
    for k in range(arms):
        hand = fixes.arms[k, 2]
        goal = scale_vector(read3(grips, k), scale)
        if fixes.hands[0] == HANDS_TOGETHER:
            goal = add(own_middle, scale_vector(subtract(read3(grips, k), middle), fixes.arm_scale[0]))
        wrist = subtract(goal, rotate(read4(turns, hand), read3(fixes.grips[1], k)))
        at = read3(places, hand)
        _bend_arm(fixes, k, body, origin, add(at, scale_vector(subtract(wrist, at), weight)))


@part
def _bend_arm(fixes, k, body, origin, wrist):
    _, _, _, places, turns = body
    upper, lower, hand = fixes.arms[k, 0], fixes.arms[k, 1], fixes.arms[k, 2]
    if length(subtract(wrist, read3(places, hand))) < UNMOVED:
        return
    kept, first, second = read4(turns, hand), read4(turns, upper), read4(turns, lower)
    hinge = rotate(first, read3(fixes.elbows, k))
    shoulder, elbow, end = read3(places, upper), read3(places, lower), read3(places, hand)
    turn, other = bend_limb(shoulder, elbow, end, limit_fold(shoulder, elbow, end, wrist, 1.0), hinge)
    turn_joint(body, origin, upper, to_unit(multiply(turn, first)))
    turn_joint(body, origin, lower, to_unit(multiply(other, second)))
    turn_joint(body, origin, hand, kept)


@part
def clear_arm(fixes, k, scale, floor, body, origin, source_places, source_turns):
    _, _, _, places, turns = body
    upper, lower, hand = fixes.arms[k, 0], fixes.arms[k, 1], fixes.arms[k, 2]
    elbow, wrist = read3(source_places, fixes.source_arms[k, 1]), read3(source_places, fixes.source_arms[k, 2])
    source = source_places, source_turns
    push = _find_push(fixes, source, body, elbow, read3(places, lower), scale)
    if dot(push, push) > 0:
        bone, kept = subtract(read3(places, lower), read3(places, upper)), read4(turns, hand)
        swing = turn_between(bone, add(bone, push), (1.0, 0.0, 0.0))
        turn_joint(body, origin, upper, multiply(swing, read4(turns, upper)))
        turn_joint(body, origin, hand, kept)
    at = read3(places, hand)
    halfway = scale_vector(add(elbow, wrist), 0.5), scale_vector(add(read3(places, lower), at), 0.5)
    push = scale_vector(_find_push(fixes, source, body, halfway[0], halfway[1], scale), 2.0)
    other = _find_push(fixes, source, body, wrist, at, scale)
    if dot(other, other) > dot(push, push):
        push = other
    tip = rotate(read4(source_turns, fixes.source_arms[k, 2]), read3(fixes.tips[0], k))
    own_tip = rotate(read4(turns, hand), read3(fixes.tips[1], k))
    allowed = min(scale * (wrist[1] + min(tip[1], 0.0)) - floor, 0.0)
    lift = max(allowed - (at[1] + min(own_tip[1], 0.0) + push[1] - floor), 0.0)
    _bend_arm(fixes, k, body, origin, add(at, (push[0], push[1] + lift, push[2])))


@part
def _find_push(fixes, source, body, own, point, scale):
    _, _, _, places, turns = body
    gap, _ = _measure_trunk(fixes, 0, source[0], own)
    allowed = min(scale * gap, 0.0)
    gap, way = _measure_trunk(fixes, 1, places, point)
    push = scale_vector(way, max(allowed - gap, 0.0))
    gap, _ = _measure_head(fixes, 0, source[0], source[1], own)
    allowed = min(scale * gap, 0.0)
    gap, way = _measure_head(fixes, 1, places, turns, point)
    return add(push, scale_vector(way, max(allowed - gap, 0.0)))


@inner
def _measure_trunk(fixes, which, places, point):
    """How far a point of an arm is outside of the trunk, and the way out."""
    low, high = read3(places, fixes.trunks[which, 0]), read3(places, fixes.trunks[which, 1])
    axis = subtract(high, low)
    square = dot(axis, axis)
    t = limit(dot(subtract(point, low), axis) / (square if square > 0 else 1.0), 0.0, 1.0)
    away = subtract(point, add(low, scale_vector(axis, t)))
    return length(away) - fixes.trunk_radii[which] - fixes.arm_radii[which], unit(away)


@inner
def _measure_head(fixes, which, places, turns, point):
    head = fixes.trunks[which, 2]
    centre = add(read3(places, head), rotate(read4(turns, head), read3(fixes.head_centres, which)))
    away = subtract(point, centre)
    return length(away) - fixes.head_radii[which] - fixes.arm_radii[which], unit(away)


@part
def share_twist(fixes, body):
    parents, _, local_turns, _, turns = body
    count = fixes.twists.shape[0]
    shared = np.empty((count, 4))
    for k in range(count):
        on, axis = fixes.twists[k, 1], read3(fixes.twist_axes, k)
        relative = multiply(inverse(read4(turns, on)), read4(turns, fixes.twists[k, 2]))
        bend = multiply(relative, inverse(read4(fixes.twist_references, k)))
        along = bend[1] * axis[0] + bend[2] * axis[1] + bend[3] * axis[2]
        half = fixes.twist_shares[k] * math.atan2(-along if bend[0] < 0 else along, abs(bend[0]))
        sine = math.sin(half)
        share = math.cos(half), axis[0] * sine, axis[1] * sine, axis[2] * sine
        write4(shared, k, multiply(multiply(read4(turns, on), share), read4(fixes.twist_rests, k)))
    for k in range(count):  # children keep their turn in the world
        write4(turns, fixes.twists[k, 0], read4(shared, k))
    for joint in range(1, parents.shape[0]):
        for k in range(count):
            twist = fixes.twists[k, 0]
            if joint == twist or parents[joint] == twist:
                local = multiply(inverse(read4(turns, parents[joint])), read4(turns, joint))
                write4(local_turns, joint, local)
                break
