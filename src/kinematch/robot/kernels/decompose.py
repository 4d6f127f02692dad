"""Rotations as angles about a robot's own hinges, in their order, whatever directions their axes have.

There is no plain twin: the definition is the nearest rotation within limits, and tests hold the angles to that.
"""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import about, cross, dot, inverse, multiply, read3, read4, rotate

TURN = 2 * np.pi
SWEEPS = 24  # at most, of one hinge after the other; within limits the first changes nothing
SETTLED = 1e-6  # rad
FLAT = 1e-9  # sine squared between axes below which they are parallel, and the closed form has no second angle
BEYOND, AWAY, ASIDE = 10.0, 0.3, 0.05  # weights of angles beyond limits, away from the angles before, and from zero


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
    for _ in range(SWEEPS if count > 1 else 1):
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
        if change < SETTLED:
            break


@part
def _hinge(plan, link, angle):
    return multiply(read4(plan.turns, link), about(read3(plan.axes, link), angle))


@part
def fit_angle(plan, link, angle, near):
    """The same angle a whole number of turns away, within limits and near another, or the nearer of the limits."""
    low, high = plan.limits[link - 1, 0], plan.limits[link - 1, 1]
    near = min(max(near, low), high)
    angle += TURN * np.round((near - angle) / TURN)
    if angle > high and angle - TURN >= low:
        angle -= TURN
    elif angle < low and angle + TURN <= high:
        angle += TURN
    if low <= angle <= high:
        return angle
    over = np.abs((angle - high + np.pi) % TURN - np.pi)
    under = np.abs((angle - low + np.pi) % TURN - np.pi)
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
    if size * size < FLAT:
        return
    middle = np.arctan2(q, p)
    spread = np.arccos(min(max((dot(a, aim) - ab * bc) / size, -1.0), 1.0))
    best, chosen = np.inf, (angles[one - 1], angles[two - 1], angles[three - 1])
    for sign in (1.0, -1.0):
        second = middle + sign * spread
        turned = rotate(about(b, second), c)
        first = _angle_about(a, turned, aim, angles[one - 1])
        # what is left of the turn is about c alone
        back = multiply(inverse(multiply(about(a, first), about(b, second))), turn)
        third = 2 * np.arctan2(back[1] * c[0] + back[2] * c[1] + back[3] * c[2], back[0])
        cost = 0.0
        found = (first, second, third)
        for i in range(3):
            near = angles[chain[i] - 1]
            raw = found[i] + TURN * np.round((near - found[i]) / TURN)
            fit = fit_angle(plan, chain[i], found[i], near)
            beyond = np.abs((fit - found[i] + np.pi) % TURN - np.pi)
            cost += BEYOND * beyond * beyond + AWAY * (raw - near) ** 2 + ASIDE * fit * fit
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
    if dot(u, u) < FLAT or dot(v, v) < FLAT:
        return other
    return np.arctan2(dot(axis, cross(u, v)), dot(u, v))
