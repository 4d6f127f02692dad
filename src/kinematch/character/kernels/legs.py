"""Compiled legs of eight characters at once: two-joint inverse kinematics in closed form (digital humans 3.6)."""

import numpy as np

from kinematch.character.kernels.poses8 import AIM, POSE, keep_pose, place_of, show_joint, turn_of
from kinematch.character.kernels.rotations import inverse, multiply, rotate
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, read, root, smaller, splat, where_positive
from kinematch.compile.memory import address
from kinematch.compile.rows import read_fours, write_fours

U = np.uintp
ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
CLEARLY = np.float32(0.7)  # sine of the knee's angle from which the pose alone says which way it bends
TINY = np.float32(1e-18)  # square of a length that is none, or nearly
OPPOSITE = np.float32(1e-12)  # of directions, so that there is no shortest turn: no limb folds so
# rows of room, behind the poses: what each leg has to do
WANTED, DISTANCE, SLOPE, MOVED = 0, 3, 4, 8


@inner
def leg_rows(room, joints, k):
    """Where the rows of a leg are."""
    return address(room, POSE * joints + AIM * k)


@inner
def bend_leg(source, k, out, turns, places, room):
    """Let a leg of eight characters do what was noted, the knees' own bend directions kept."""
    upper, lower, foot = source.legs[k, 0], source.legs[k, 1], source.legs[k, 2]
    aims = leg_rows(room, source.parents.shape[0], k)
    hip, knee, ankle = place_of(room, upper), place_of(room, lower), place_of(room, foot)
    animated = turn_of(room, upper)
    u, v = less(knee, hip), less(ankle, knee)
    aa, bb = dot(u, u), dot(v, v)
    bend = cross(u, v)
    hinge = rotate(animated, (splat(source.hinges[k, 0]), splat(source.hinges[k, 1]), splat(source.hinges[k, 2])))
    # a straight leg hardly shows where it bends, one that a transition has bent backwards shows it wrongly: there the
    # knee's own hinge tells
    share = dot(bend, hinge) * inverse_root(CLEARLY * CLEARLY * aa * bb)
    share = smaller(larger(share, splat(ZERO)), splat(ONE))
    own, other = share * inverse_root(larger(dot(bend, bend), splat(TINY))), ONE - share
    axis = bend[0] * own + hinge[0] * other, bend[1] * own + hinge[1] * other, bend[2] * own + hinge[2] * other
    axis = times(axis, inverse_root(larger(dot(axis, axis), splat(TINY))))
    # the turn about this axis that brings the ankle to its distance: u . R(angle) v = (d^2 - a^2 - b^2) / 2, and of its
    # two solutions the one that bends the knee forwards
    along, distance = dot(v, axis), read(aims, DISTANCE)
    p = less(v, times(axis, along))
    ahead, aside = dot(u, p), dot(u, cross(axis, p))
    scale = inverse_root(larger(ahead * ahead + aside * aside, splat(TINY)))
    cosine = (HALF * (distance * distance - aa - bb) - along * dot(u, axis)) * scale
    cosine = smaller(larger(cosine, splat(-ONE)), splat(ONE))
    w, turn = half_turn(ahead * scale, aside * scale, cosine)
    flex = w, axis[0] * turn, axis[1] * turn, axis[2] * turn
    v = rotate(flex, v)
    aim = between(
        (u[0] + v[0], u[1] + v[1], u[2] + v[2]), (read(aims, WANTED), read(aims, WANTED + 1), read(aims, WANTED + 2))
    )
    slope = read(aims, SLOPE), read(aims, SLOPE + 1), read(aims, SLOPE + 2), read(aims, SLOPE + 3)
    turn_upper = multiply(aim, animated)
    turn_lower = multiply(multiply(aim, flex), turn_of(room, lower))
    turn_foot = multiply(slope, turn_of(room, foot))
    moved, parent = read(aims, MOVED), source.parents[upper]
    relocal(source.parents, out.rotations, turns, upper, parent, turn_of(room, parent), turn_upper, moved)
    relocal(source.parents, out.rotations, turns, lower, upper, turn_upper, turn_lower, moved)
    relocal(source.parents, out.rotations, turns, foot, lower, turn_lower, turn_foot, moved)
    turn_upper = chosen(moved, turn_upper, animated)
    write_fours(turns, address(out.global_rotations, 0) + U(16 * upper), turn_upper)
    keep_pose(room, upper, hip, turn_upper)
    for i in range(source.below.shape[1]):
        if source.below[k, i] >= 0:
            show_joint(out, source, np.int64(source.below[k, i]), turns, places, room)


@inner
def relocal(parents, rotations, turns, joint, above, turn_above, wanted, moved):
    """Give a joint the local turn that makes its global one as wanted; joints between (twist bones) keep theirs."""
    between_ = parents[joint]
    chain = splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)
    while between_ != above:
        chain = multiply(local_of(rotations, turns, between_), chain)
        between_ = parents[between_]
    local = multiply(inverse(multiply(turn_above, chain)), wanted)
    local = chosen(moved, local, local_of(rotations, turns, joint))
    write_fours(turns, address(rotations, 0) + U(16 * joint), local)


@inner
def half_turn(cos_a, sin_a, cos_b):
    """Cosine and sine of half of the sum of two angles, the second from 0 to pi."""
    sin_b = root(ONE - cos_b * cos_b)
    square = larger(HALF + HALF * (cos_a * cos_b - sin_a * sin_b), splat(TINY))
    return root(square), HALF * (sin_a * cos_b + cos_a * sin_b) * inverse_root(square)


@inner
def between(a, b):
    """The shortest turn that takes the direction of a to that of b."""
    x, y, z = cross(a, b)
    size = root(dot(a, a) * dot(b, b))
    w = size + dot(a, b)
    square = w * w + x * x + y * y + z * z
    scale = inverse_root(larger(square, splat(TINY)))
    turn = w * scale, x * scale, y * scale, z * scale
    return chosen(square - OPPOSITE * size * size, turn, (splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)))


@inner
def local_of(rotations, turns, j):
    return read_fours(turns, address(rotations, 0) + U(16 * j))


@inner
def chosen(by, a, b):
    """The first rotation where a number is positive, else the second."""
    return (
        where_positive(by, a[0], b[0]), where_positive(by, a[1], b[1]), where_positive(by, a[2], b[2]),
        where_positive(by, a[3], b[3]),
    )  # fmt: skip


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def times(a, by):
    return a[0] * by, a[1] * by, a[2] * by
