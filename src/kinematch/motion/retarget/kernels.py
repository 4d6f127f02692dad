"""Compiled retargeting of poses (thesis 3.2.3)."""

import numpy as np

from kinematch.compile.jit import inner, kernel
from kinematch.math.kernels import inverse, multiply, read4, rotate, write4

F = np.float32
HALF, ZERO, ONE = F(0.5), F(0), F(1)
# cosine of half the angle between two rotations from which their chord is their arc to float32's precision
PARALLEL_COSINE = F(0.99999)


@kernel(fastmath={"contract"})
def retarget_poses(plan, positions, rotations, out_positions, out_rotations):
    """Fill (N, Jt, 3) and (N, Jt, 4) local poses of the target from (N, Js, 3) and (N, Js, 4) of the source.

    World positions are counted from the source's first joint, and from that point scaled for the target, so that
    precision does not depend on how far a character has walked.
    """
    source_joints, target_joints = plan.source_parents.shape[0], plan.target_parents.shape[0]
    source_turns = np.empty((source_joints, 4), np.float32)  # global rotations of one character
    target_turns = np.empty((target_joints, 4), np.float32)
    scale, hips, left, right = plan.scale[0], plan.hips[0], plan.target_legs[0], plan.target_legs[1]
    for n in range(positions.shape[0]):
        for j in range(source_joints):
            p = plan.source_parents[j]
            q = rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3]
            write4(source_turns, j, multiply(read4(source_turns, p), q) if p >= 0 else q)

        for j in range(target_joints):
            p = plan.target_parents[j]
            above = read4(target_turns, p) if p >= 0 else (ONE, ZERO, ZERO, ZERO)
            turn = read4(plan.low_axes, j)
            local = turn
            if plan.low[j] >= 0:
                turn = multiply(read4(source_turns, plan.low[j]), turn)
                if plan.shares[j] > 0:
                    high = multiply(read4(source_turns, plan.high[j]), read4(plan.high_axes, j))
                    turn = slerp(turn, high, plan.shares[j])
                local = multiply(inverse(above), turn)
            else:
                turn = multiply(above, turn)
            write4(target_turns, j, turn)
            w, x, y, z = normalize(local)
            out_rotations[n, j, 0] = w
            out_rotations[n, j, 1] = x
            out_rotations[n, j, 2] = y
            out_rotations[n, j, 3] = z
            mover = plan.movers[j]
            for k in range(3):
                out_positions[n, j, k] = positions[n, mover, k] * plan.factors[j] if mover >= 0 else plan.bones[j, k]

        start = positions[n, 0, 0], positions[n, 0, 1], positions[n, 0, 2]
        origin = scale * start[0], scale * start[1], scale * start[2]
        a = _find_place(positions, n, source_turns, plan.source_parents, plan.source_legs[0], start)
        b = _find_place(positions, n, source_turns, plan.source_parents, plan.source_legs[1], start)
        at = _find_place(out_positions, n, target_turns, plan.target_parents, hips, origin)
        c = _find_place(out_positions, n, target_turns, plan.target_parents, left, origin)
        d = _find_place(out_positions, n, target_turns, plan.target_parents, right, origin)
        wanted = (
            at[0] + HALF * (scale * (a[0] + b[0]) - (c[0] + d[0])),
            at[1] + HALF * (scale * (a[1] + b[1]) - (c[1] + d[1])) + plan.lift[0],
            at[2] + HALF * (scale * (a[2] + b[2]) - (c[2] + d[2])),
        )
        _move_joint(out_positions, n, target_turns, plan.target_parents, hips, wanted, origin)
        for i in range(plan.loose.shape[0]):
            joint, carrier = plan.loose[i, 0], plan.loose[i, 1]
            offset = plan.loose_offsets[i, 0], plan.loose_offsets[i, 1], plan.loose_offsets[i, 2]
            at = _find_place(out_positions, n, target_turns, plan.target_parents, carrier, origin)
            away = rotate(read4(target_turns, carrier), offset)
            wanted = at[0] + away[0], at[1] + away[1], at[2] + away[2]
            _move_joint(out_positions, n, target_turns, plan.target_parents, joint, wanted, origin)


@inner
def _find_place(positions, n, turns, parents, joint, origin):
    """A joint's world position relative to an origin, from local positions (N, J, 3) and global rotations (J, 4)."""
    x, y, z = ZERO, ZERO, ZERO
    while parents[joint] >= 0:
        v = rotate(
            read4(turns, parents[joint]), (positions[n, joint, 0], positions[n, joint, 1], positions[n, joint, 2])
        )
        x, y, z = x + v[0], y + v[1], z + v[2]
        joint = parents[joint]
    return (
        x + (positions[n, joint, 0] - origin[0]),
        y + (positions[n, joint, 1] - origin[1]),
        z + (positions[n, joint, 2] - origin[2]),
    )


@inner
def _move_joint(positions, n, turns, parents, joint, wanted, origin):
    """Set a joint's local position so that it lies at a world position relative to an origin."""
    parent = parents[joint]
    if parent < 0:
        x, y, z = wanted[0] + origin[0], wanted[1] + origin[1], wanted[2] + origin[2]
    else:
        at = _find_place(positions, n, turns, parents, parent, origin)
        x, y, z = rotate(inverse(read4(turns, parent)), (wanted[0] - at[0], wanted[1] - at[1], wanted[2] - at[2]))
    positions[n, joint, 0] = x
    positions[n, joint, 1] = y
    positions[n, joint, 2] = z


@inner
def normalize(q):
    """As quaternion.normalize, zero included."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if square == 0:
        return ONE, ZERO, ZERO, ZERO
    scale = ONE / np.sqrt(square)
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@inner
def slerp(a, b, share):
    """As quaternion.slerp, for rotations of unit length; along the shorter arc."""
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = ONE if cosine >= 0 else -ONE
    cosine = min(cosine * sign, ONE)
    low, high = ONE - share, share
    if cosine < PARALLEL_COSINE:
        angle = np.arccos(cosine)
        sine = np.sqrt(ONE - cosine * cosine)
        low, high = np.sin(low * angle) / sine, np.sin(high * angle) / sine
    high *= sign
    return normalize(
        (
            low * a[0] + high * b[0],
            low * a[1] + high * b[1],
            low * a[2] + high * b[2],
            low * a[3] + high * b[3],
        )
    )
