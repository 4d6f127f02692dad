"""Legs of eight characters in kernels: two-joint inverse kinematics in closed form (digital humans 3.6)."""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.kernels.poses import find_global_joint
from kinematch.character.kernels.scratch import (
    DISTANCE,
    JOINT_ROTATIONS,
    MOVED,
    SLOPE_W,
    SLOPE_X,
    WANTED_X,
    keep_joint,
    leg_rows,
    read_position,
    read_rotation,
    read_three,
)
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, read, root, smaller, splat, where_positive
from kinematch.compile.memory import address
from kinematch.compile.rows import read_fours, write_fours
from kinematch.math.kernels import cross, dot, inverse, multiply, rotate, scale_vector, subtract

U = np.uintp
ZERO, HALF_OF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
CLEARLY_BENT, OPPOSITE = np.float32(c.CLEARLY_BENT), np.float32(c.OPPOSITE)
TINY = np.float32(1e-18)  # square of a length that is none, or nearly


@inner
def bend_leg(rig, k, out, tables, room):
    """Let a leg of eight characters do what was noted: see stages.legs.bend_leg."""
    upper, lower, foot = rig.legs[k, 0], rig.legs[k, 1], rig.legs[k, 2]
    rows = leg_rows(room, rig.parents.shape[0], k)
    hip, knee, ankle = read_position(room, upper), read_position(room, lower), read_position(room, foot)
    animated = read_rotation(room, upper)
    u, v = subtract(knee, hip), subtract(ankle, knee)
    hinge = rotate(animated, (splat(rig.hinges[k, 0]), splat(rig.hinges[k, 1]), splat(rig.hinges[k, 2])))
    axis = find_knee_axis(u, v, hinge)
    # the turn about this axis that brings the ankle to its distance: u . R(angle) v = (d^2 - a^2 - b^2) / 2, and of
    # its two solutions the one that bends the knee forwards
    along, distance = dot(v, axis), read(rows, DISTANCE)
    p = subtract(v, scale_vector(axis, along))
    ahead, aside = dot(u, p), dot(u, cross(axis, p))
    scale = inverse_root(larger(ahead * ahead + aside * aside, splat(TINY)))
    cosine = (HALF_OF * (distance * distance - dot(u, u) - dot(v, v)) - along * dot(u, axis)) * scale
    cosine = smaller(larger(cosine, splat(-ONE)), splat(ONE))
    w, sine = half_sum_sincos(ahead * scale, aside * scale, cosine)
    flex = w, axis[0] * sine, axis[1] * sine, axis[2] * sine
    v = rotate(flex, v)
    aim = find_rotation_between((u[0] + v[0], u[1] + v[1], u[2] + v[2]), read_three(rows, WANTED_X))
    slope_x, slope_y, slope_z = read_three(rows, SLOPE_X)
    turn_upper = multiply(aim, animated)
    turn_lower = multiply(multiply(aim, flex), read_rotation(room, lower))
    turn_foot = multiply((read(rows, SLOPE_W), slope_x, slope_y, slope_z), read_rotation(room, foot))
    moved, parent = read(rows, MOVED), rig.parents[upper]
    set_local(rig.parents, out.rotations, tables, upper, parent, read_rotation(room, parent), turn_upper, moved)
    set_local(rig.parents, out.rotations, tables, lower, upper, turn_upper, turn_lower, moved)
    set_local(rig.parents, out.rotations, tables, foot, lower, turn_lower, turn_foot, moved)
    turn_upper = choose(moved, turn_upper, animated)
    write_fours(address(tables, JOINT_ROTATIONS), address(out.global_rotations, 0) + U(16 * upper), turn_upper)
    keep_joint(room, upper, hip, turn_upper)
    for i in range(rig.below.shape[1]):
        if rig.below[k, i] >= 0:
            find_global_joint(rig, out, np.int64(rig.below[k, i]), tables, room)


@inner
def find_knee_axis(u, v, hinge):
    """The unit axis about which a knee bends: see stages.legs."""
    bend = cross(u, v)
    share = dot(bend, hinge) * inverse_root(CLEARLY_BENT * CLEARLY_BENT * dot(u, u) * dot(v, v))
    share = smaller(larger(share, splat(ZERO)), splat(ONE))
    own, other = share * inverse_root(larger(dot(bend, bend), splat(TINY))), ONE - share
    axis = bend[0] * own + hinge[0] * other, bend[1] * own + hinge[1] * other, bend[2] * own + hinge[2] * other
    return scale_vector(axis, inverse_root(larger(dot(axis, axis), splat(TINY))))


@inner
def set_local(parents, rotations, tables, joint, above, turn_above, wanted, moved):
    """Give a joint the local rotation that makes its global one as wanted; joints between (twist bones) keep theirs."""
    between = parents[joint]
    chain = splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)
    while between != above:
        chain = multiply(read_local(rotations, tables, between), chain)
        between = parents[between]
    local = multiply(inverse(multiply(turn_above, chain)), wanted)
    local = choose(moved, local, read_local(rotations, tables, joint))
    write_fours(address(tables, JOINT_ROTATIONS), address(rotations, 0) + U(16 * joint), local)


@inner
def read_local(rotations, tables, j):
    return read_fours(address(tables, JOINT_ROTATIONS), address(rotations, 0) + U(16 * j))


@inner
def half_sum_sincos(cos_a, sin_a, cos_b):
    """Cosine and sine of half of the sum of two angles, the second from 0 to pi."""
    sin_b = root(ONE - cos_b * cos_b)
    square = larger(HALF_OF + HALF_OF * (cos_a * cos_b - sin_a * sin_b), splat(TINY))
    return root(square), HALF_OF * (sin_a * cos_b + cos_a * sin_b) * inverse_root(square)


@inner
def find_rotation_between(a, b):
    """The shortest rotation that takes the direction of a to that of b; none between opposite ones."""
    x, y, z = cross(a, b)
    size = root(dot(a, a) * dot(b, b))
    w = size + dot(a, b)
    square = w * w + x * x + y * y + z * z
    scale = inverse_root(larger(square, splat(TINY)))
    turn = w * scale, x * scale, y * scale, z * scale
    return choose(square - OPPOSITE * size * size, turn, (splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)))


@inner
def choose(by, a, b):
    """The first rotation where a number is positive, else the second."""
    return (
        where_positive(by, a[0], b[0]), where_positive(by, a[1], b[1]), where_positive(by, a[2], b[2]),
        where_positive(by, a[3], b[3]),
    )  # fmt: skip
