"""Rotations as angles about a robot's own hinges, in their order, for any directions of their axes.

Defined as the nearest rotation within limits, which tests check.
"""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import about, cross, dot, inverse, multiply, read3, read4, rotate

FULL_TURN = 2 * np.pi
MAX_SWEEPS = 24  # at most, of one hinge after the other; within limits the first changes nothing
ANGLE_TOLERANCE = 1e-6  # rad
# sine squared between axes below which they are parallel, and the closed form has no second angle
PARALLEL_TOLERANCE = 1e-9
# weights of angles beyond limits, away from the angles before, and from zero
LIMIT_WEIGHT, CHANGE_WEIGHT, ZERO_WEIGHT = 10.0, 0.3, 0.05


@kernel
def decompose_chain(plan, chain, wanted, angles):
    """Angles (in place) of the hinges of a chain that turn it nearest to a rotation, within limits.

    Three hinges have a closed form (the Davenport angles), with two solutions; then, and for any other number, each
    hinge in turn takes its best angle, which is closed as well: the quaternion product is linear in half its sine and
    cosine. That settles what limits have cut off.
    """
    count = 0
    while count < chain.shape[0] and chain[count] >= 0:
        count += 1
    if count == 3:
        _three_angles(plan, chain, wanted, angles)
    for _ in range(MAX_SWEEPS if count > 1 else 1):
        change = 0.0
        for i in range(count):
            left = 1.0, 0.0, 0.0, 0.0
            for j in range(i):
                left = multiply(left, _hinge(plan, chain[j], angles[chain[j] - 1]))
            left = multiply(left, read4(plan.turns, chain[i]))
            rest = 1.0, 0.0, 0.0, 0.0
            for j in range(i + 1, count):
                rest = multiply(rest, _hinge(plan, chain[j], angles[chain[j] - 1]))
            m = multiply(multiply(inverse(left), wanted), inverse(rest))
            axis = read3(plan.axes, chain[i])
            along = m[1] * axis[0] + m[2] * axis[1] + m[3] * axis[2]
            if along != 0.0 or m[0] != 0.0:
                old = angles[chain[i] - 1]
                angles[chain[i] - 1] = fit_angle(plan, chain[i], 2 * np.arctan2(along, m[0]), old)
                change = max(change, np.abs(angles[chain[i] - 1] - old))
        if change < ANGLE_TOLERANCE:
            break


@part
def _hinge(plan, link, angle):
    return multiply(read4(plan.turns, link), about(read3(plan.axes, link), angle))


@part
def fit_angle(plan, link, angle, near):
    """The same angle a whole number of turns away, within limits and near another, or the nearer of the limits."""
    low, high = plan.limits[link - 1, 0], plan.limits[link - 1, 1]
    near = min(max(near, low), high)
    angle += FULL_TURN * np.round((near - angle) / FULL_TURN)
    if angle > high and angle - FULL_TURN >= low:
        angle -= FULL_TURN
    elif angle < low and angle + FULL_TURN <= high:
        angle += FULL_TURN
    if low <= angle <= high:
        return angle
    over = np.abs((angle - high + np.pi) % FULL_TURN - np.pi)
    under = np.abs((angle - low + np.pi) % FULL_TURN - np.pi)
    return high if over <= under else low


@part
def _three_angles(plan, chain, wanted, angles):
    """The better of the two exact solutions, by limits first, then near to the angles before and to zero."""
    one, two, three = chain[0], chain[1], chain[2]
    fixed = read4(plan.turns, one)
    a = rotate(fixed, read3(plan.axes, one))
    fixed = multiply(fixed, read4(plan.turns, two))
    b = rotate(fixed, read3(plan.axes, two))
    fixed = multiply(fixed, read4(plan.turns, three))
    c = rotate(fixed, read3(plan.axes, three))
    turn = multiply(wanted, inverse(fixed))  # = A(first) B(second) C(third), axes as they lie at zero
    aim = rotate(turn, c)
    # a . aim = a . B(second) c = along + p cos(second) + q sin(second)
    ab, bc = dot(a, b), dot(b, c)
    p, q = dot(a, c) - ab * bc, dot(a, cross(b, c))
    size = np.sqrt(p * p + q * q)
    if size * size < PARALLEL_TOLERANCE:
        return
    middle = np.arctan2(q, p)
    spread = np.arccos(min(max((dot(a, aim) - ab * bc) / size, -1.0), 1.0))
    best, chosen = np.inf, (angles[one - 1], angles[two - 1], angles[three - 1])
    for sign in (1.0, -1.0):
        second = middle + sign * spread
        turned = rotate(about(b, second), c)
        first = _angle_about(a, turned, aim, angles[one - 1])
        # the rest of the turn is about c alone
        back = multiply(inverse(multiply(about(a, first), about(b, second))), turn)
        third = 2 * np.arctan2(back[1] * c[0] + back[2] * c[1] + back[3] * c[2], back[0])
        cost = 0.0
        found = (first, second, third)
        for i in range(3):
            near = angles[chain[i] - 1]
            raw = found[i] + FULL_TURN * np.round((near - found[i]) / FULL_TURN)
            fit = fit_angle(plan, chain[i], found[i], near)
            beyond = np.abs((fit - found[i] + np.pi) % FULL_TURN - np.pi)
            cost += LIMIT_WEIGHT * beyond * beyond + CHANGE_WEIGHT * (raw - near) ** 2 + ZERO_WEIGHT * fit * fit
        if cost < best:
            best, chosen = cost, found
    angles[one - 1] = fit_angle(plan, one, chosen[0], angles[one - 1])
    angles[two - 1] = fit_angle(plan, two, chosen[1], angles[two - 1])
    angles[three - 1] = fit_angle(plan, three, chosen[2], angles[three - 1])


@part
def _angle_about(axis, start, stop, other):
    """The turn about an axis that takes one direction nearest to another; the other angle where both lie along it."""
    along, beside = dot(axis, start), dot(axis, stop)
    u = start[0] - axis[0] * along, start[1] - axis[1] * along, start[2] - axis[2] * along
    v = stop[0] - axis[0] * beside, stop[1] - axis[1] * beside, stop[2] - axis[2] * beside
    if dot(u, u) < PARALLEL_TOLERANCE or dot(v, v) < PARALLEL_TOLERANCE:
        return other
    return np.arctan2(dot(axis, cross(u, v)), dot(u, v))
