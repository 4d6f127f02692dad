"""Whole bodies: trunk, then arms, then legs, from the animated pose and the trackers."""

import math
from collections import namedtuple

import numpy as np

from kinematch.avatar.trackers import CHEST, HEAD, LEFT_FOOT, LEFT_HAND, RIGHT_HAND, WAIST
from kinematch.avatar.upper_body.kernels import constants as c
from kinematch.avatar.upper_body.kernels.arm import bend_arm, find_bone, raise_collar
from kinematch.avatar.upper_body.kernels.fingers import bend_fingers
from kinematch.avatar.upper_body.kernels.leg import bend_leg, find_hip, raise_heel
from kinematch.avatar.upper_body.kernels.trunk import (
    aim_trunk,
    bend_trunk,
    find_chest,
    find_chest_yaw,
    find_head_offset,
    find_posture,
    find_pull,
)
from kinematch.avatar.upper_body.kernels.vectors import blend, normalize, slerp
from kinematch.compile.jit import inner, kernel, part
from kinematch.math.kernels import (
    add,
    inverse,
    length,
    multiply,
    read3,
    read4,
    rotate,
    scale_vector,
    subtract,
    write3,
    write4,
)

# the pose that is solved, as turns since the T-pose
Body = namedtuple("Body", "animated turns bones places pelvis arm_length lean knee")
# where tracked points should be, animated ones where nothing is tracked; shares are 0 to 1
Aims = namedtuple(
    "Aims",
    "head head_turn neck_turn waist waist_turn waist_share chest_turn chest_share left right left_share right_share",
)


@kernel
def solve_bodies(plan, pose, tracked, memory, leans, dt):
    """Write the local rotations of `plan.changed` and the place of the hips of all N characters into a pose."""
    body = _make_body(plan.parents.shape[0])
    for n in range(pose.rotations.shape[0]):
        shares = tracked.shares[n]
        if not _read_body(plan, body, pose, n) or shares.max() <= 0:
            memory.yaws[n] = np.nan
            continue
        aims = _find_aims(plan, body, tracked, memory, n, dt)
        carried = _solve_trunk(plan, body, aims, memory, n, dt)
        _keep_angles(plan, body)
        chest = find_chest(plan, body)
        for side in range(2):
            if plan.arms[side, 1] >= 0:
                _solve_arm(plan, body, tracked, memory, n, side, chest, dt)
        write3(memory.pelvises, n, read3(body.pelvis, 0))
        # feet are planted by legs that are as animated; `solve_legs` puts the pelvis where it belongs afterwards
        write3(body.pelvis, 0, add(read3(body.places, plan.trunk[0]), carried))
        for side in range(2):
            if plan.legs[side, 0] >= 0:
                _keep_leg(plan, body, side, carried)
        _write_body(plan, body, pose, n)
        bend_fingers(plan, body, pose, tracked, memory, n)
        leans[n] = body.lean[0]


@kernel
def solve_legs(plan, pose, tracked, memory, dt):
    """After the feet are planted: put each pelvis below its head, and tracked feet where they are tracked."""
    body = _make_body(plan.parents.shape[0])
    for n in range(pose.rotations.shape[0]):
        if math.isnan(memory.yaws[n]) or not _read_body(plan, body, pose, n):
            continue
        write3(body.pelvis, 0, read3(memory.pelvises, n))
        for side in range(2):
            if plan.legs[side, 0] >= 0:
                _solve_leg(plan, body, tracked, memory, n, side, dt)
        _write_body(plan, body, pose, n)


@part
def _make_body(joints):
    return Body(
        np.empty((joints, 4)), np.empty((joints, 4)), np.empty((joints, 3)), np.empty((joints, 3)), np.empty((1, 3)),
        np.empty(1), np.zeros(1), np.zeros(3),
    )  # fmt: skip


@part
def _read_body(plan, body, pose, n):
    """Turns since the T-pose, bones in its axes and places of a character; whether all of them are finite."""
    total = 0.0
    for j in range(plan.parents.shape[0]):
        p = plan.parents[j]
        turn = multiply(read4(pose.global_rotations[n], j), inverse(read4(plan.references, j)))
        write4(body.animated, j, turn)
        write4(body.turns, j, turn)
        write3(body.places, j, read3(pose.global_positions[n], j))
        total += turn[0] + body.places[j, 0] + body.places[j, 1] + body.places[j, 2]
        if p >= 0:
            write3(body.bones, j, rotate(read4(plan.references, p), read3(pose.positions[n], j)))
    reach, arms = 0.0, 0
    for side in range(2):
        if plan.arms[side, 1] >= 0:
            reach, arms = reach + _measure_arm(plan, body, side), arms + 1
    body.arm_length[0] = reach / max(arms, 1)
    return math.isfinite(total)


@inner
def _measure_arm(plan, body, side):
    upper, lower, hand = plan.arms[side, 1], plan.arms[side, 2], plan.arms[side, 3]
    return length(find_bone(plan, body.bones, upper, lower)) + length(find_bone(plan, body.bones, lower, hand))


@part
def _find_aims(plan, body, tracked, memory, n, dt):
    trunk = plan.trunk
    chest, head = trunk[plan.chest[0]], trunk[trunk.shape[0] - 1]
    places, turns, shares = tracked.positions[n], tracked.rotations[n], tracked.shares[n]
    turn = slerp(read4(body.animated, head), read4(turns, HEAD), shares[HEAD])
    return Aims(
        blend(read3(body.places, head), read3(places, HEAD), shares[HEAD]), turn,
        _smooth_neck(read4(body.animated, trunk[0]), turn, memory, n, dt),
        read3(places, WAIST), read4(turns, WAIST), shares[WAIST],
        read4(turns, CHEST) if shares[CHEST] > 0 else read4(body.animated, chest), shares[CHEST],
        read3(places, LEFT_HAND), read3(places, RIGHT_HAND), shares[LEFT_HAND], shares[RIGHT_HAND],
    )  # fmt: skip


@inner
def _smooth_neck(pelvis, turn, memory, n, dt):
    """The turn of the head that the neck follows, smoothed against the pelvis."""
    local = multiply(inverse(pelvis), turn)
    if not math.isnan(memory.yaws[n]):
        local = slerp(local, read4(memory.necks, n), 2.0 ** (-dt / c.NECK_HALFLIFE))
    write4(memory.necks, n, local)
    return multiply(pelvis, local)


@part
def _solve_trunk(plan, body, aims, memory, n, dt):
    yaw, posture = find_chest_yaw(plan, body, aims), find_posture(plan, body, aims)
    follow = scale_vector(find_head_offset(plan, body, aims), c.FOLLOW_SHARE)
    begun = not math.isnan(memory.yaws[n])
    kept = 2.0 ** (-dt / c.FOLLOW_HALFLIFE) if begun else 0.0
    if begun:
        yaw += (memory.yaws[n] - yaw) * 2.0 ** (-dt / c.CHEST_HALFLIFE)
    memory.yaws[n] = yaw
    follow, posture = _smooth(follow, memory.follows, n, kept), _smooth(posture, memory.postures, n, kept)
    upright, lean, correction, posture = aim_trunk(plan, body, aims, follow, posture)
    kept = 2.0 ** (-dt / c.LEAN_HALFLIFE) if begun else 0.0
    upright, lean = _smooth(upright, memory.uprights, n, kept), add(lean, _smooth(correction, memory.leans, n, kept))
    carried = bend_trunk(plan, body, aims, (0.0, 0.0, 0.0), yaw, upright, lean, posture)
    # hands out of reach pull the chest along
    pull = (0.0, 0.0, 0.0)
    _keep_angles(plan, body)
    chest = find_chest(plan, body)
    for side in range(2):
        share = aims.left_share if side == 0 else aims.right_share
        if share > 0 and plan.arms[side, 1] >= 0:
            hand = aims.left if side == 0 else aims.right
            longest = _measure_arm(plan, body, side)
            shoulder = raise_collar(plan, body, side, chest, hand, longest)
            own = find_pull(body, hand, shoulder, longest)
            pull = add(pull, (own[0] * share, own[1] * share, own[2] * share))
    if length(pull) > 0:
        carried = bend_trunk(plan, body, aims, pull, yaw, upright, lean, posture)
    return carried


@inner
def _smooth(vector, memory, n, kept):
    """A vector (3,) smoothed over time; the result is stored."""
    smoothed = blend(vector, read3(memory, n), kept)
    write3(memory, n, smoothed)
    return smoothed


@part
def _keep_angles(plan, body):
    """Joints off the trunk turn with those above them."""
    k = 0
    for j in range(plan.parents.shape[0]):
        if k < plan.trunk.shape[0] and plan.trunk[k] == j:
            k += 1
            continue
        p = plan.parents[j]
        if p >= 0:
            local = multiply(inverse(read4(body.animated, p)), read4(body.animated, j))
            write4(body.turns, j, multiply(read4(body.turns, p), local))


@part
def _solve_arm(plan, body, tracked, memory, n, side, chest, dt):
    """Put a hand where it is tracked; one that is not any more goes back to its animation from where it was."""
    point = LEFT_HAND + side
    share = tracked.shares[n, point]
    if share <= 0:
        memory.poles[n, side] = 0.0
        return
    if tracked.valid[n, point]:
        hand, turn = read3(tracked.positions[n], point), read4(tracked.rotations[n], point)
        shoulder = raise_collar(plan, body, side, chest, hand, _measure_arm(plan, body, side))
        bend_arm(plan, body, side, chest, shoulder, hand, turn, memory.poles[n, side], dt)
        for k in range(plan.arm_joints.shape[0]):
            if plan.arm_joints[k, 2] == side:
                joint, above = plan.arm_joints[k, 0], plan.arm_joints[k, 1]
                local = multiply(inverse(read4(body.turns, above)), read4(body.turns, joint))
                write4(memory.arms[n], k, local)
        if share >= 1:
            return
    for k in range(plan.arm_joints.shape[0]):
        if plan.arm_joints[k, 2] == side:
            joint, above = plan.arm_joints[k, 0], plan.arm_joints[k, 1]
            local = multiply(inverse(read4(body.animated, above)), read4(body.animated, joint))
            local = slerp(local, read4(memory.arms[n], k), share)
            write4(body.turns, joint, multiply(read4(body.turns, above), local))


@part
def _keep_leg(plan, body, side, carried):
    """The animated foot below a pelvis that is turned, carried along with it."""
    foot = plan.legs[side, 2]
    ankle, turn = add(read3(body.places, foot), carried), read4(body.animated, foot)
    bend_leg(plan, body, side, find_hip(plan, body, side), ankle, turn, body.knee, 0.0, 0.0)


@part
def _solve_leg(plan, body, tracked, memory, n, side, dt):
    foot = plan.legs[side, 2]
    share = tracked.shares[n, LEFT_FOOT + side]
    ankle, turn = read3(body.places, foot), read4(body.animated, foot)
    hip = find_hip(plan, body, side)
    if plan.toes[side] >= 0:
        ankle, turn = raise_heel(plan, body, side, hip, ankle, turn)
    if share > 0:
        ankle = blend(ankle, read3(tracked.positions[n], LEFT_FOOT + side), share)
        turn = slerp(turn, read4(tracked.rotations[n], LEFT_FOOT + side), share)
    bend_leg(plan, body, side, hip, ankle, turn, memory.knees[n, side], dt, c.KNEE_HALFLIFE)


@part
def _write_body(plan, body, pose, n):
    """Back to local rotations and the place of the hips."""
    for k in range(plan.changed.shape[0]):
        j = plan.changed[k]
        p = plan.parents[j]
        above = multiply(read4(body.turns, p), read4(plan.references, p))
        own = multiply(read4(body.turns, j), read4(plan.references, j))
        write4(pose.rotations[n], j, normalize(multiply(inverse(above), own)))
    hips = plan.trunk[0]
    p = plan.parents[hips]
    above = multiply(read4(body.turns, p), read4(plan.references, p))
    away = subtract(read3(body.pelvis, 0), read3(body.places, p))
    write3(pose.positions[n], hips, rotate(inverse(above), away))
