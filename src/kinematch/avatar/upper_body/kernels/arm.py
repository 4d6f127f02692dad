"""Arms: collar bone, elbow and wrist, from where the hand is and how it is held."""

import math

from kinematch.avatar.upper_body.kernels import constants as c
from kinematch.avatar.upper_body.kernels.elbow_weights import ELBOW_WEIGHTS
from kinematch.avatar.upper_body.kernels.vectors import (
    from_vector,
    ramp,
    reject,
    smoothstep,
    soften,
    turn_frame,
    twist_angle,
    unit,
)
from kinematch.compile.jit import inner, part
from kinematch.math.kernels import (
    add,
    cross,
    dot,
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

DOWN = (0.0, -1.0, 0.0)


@inner
def mirror(v, side):
    """To the left side of the body, or back from there."""
    return (v[0] if side == 0 else -v[0]), v[1], v[2]


@inner
def find_bone(plan, bones, above, below):
    """From one joint of a limb to the next, in the T-pose's axes; joints between them are held as in the T-pose."""
    vector, joint = (0.0, 0.0, 0.0), below
    while joint != above:
        vector = add(vector, read3(bones, joint))
        joint = plan.parents[joint]
    return vector


@inner
def find_shoulder(plan, body, side, place):
    """Where the upper arm begins, the chest being at a place."""
    joint, chest = plan.arms[side, 1], plan.trunk[plan.chest[0]]
    while joint != chest:
        parent = plan.parents[joint]
        place = add(place, rotate(read4(body.turns, parent), read3(body.bones, joint)))
        joint = parent
    return place


@part
def raise_collar(plan, body, side, place, hand, longest):
    """Turn the collar bone forwards and up as the hand reaches out; the shoulder's place."""
    collar = plan.arms[side, 0]
    if collar < 0:
        return find_shoulder(plan, body, side, place)
    chest = read4(body.turns, plan.parents[collar])
    _turn_collar(plan, body, side, chest)
    shoulder = find_shoulder(plan, body, side, place)
    away = mirror(rotate(inverse(chest), subtract(hand, shoulder)), side)
    far = length(away)
    x, y, z = scale_vector(away, 1 / max(far, 1e-6))
    out = smoothstep((far / max(longest, 1e-6) - c.COLLAR_FROM) / (1 - c.COLLAR_FROM))
    up, forwards = c.COLLAR_UP * out * max(y, 0.0) ** 2, c.COLLAR_FORWARDS * out * max(z - x, 0.0) ** 2 / 2
    turn = (0.0, -forwards, up) if side == 0 else (0.0, forwards, -up)
    turned = multiply(chest, from_vector(turn))
    _turn_collar(plan, body, side, turned)
    shoulder = find_shoulder(plan, body, side, place)
    # a hand that is still out of reach draws the shoulder along
    away = subtract(hand, shoulder)
    far = length(away)
    beyond = ramp(far - c.DRAW_FROM * longest, c.FOLLOW_ONSET * longest)
    bone = rotate(turned, find_bone(plan, body.bones, collar, plan.arms[side, 1]))
    across = cross(bone, scale_vector(away, 1 / max(far, 1e-6)))
    lever = length(across)
    if beyond > 0 and lever > 1e-6:
        angle = soften(beyond / max(lever, c.MIN_LEVER * length(bone)), c.MAX_DRAW)
        _turn_collar(plan, body, side, multiply(from_vector(scale_vector(across, angle / lever)), turned))
        shoulder = find_shoulder(plan, body, side, place)
    return shoulder


@inner
def _turn_collar(plan, body, side, turn):
    """And all joints between it and the upper arm."""
    joint = plan.parents[plan.arms[side, 1]]
    while joint != plan.arms[side, 0]:
        write4(body.turns, joint, turn)
        joint = plan.parents[joint]
    write4(body.turns, joint, turn)


@part
def bend_arm(plan, body, side, place, shoulder, hand, hand_turn, pole, dt):
    """Turn upper arm, forearm and hand so that the wrist is at its target. `pole` (3,) remembers where the elbow was,
    in the chest's axes; the chest is at `place`."""
    chest = read4(body.turns, plan.trunk[plan.chest[0]])
    upper, lower, wrist = plan.arms[side, 1], plan.arms[side, 2], plan.arms[side, 3]
    first, second = find_bone(plan, body.bones, upper, lower), find_bone(plan, body.bones, lower, wrist)
    a, b = length(first), length(second)
    away = subtract(hand, shoulder)
    outward = rotate(chest, (1.0 if side == 0 else -1.0, 0.0, 0.0))
    axis = unit(away, outward)
    far = limit_reach(length(away), abs(a - b), a + b, c.SOFT_REACH * (a + b))
    along = (far * far + a * a - b * b) / (2 * far)
    radius = math.sqrt(max(a * a - along * along, 0.0))
    middle = add(shoulder, scale_vector(axis, along))
    end = add(shoulder, scale_vector(axis, far))
    wanted = choose_elbow(body, side, chest, place, shoulder, axis, middle, radius, end, hand_turn, a + b)
    side_of = swing_pole(chest, axis, wanted, pole, dt, c.SWIVEL_HALFLIFE)
    elbow = add(middle, scale_vector(side_of, radius))
    # the elbow flexes about the normal of the arm's plane, the T-pose's hinge brings the hand forward
    normal = cross(side_of, axis)
    hinge = (0.0, -1.0 if side == 0 else 1.0, 0.0)
    turn = aim_bone(first, hinge, subtract(elbow, shoulder), normal)
    write4(body.turns, upper, turn)
    turn = aim_bone(second, hinge, subtract(end, elbow), normal)
    bone = unit(second, outward)
    twist = fold_twist(twist_angle(multiply(inverse(turn), hand_turn), bone))
    write4(body.turns, lower, multiply(turn, from_vector(scale_vector(bone, plan.forearm_shares[side] * twist))))
    write4(body.turns, wrist, hand_turn)
    for k in range(plan.twists.shape[0]):
        if plan.twists[k, 1] == side:
            follows = read4(body.turns, upper) if plan.followed[k] == upper else read4(body.turns, lower)
            if plan.twist_shares[k] > 0:
                follows = multiply(turn, from_vector(scale_vector(bone, plan.twist_shares[k] * twist)))
            write4(body.turns, plan.twists[k, 0], follows)


@inner
def limit_reach(distance, shortest, longest, start):
    """Exact up to a start, then ever more slowly towards the longest reach."""
    room = longest - start
    if distance > start:
        distance = start + room * math.tanh((distance - start) / max(room, 1e-9))  # its curvature begins with zero
    return min(max(distance, shortest * 1.0001 + 1e-4), longest * 0.99999)


@inner
def aim_bone(bone, hinge, direction, normal):
    """The rotation since the T-pose of a bone that points along a direction and bends about a normal."""
    along = unit(bone, (1.0, 0.0, 0.0))
    across = unit(reject(hinge, along), (0.0, 0.0, 1.0))
    new_along = unit(direction, along)
    return turn_frame(along, across, new_along, unit(reject(normal, new_along), across))


@inner
def fold_twist(angle):
    """A twist up to its most, from there back to none at half a turn, where both ways round are the same."""
    if abs(angle) <= c.MAX_TWIST:
        return angle
    return math.copysign((math.pi - abs(angle)) * c.MAX_TWIST / (math.pi - c.MAX_TWIST), angle)


@inner
def swing_pole(frame, axis, wanted, pole, dt, halflife):
    """Swing the remembered side of an elbow or knee, in the axes of a frame, towards the wanted one; remember it."""
    before = rotate(frame, (pole[0], pole[1], pole[2]))
    now = wanted
    if dot(before, before) > 0.5 and halflife > 0:
        old = unit(reject(before, axis), wanted)
        angle = math.atan2(dot(cross(wanted, old), axis), dot(wanted, old))
        angle *= 2.0 ** (-dt / halflife)
        now = add(scale_vector(wanted, math.cos(angle)), scale_vector(cross(axis, wanted), math.sin(angle)))
    local = rotate(inverse(frame), now)
    pole[0], pole[1], pole[2] = local[0], local[1], local[2]
    return now


@part
def choose_elbow(body, side, chest, place, shoulder, axis, middle, radius, end, hand_turn, longest):
    """The direction from the arm's axis to the elbow: where people have it, off the trunk, the wrist at ease."""
    pole = predict_pole(side, chest, scale_vector(subtract(end, shoulder), 1 / longest), hand_turn)
    natural = unit(reject(pole, axis), unit(reject(DOWN, axis), rotate(chest, (0.0, 0.0, -1.0))))
    across = cross(axis, natural)
    pointing = rotate(hand_turn, (1.0 if side == 0 else -1.0, 0.0, 0.0))
    back, hips = inverse(chest), read3(body.pelvis, 0)
    width = max(abs(rotate(back, subtract(shoulder, place))[0]), 1e-3)
    before = best = after = 0.0
    chosen, previous, ended = -99, 0.0, False
    for k in range(-c.SWIVEL_COUNT, c.SWIVEL_COUNT + 1):
        angle = k * c.SWIVEL_STEP
        elbow = add(
            middle,
            scale_vector(add(scale_vector(natural, math.cos(angle)), scale_vector(across, math.sin(angle))), radius),
        )
        cost = angle * angle
        forearm = unit(subtract(end, elbow), axis)
        bend = math.acos(min(max(dot(forearm, pointing), -1.0), 1.0)) - c.WRIST_BEND
        if bend > 0:
            cost += c.WRIST_COST * bend * bend
        for share in (0.0, 0.4):
            point = add(elbow, scale_vector(subtract(end, elbow), share))
            inside = measure_inside(rotate(back, subtract(point, hips)), rotate(back, subtract(shoulder, hips)), width)
            cost += c.TRUNK_COST * inside * inside
        if chosen == -99 or cost < best:
            before, best, chosen, ended = previous, cost, k, False
        elif not ended:
            after, ended = cost, True
        previous = cost
    angle = chosen * c.SWIVEL_STEP
    curve = before + after - 2 * best
    if abs(chosen) < c.SWIVEL_COUNT and curve > 1e-9:  # between candidates, by the parabola through three of them
        angle += c.SWIVEL_STEP * min(max((before - after) / (2 * curve), -0.5), 0.5)
    return add(scale_vector(natural, math.cos(angle)), scale_vector(across, math.sin(angle)))


@inner
def measure_inside(point, shoulder, width):
    """How deep a point lies in the trunk, 0 outside to 1 in the middle: an elliptic column up to the shoulders."""
    if point[1] > shoulder[1] or point[1] < -0.2 * shoulder[1]:
        return 0.0
    x, z = point[0] / (c.TRUNK_WIDTH * width), point[2] / (c.TRUNK_DEPTH * width)
    return max(1 - math.sqrt(x * x + z * z), 0.0)


@inner
def predict_pole(side, chest, away, hand_turn):
    """Where people have their elbow: a fit to recorded motion, see elbow_fit. `away` is shoulder to wrist in arm
    lengths."""
    back = inverse(chest)
    w = mirror(rotate(back, away), side)
    p = mirror(rotate(back, rotate(hand_turn, (1.0 if side == 0 else -1.0, 0.0, 0.0))), side)
    t = mirror(rotate(back, rotate(hand_turn, (0.0, 0.0, 1.0))), side)
    terms = (
        1.0, w[0], w[1], w[2], w[0] * w[0], w[0] * w[1], w[0] * w[2], w[1] * w[1], w[1] * w[2], w[2] * w[2],
        p[0], p[1], p[2], t[0], t[1], t[2],
        p[0] * w[0], p[1] * w[0], p[2] * w[0], t[0] * w[0], t[1] * w[0], t[2] * w[0],
        p[0] * w[1], p[1] * w[1], p[2] * w[1], t[0] * w[1], t[1] * w[1], t[2] * w[1],
        p[0] * w[2], p[1] * w[2], p[2] * w[2], t[0] * w[2], t[1] * w[2], t[2] * w[2],
    )  # fmt: skip
    x, y, z = 0.0, 0.0, 0.0
    for k in range(len(terms)):
        x += terms[k] * ELBOW_WEIGHTS[k][0]
        y += terms[k] * ELBOW_WEIGHTS[k][1]
        z += terms[k] * ELBOW_WEIGHTS[k][2]
    return rotate(chest, mirror((x, y, z), side))
