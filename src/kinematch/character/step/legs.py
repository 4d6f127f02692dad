"""Legs: how far they reach, and two-joint inverse kinematics in closed form (digital humans 3.6)."""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.step.pose import find_global_joint
from kinematch.compile.indexing import pair
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, smaller, where
from kinematch.math.series import exp_negative, find_rotation_between, turn_by_sum
from kinematch.math.spring_kernels import settle_spring
from kinematch.math.vectors import Vector, cross, dot, inverse, length, quaternion, rotate, vector

NO_SQUARE = 1e-18  # square of a length that is none, or nearly
NO_LENGTH = 1e-9  # m


@inner
def measure_leg(rig, settings, here, k):
    """A leg as animated: from hip to ankle, from ankle to toe, and the toe; its reach goes into the scratch."""
    hip, knee = here.positions[rig.legs[k, 0]], here.positions[rig.legs[k, 1]]
    ankle, toe = here.positions[rig.legs[k, 2]], here.positions[rig.legs[k, 3]]
    leg = ankle - hip
    upper, lower, own = length(knee - hip), length(ankle - knee), length(leg)
    # a share of the leg's length, and ever nearer to all of it the straighter the leg is animated
    whole = upper + lower
    slack, spare = larger(whole - own, 0.0), (1 - settings.extension) * whole
    here.lengths[k] = own
    here.whole[k] = whole
    here.shortest[k] = larger(upper - lower, lower - upper) + c.FOLDED
    here.longest[k] = whole - slack * spare / larger(slack + spare, NO_LENGTH)
    return leg, toe - ankle, toe


@inner
def measure_shortfall(wanted, own, longest):
    """How much a leg lacks to where its ankle is wanted: near its longest reach it resists."""
    far = length(wanted)
    start = larger(own, c.RESISTS * longest)
    room, over = longest - start, far - start
    soft = start + room * (1.0 - exp_negative(larger(over, 0.0) / larger(room, NO_LENGTH)))
    return far - where(smaller(room, over) > 0.0, soft, smaller(far, longest))


@inner
def aim_leg(data, here, n, k, depth, by):
    """How far the ankle gets, the hips being lower by a depth. A shortfall rises at once to what the leg cannot reach,
    and decays smoothly."""
    own, whole = here.lengths[k], here.whole[k]
    lowered = Vector(0.0, depth, 0.0)
    wanted, shift = here.wanted[k] + lowered, here.shifts[k] + lowered
    least = measure_shortfall(wanted, own, here.longest[k])
    before, rate = pair(data.feet.shortfalls[n][k])
    short, rate = settle_spring(before, rate, by)
    rate = where(least > short, (least - before) * (1 / by.dt if by.dt > 0 else 0.0), rate)
    short = larger(short, least)
    data.feet.shortfalls[n][k] = (short, rate)
    # ground that is higher under the toe than under the root rightly shortens a leg
    rise = larger(data.work.toe_rises[n][k], 0.0)
    distance = unfold(length(wanted) - short, larger(own - rise, here.shortest[k]))
    straight = (c.STRAIGHT if data.settings.foot_lock > 0 else 1.0) * whole
    apart = larger(larger(distance - own, own - distance), own - straight) > c.SAME_PLACE
    moved = apart | (dot(shift, shift) > c.SAME_PLACE * c.SAME_PLACE) | (here.slopes[k].w < 1.0)
    over = larger(distance - straight, 0.0)
    here.wanted[k] = wanted
    here.distances[k] = larger(distance - c.GIVES * over * over / whole, here.shortest[k])
    here.moved[k] = where(moved, 1.0 + 0.0 * whole, 0.0)


@inner
def unfold(distance, animated):
    """A soft lower limit of the distance from hip to ankle, as a share of the animated one: in hard turns hips sink
    onto a raised leg."""
    ease = c.EASES * animated
    over = smaller(larger(c.FOLDS * animated + ease - distance, 0.0), ease + ease)
    return larger(distance + over * over / (4.0 * ease), c.FOLDS * animated)


@inner
def bend_leg(data, here, n, k):
    """Put an ankle where it is aimed; the knee keeps its own side."""
    rig, pose = data.rig, data.pose
    upper, lower, foot = rig.legs[k, 0], rig.legs[k, 1], rig.legs[k, 2]
    hip, animated = here.positions[upper], here.rotations[upper]
    u, v = here.positions[lower] - hip, here.positions[foot] - here.positions[lower]
    axis = find_knee_axis(u, v, rotate(animated, vector(rig.hinges[k])))
    # the turn about this axis that brings the ankle to its distance: u . R(angle) v = (d^2 - a^2 - b^2) / 2, and of
    # its two solutions the one that bends the knee forwards
    along, distance = dot(v, axis), here.distances[k]
    flat = v - axis * along
    ahead, aside = dot(u, flat), dot(u, cross(axis, flat))
    scale = inverse_root(larger(ahead * ahead + aside * aside, NO_SQUARE))
    cosine = (0.5 * (distance * distance - dot(u, u) - dot(v, v)) - along * dot(u, axis)) * scale
    flex = turn_by_sum(axis, ahead * scale, aside * scale, smaller(larger(cosine, -1.0), 1.0))
    aim = find_rotation_between(u + rotate(flex, v), here.wanted[k])
    turn_upper = aim * animated
    turn_lower = aim * flex * here.rotations[lower]
    turn_foot = here.slopes[k] * here.rotations[foot]
    moved, parent = here.moved[k] > 0.0, rig.parents[upper]
    set_local(data, n, upper, parent, here.rotations[parent], turn_upper, moved)
    set_local(data, n, lower, upper, turn_upper, turn_lower, moved)
    set_local(data, n, foot, lower, turn_lower, turn_foot, moved)
    here.rotations[upper] = where(moved, turn_upper, animated)
    pose.global_rotations[n][upper] = here.rotations[upper]
    for i in range(rig.below.shape[1]):
        if rig.below[k, i] >= 0:
            find_global_joint(data, here, n, np.int64(rig.below[k, i]))


@inner
def find_knee_axis(u, v, hinge):
    """The unit axis about which a knee bends. A straight leg hardly shows it, one that a transition has bent backwards
    shows it wrongly: there the knee's own hinge decides."""
    bend = cross(u, v)
    share = dot(bend, hinge) * inverse_root(c.CLEARLY_BENT * c.CLEARLY_BENT * dot(u, u) * dot(v, v))
    share = smaller(larger(share, 0.0), 1.0)
    axis = bend * (share * inverse_root(larger(dot(bend, bend), NO_SQUARE))) + hinge * (1.0 - share)
    return axis * inverse_root(larger(dot(axis, axis), NO_SQUARE))


@inner
def set_local(data, n, joint, above, turn_above, wanted, moved):
    """Give a joint the local rotation that makes its global one as wanted; joints between (twist bones) keep theirs."""
    rotations, parents = data.pose.rotations[n], data.rig.parents
    chain, between = turn_above, parents[joint]
    if between != above:
        chain = turn_above * find_chain(rotations, parents, between, above)
    rotations[joint] = where(moved, inverse(chain) * wanted, quaternion(rotations[joint]))


@inner
def find_chain(rotations, parents, joint, above):
    """The rotation of a joint in the space of one further up."""
    chain = quaternion(rotations[joint])
    between = parents[joint]
    while between != above:
        chain = quaternion(rotations[between]) * chain
        between = parents[between]
    return chain
