"""Compiled corrections of retargeted poses: feet and pelvis.

One character after the other, in float64 and counted from the source's first joint, so that precision does not depend
on how far a character has walked.
"""

import math

import numpy as np

from kinematch.compile.jit import inner, kernel, part
from kinematch.math.kernels import add, dot, inverse, length, multiply, rotate, subtract, write3
from kinematch.motion.limb_kernels import bend_limb, limit, limit_fold, to_unit, unit
from kinematch.motion.pose_kernels import fade, read3, read4, read_above, show_pose, turn_joint
from kinematch.motion.retarget.arm_kernels import clear_arm, lead_hands, share_twist
from kinematch.motion.retarget.constants import (
    EASE,
    EASILY,
    FREE_FOOT,
    HEAVY_FOOT,
    MAX_PELVIS_DROP,
    ROUNDS,
    STRAIGHTEST,
)  # fmt: skip


@kernel
def correct_poses(plan, fixes, positions, rotations, shifts, out_positions, out_rotations):
    """Correct local poses of the target (N, Jt, 3) and (N, Jt, 4) in place, given those of the source.

    `shifts` (N, K, 3) m or (0, K, 3) for none.
    """
    source_joints, joints = plan.source_parents.shape[0], plan.target_parents.shape[0]
    places, turns = np.empty((source_joints, 3)), np.empty((source_joints, 4))
    own_places, own_turns = np.empty((joints, 3)), np.empty((joints, 4))
    local_places, local_turns = np.empty((joints, 3)), np.empty((joints, 4))
    legs = fixes.legs.shape[0]
    balls, aims, grips = np.empty((legs, 3)), np.empty((legs, 3)), np.empty((2, 3))
    scale = np.float64(plan.scale[0])
    for n in range(positions.shape[0]):
        start = np.float64(positions[n, 0, 0]), np.float64(positions[n, 0, 1]), np.float64(positions[n, 0, 2])
        show_pose(plan.source_parents, positions[n], rotations[n], start, places, turns, 0)
        for j in range(joints):
            for i in range(3):
                local_places[j, i] = out_positions[n, j, i]
            for i in range(4):
                local_turns[j, i] = out_rotations[n, j, i]
        # rounded to float32 as the target's root is: far from the world's origin that is millimetres
        x, y, z = (
            plan.scale[0] * positions[n, 0, 0],
            plan.scale[0] * positions[n, 0, 1],
            plan.scale[0] * positions[n, 0, 2],
        )
        origin = np.float64(x), np.float64(y), np.float64(z)
        body = plan.target_parents, local_places, local_turns, own_places, own_turns
        show_pose(plan.target_parents, local_places, local_turns, origin, own_places, own_turns, 0)
        floor = 0.0 if fixes.rooted[0] else -origin[1]
        if legs:
            for k in range(legs):
                ball = _aim_foot(fixes, k, scale, places, turns)
                ball = add(ball, read3(shifts[n], k)) if n < shifts.shape[0] else ball
                lowest = _measure_sole(fixes, k, own_places, own_turns)
                write3(balls, k, (ball[0], max(ball[1], floor - lowest), ball[2]))
            _place_feet(plan, fixes, floor, body, origin, places, balls, aims)
        if fixes.arms.shape[0] and fixes.hands[0]:
            lead_hands(fixes, scale, body, origin, places, turns, grips)
        if fixes.arms.shape[0] and fixes.solid[0]:
            for _ in range(ROUNDS):
                for k in range(fixes.arms.shape[0]):
                    clear_arm(fixes, k, scale, floor, body, origin, places, turns)
        if fixes.twists.shape[0]:
            share_twist(fixes, body)
        for j in range(joints):
            q = to_unit(read4(local_turns, j))
            out_rotations[n, j, 0] = q[0]
            out_rotations[n, j, 1] = q[1]
            out_rotations[n, j, 2] = q[2]
            out_rotations[n, j, 3] = q[3]
            for i in range(3):
                out_positions[n, j, i] = local_places[j, i]


@inner
def _aim_foot(fixes, k, scale, places, turns):
    foot = fixes.source_legs[k, 1]
    turn = read4(turns, foot)
    own = add(read3(places, foot), rotate(turn, read3(fixes.source_balls, k)))
    side = rotate(turn, read3(fixes.sides, k))
    way = unit((side[0], 0.0, side[2]))
    across = rotate(read4(turns, fixes.hips[0]), read3(fixes.hip_side, 0))
    share = max(dot(way, unit((across[0], 0.0, across[2]))), 0.0)
    width, ahead = fixes.widths[k] * share, fixes.aheads[k]
    aside = width * way[0] - ahead * way[2], 0.0, width * way[2] + ahead * way[0]
    return scale * own[0] + aside[0], scale * own[1] + fixes.lifts[k], scale * own[2] + aside[2]


@inner
def _measure_sole(fixes, k, places, turns):
    lowest = np.inf
    for i in range(fixes.sole_joints.shape[0]):
        if fixes.sole_legs[i] == k:
            joint = fixes.sole_joints[i]
            lowest = min(lowest, places[joint, 1] + rotate(read4(turns, joint), read3(fixes.sole_offsets, i))[1])
    foot = fixes.legs[k, 2]
    return lowest - (places[foot, 1] + rotate(read4(turns, foot), read3(fixes.balls, k))[1])


@part
def _place_feet(plan, fixes, floor, body, origin, source_places, balls, aims):
    parents, local_places, local_turns, places, turns = body
    deepest = 0.0
    for k in range(fixes.legs.shape[0]):
        upper, foot, leg = fixes.legs[k, 0], fixes.legs[k, 2], fixes.lengths[k]
        ankle = subtract(read3(balls, k), rotate(read4(turns, foot), read3(fixes.balls, k)))
        write3(aims, k, ankle)
        away = subtract(ankle, read3(places, upper))
        hip, end = fixes.source_legs[k, 0], fixes.source_legs[k, 1]
        stretched = length(subtract(read3(source_places, end), read3(source_places, hip)))
        reach = limit(stretched / fixes.source_lengths[k], EASILY, STRAIGHTEST) * leg
        flat = away[0] * away[0] + away[2] * away[2]
        depth = -away[1] - math.sqrt(max(reach * reach - flat, 0.0))
        ease = EASE * leg
        over = limit(depth, 0.0, 2.0 * ease)
        depth = max(depth - 2.0 * ease, 0.0) + over * over / (4.0 * ease)
        height = (balls[k, 1] - fixes.lifts[k] - floor) / leg
        deepest = max(deepest, min(depth, MAX_PELVIS_DROP * leg) * fade(height, HEAVY_FOOT, FREE_FOOT))
    if fixes.pelvis[0]:
        hips = plan.hips[0]
        down = rotate(inverse(read_above(parents, turns, hips)), (0.0, -deepest, 0.0))
        write3(local_places, hips, add(read3(local_places, hips), down))
        show_pose(parents, local_places, local_turns, origin, places, turns, hips)
    for k in range(fixes.legs.shape[0]):
        upper, lower, foot = fixes.legs[k, 0], fixes.legs[k, 1], fixes.legs[k, 2]
        kept, loose = read4(turns, foot), fixes.loose_ankles[k] > 0
        knee, ankle = read3(places, lower), read3(places, foot)
        if loose:
            ankle = add(knee, rotate(read4(turns, lower), read3(fixes.ankles, k)))
        first, second = read4(turns, upper), read4(turns, lower)
        hinge = rotate(first, read3(fixes.knees, k))
        hip = read3(places, upper)
        aim = limit_fold(hip, knee, ankle, read3(aims, k), 0.0)
        turn, other = bend_limb(hip, knee, ankle, aim, hinge)
        turn_joint(body, origin, upper, to_unit(multiply(turn, first)))
        turn_joint(body, origin, lower, to_unit(multiply(other, second)))
        turn_joint(body, origin, foot, kept)
        if loose:
            place = add(read3(places, lower), rotate(read4(turns, lower), read3(fixes.ankles, k)))
            parent = parents[foot]
            back = inverse(read4(turns, parent))
            write3(local_places, foot, rotate(back, subtract(place, read3(places, parent))))
            show_pose(parents, local_places, local_turns, origin, places, turns, foot)
