"""The trunk: from the head down. The spine bends as far as it may, and the pelvis goes where the spine ends."""

import math

from kinematch.avatar.upper_body.kernels import constants as c
from kinematch.avatar.upper_body.kernels.vectors import (
    blend,
    from_vector,
    level,
    ramp,
    slerp,
    soften,
    to_vector,
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
    write3,
    write4,
)

UP, FORWARD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@part
def aim_trunk(plan, body, aims, follow, posture):
    """How the pelvis turns before the spine bends; where the head should be above it along the ground, by how much that
    is corrected for a body that would leave the floor or sink into it; and how far (3,) m the feet stay behind.

    The pelvis goes after the head by `follow` (3,) m, and stays behind it by `posture` (3,) m for a leaning trunk.
    """
    hips, head = plan.trunk[0], plan.trunk[plan.trunk.shape[0] - 1]
    # a trunk that is animated more bent than the head is low stands up, or it would lift the body off its feet
    reach = subtract(read3(body.places, head), read3(body.places, hips))
    head_height = aims.head[1] - body.places[0, 1]
    rise = head_height - c.MAX_PELVIS_SHARE * plan.pelvis_height[0] * max(head_height / plan.height[0], 1.0)
    upright = _find_uprighting(reach, rise)
    offset = add(subtract(find_head_offset(plan, body, aims), follow), posture)
    plain = add(level(reach), offset)
    lean = add(level(rotate(from_vector(upright), reach)), offset)
    size, far = length(reach), min(length(lean), length(reach))
    high = _rise_farther(math.sqrt(size * size - far * far), rise, size)
    lean = scale_vector(lean, math.sqrt(size * size - high * high) / max(far, 1e-6))
    tracked = level(subtract(aims.head, aims.waist))
    plain, lean = blend(plain, tracked, aims.waist_share), blend(lean, tracked, aims.waist_share)
    # a head so low that the pelvis would be in the floor is held far forward of it
    forward = unit(level(rotate(read4(body.animated, hips), FORWARD)), FORWARD)
    room = max(head_height - c.MIN_PELVIS_SHARE * plan.height[0], 0.0)
    needed = math.sqrt(max(size * size - room * room, 0.0)) - dot(lean, forward)
    further = scale_vector(forward, ramp(needed, c.BOW_ONSET * size))
    return upright, plain, subtract(add(lean, further), plain), add(posture, further)


@part
def bend_trunk(plan, body, aims, pull, yaw, upright, lean, posture):
    """Turn the trunk's joints and place the pelvis so that the head is exactly where it should be.

    `body` holds the animated pose and takes the new one. `pull` (3,) is a rotation vector by which hands out of reach
    turn the chest, `yaw` the chest's turn against the hips in rad; the rest is from `aim_trunk`. Returns how far (3,)
    feet are carried along.
    """
    trunk, chest = plan.trunk, plan.chest[0]
    hips = trunk[0]
    # the pelvis: as animated, or as tracked
    turn = slerp(multiply(from_vector(upright), read4(body.animated, hips)), aims.waist_turn, aims.waist_share)
    turn = multiply(turn, inverse(read4(body.animated, hips)))
    pelvis = multiply(turn, read4(body.animated, hips))
    # how far the chest turns: about the pelvis' own axis, and to lean
    axis = rotate(pelvis, UP)
    relative = multiply(inverse(read4(body.animated, hips)), read4(body.animated, trunk[chest]))
    spin = add(scale_vector(axis, yaw - twist_angle(relative, UP)), pull)
    tilt = raw = (0.0, 0.0, 0.0)
    for _ in range(c.BEND_ROUNDS):
        vector = _lay_out(plan, body, aims, turn, add(spin, tilt), tilt)
        missing = subtract(lean, level(vector))
        raw = add(raw, scale_vector(cross(UP, missing), c.BEND_GAIN / max(length(vector), 1e-6)))
        tilt = _limit_tilt(raw, pelvis)
    vector = _lay_out(plan, body, aims, turn, add(spin, tilt), tilt)
    place = subtract(aims.head, vector)
    write3(body.pelvis, 0, place)
    body.lean[0] = math.acos(min(max(vector[1] / max(length(vector), 1e-6), -1.0), 1.0))
    return level(add(subtract(place, read3(body.places, hips)), posture))


@part
def find_posture(plan, body, aims):
    """How far (3,) m the pelvis stays behind the head, compared with the animation, for a trunk that leans.

    People lean with a head that nods or tilts or is low, and their hands stay behind their head when they do.
    """
    hips, head = plan.trunk[0], plan.trunk[plan.trunk.shape[0] - 1]
    forward = unit(level(rotate(read4(body.animated, hips), FORWARD)), FORWARD)
    nod = level(subtract(rotate(aims.neck_turn, UP), rotate(read4(body.animated, head), UP)))
    drop = max(body.places[head, 1] - aims.head[1], 0.0) / plan.height[0]
    share = aims.left_share * aims.right_share
    back = 0.0
    if share > 0:
        hands = subtract(scale_vector(add(aims.left, aims.right), 0.5), aims.head)
        animated = scale_vector(add(read3(body.places, plan.arms[0, 3]), read3(body.places, plan.arms[1, 3])), 0.5)
        behind = dot(subtract(subtract(animated, read3(body.places, head)), hands), forward)
        back = share * max(behind / max(body.arm_length[0], 1e-6), c.MIN_HANDS_BEHIND)
    lean = add(scale_vector(nod, c.LEAN_BY_NOD), scale_vector(forward, c.LEAN_BY_DROP * drop + c.LEAN_BY_HANDS * back))
    return scale_vector(lean, c.FOLLOW_SHARE * length(subtract(read3(body.places, head), read3(body.places, hips))))


@inner
def _find_uprighting(reach, rise):
    """The rotation vector that turns the way from hips to head until it rises far enough."""
    size = max(length(reach), 1e-6)
    angle = math.acos(min(max(reach[1] / size, -1.0), 1.0))
    new_angle = math.acos(min(max(_rise_farther(reach[1], rise, size) / size, -1.0), 1.0))
    return scale_vector(unit(cross(reach, UP), FORWARD), angle - new_angle)


@inner
def _rise_farther(height, rise, size):
    """A height that is raised towards `rise` where it lacks much; a little is left to the legs, which is smooth."""
    raised = height + ramp(rise - height, c.UPRIGHT_ONSET * size)
    return max(height, min(raised, c.MAX_UPRIGHT_SHARE * size))


@inner
def _limit_tilt(tilt, pelvis):
    """Within what a spine can do: forwards more than back, sideways less."""
    x, y, z = rotate(inverse(pelvis), tilt)
    return rotate(
        pelvis, (soften(x, c.MAX_FORWARD_LEAN if x > 0 else c.MAX_BACKWARD_LEAN), y, soften(z, c.MAX_SIDE_LEAN))
    )


@part
def _lay_out(plan, body, aims, turn, bend, tilt):
    """Turn the trunk's joints for a pelvis turned by `turn` and a chest bent by a rotation vector; hips to head."""
    trunk, chest = plan.trunk, plan.chest[0]
    last = trunk.shape[0] - 1
    hips_turn = multiply(from_vector(scale_vector(tilt, c.PELVIS_TILT * (1 - aims.waist_share))), turn)
    write4(body.turns, trunk[0], multiply(hips_turn, read4(body.animated, trunk[0])))
    for k in range(1, chest + 1):
        own = multiply(from_vector(scale_vector(bend, plan.shares[k])), multiply(turn, read4(body.animated, trunk[k])))
        if aims.chest_share > 0:  # a tracked chest: the spine turns evenly towards it
            further = to_vector(
                multiply(
                    aims.chest_turn,
                    inverse(multiply(from_vector(bend), multiply(turn, read4(body.animated, trunk[chest])))),
                )
            )
            own = multiply(from_vector(scale_vector(further, plan.shares[k] * aims.chest_share)), own)
        write4(body.turns, trunk[k], own)
    # the neck goes from the chest to the head, each with the angle that the animation has between them
    low = multiply(read4(body.turns, trunk[chest]), inverse(read4(body.animated, trunk[chest])))
    high = multiply(aims.neck_turn, inverse(read4(body.animated, trunk[last])))
    for k in range(chest + 1, last):
        write4(body.turns, trunk[k], multiply(slerp(low, high, plan.shares[k]), read4(body.animated, trunk[k])))
    write4(body.turns, trunk[last], aims.head_turn)
    vector = (0.0, 0.0, 0.0)
    for k in range(1, last + 1):
        vector = add(vector, rotate(read4(body.turns, trunk[k - 1]), read3(body.bones, trunk[k])))
    return vector


@inner
def find_head_offset(plan, body, aims):
    """From the animated head to where it should be, along the ground."""
    return level(subtract(aims.head, read3(body.places, plan.trunk[plan.trunk.shape[0] - 1])))


@part
def find_chest(plan, body):
    """The place of the chest, which carries the arms."""
    place = read3(body.pelvis, 0)
    for k in range(1, plan.chest[0] + 1):
        place = add(place, rotate(read4(body.turns, plan.trunk[k - 1]), read3(body.bones, plan.trunk[k])))
    return place


@part
def find_chest_yaw(plan, body, aims):
    """How far the chest should turn against the hips (rad), by where the head looks and which hand is in front."""
    hips = read4(body.animated, plan.trunk[0])
    back = inverse(hips)
    yaw = c.YAW_BY_HEAD * soften(twist_angle(multiply(back, aims.head_turn), UP), c.MAX_HEAD_YAW)
    if aims.left_share * aims.right_share > 0:
        apart = rotate(back, subtract(aims.right, aims.left))
        yaw += c.YAW_BY_HANDS * apart[2] / max(body.arm_length[0], 1e-6) * aims.left_share * aims.right_share
    return soften(yaw, c.MAX_CHEST_YAW)


@part
def find_pull(body, hand, shoulder, longest):
    """The rotation vector (3,) by which a hand out of reach turns the chest after it."""
    away = subtract(hand, shoulder)
    beyond = ramp(length(away) - c.PULL_FROM * longest, c.FOLLOW_ONSET * longest)
    if beyond <= 0:
        return 0.0, 0.0, 0.0
    lever = subtract(shoulder, read3(body.pelvis, 0))
    force = scale_vector(unit(away, UP), beyond)
    turn = scale_vector(cross(lever, force), 1 / max(dot(lever, lever), 1e-6))
    angle = length(turn)
    return scale_vector(turn, soften(angle, c.MAX_PULL) / angle) if angle > 1e-9 else turn
