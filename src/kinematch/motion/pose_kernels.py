"""Compiled poses of one character: local and global, as a joint is turned; rows are read as float64."""

import numpy as np

from kinematch.compile.jit import inner, part
from kinematch.math.kernels import add, inverse, multiply, rotate, subtract, write3, write4
from kinematch.motion.limb_kernels import limit


@part
def show_pose(parents, local_places, local_turns, origin, places, turns, first):
    """Global places and turns of the joints from the first on, counted from an origin."""
    for j in range(first, parents.shape[0]):
        p, q, parent = read3(local_places, j), read4(local_turns, j), parents[j]
        if parent < 0:
            write3(places, j, subtract(p, origin))
            write4(turns, j, q)
        else:
            above = read4(turns, parent)
            write3(places, j, add(read3(places, parent), rotate(above, p)))
            write4(turns, j, multiply(above, q))


@part
def turn_joint(body, origin, joint, wanted):
    """Give a joint a global turn, and let all below follow."""
    parents, local_places, local_turns, places, turns = body
    write4(local_turns, joint, multiply(inverse(read_above(parents, turns, joint)), wanted))
    show_pose(parents, local_places, local_turns, origin, places, turns, joint)


@inner
def read_above(parents, turns, joint):
    parent = parents[joint]
    if parent < 0:
        return 1.0, 0.0, 0.0, 0.0
    return read4(turns, parent)


@inner
def fade(value, full, none):
    t = limit((none - value) / (none - full), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


@inner
def read3(rows, j):
    return np.float64(rows[j, 0]), np.float64(rows[j, 1]), np.float64(rows[j, 2])


@inner
def read4(rows, j):
    return np.float64(rows[j, 0]), np.float64(rows[j, 1]), np.float64(rows[j, 2]), np.float64(rows[j, 3])
