"""Scratch memory of the kernels: what lies where, by name. Eight characters are animated at once, a lane for each.

`tables` (int64) say how many bytes the numbers of each lane's character lie behind those of character 0, one table of
eight for each kind of array. `room` (float32) holds rows of eight numbers, one for each lane: the global pose of each
joint, then what is known of each leg, then one spare row, then whatever a frame is unpacked to.
"""

import numpy as np

from kinematch.compile.jit import inner
from kinematch.compile.lanes import LANES, read, write
from kinematch.compile.memory import address

# tables, by what a character has of it
JOINT_ROTATIONS, JOINT_VECTORS, LEG_THREES, LEG_SIXES, LEG_TWOS, TWOS, DOUBLES, THREE_DOUBLES, SIX_DOUBLES = (
    LANES * table for table in range(9)
)
TABLES = 9

# rows of a joint: its global rotation and position
JOINT_ROWS = 7
ROTATION, POSITION, HEIGHT_ROW = 0, 4, 5

# rows of a leg: what it is to do
(
    WANTED_X, WANTED_Y, WANTED_Z,  # m, from hip to where the ankle should be
    DISTANCE,  # m, how far it gets
    SLOPE_W, SLOPE_X, SLOPE_Y, SLOPE_Z,  # turn of the foot
    MOVED,  # positive where the leg is not as animated
    SHIFT_X, SHIFT_Y, SHIFT_Z,  # m by which the ankle is moved
    LENGTH, WHOLE, SHORTEST, LONGEST,  # m: as animated, stretched, folded, as far as it may
    # and what was looked up for it: see stages.feet.ToePlan
    HEIGHT, REST, RISE,  # m
    CONTACT, STAYS, LOCKED, REFUSED,  # 1 or 0
    FARTHEST,  # m
    GROUND, LEAN_X, LEAN_Z,  # m, and the slope of the ground
) = range(27)  # fmt: skip
LEG_ROWS = 27


def make_scratch(joints: int, legs: int, unpacking: int) -> tuple[np.ndarray, np.ndarray]:
    """For one thread; `unpacking`: bytes that unpacking a frame takes."""
    rows = JOINT_ROWS * joints + LEG_ROWS * legs + 1 + -(-unpacking // (4 * LANES))
    return np.zeros(TABLES * LANES, np.int64), np.zeros((rows, LANES), np.float32)


@inner
def unpacking_room(room, joints, legs):
    """Where frames are unpacked to."""
    return address(room, leg_row(joints, legs) + 1)


@inner
def leg_row(joints, leg):
    """The first row of a leg."""
    return JOINT_ROWS * joints + LEG_ROWS * leg


@inner
def leg_rows(room, joints, leg):
    """Where the rows of a leg are."""
    return address(room, leg_row(joints, leg))


@inner
def keep_joint(room, j, position, rotation):
    own = address(room, JOINT_ROWS * j)
    write(own, ROTATION, rotation[0])
    write(own, ROTATION + 1, rotation[1])
    write(own, ROTATION + 2, rotation[2])
    write(own, ROTATION + 3, rotation[3])
    write(own, POSITION, position[0])
    write(own, POSITION + 1, position[1])
    write(own, POSITION + 2, position[2])


@inner
def read_rotation(room, j):
    own = address(room, JOINT_ROWS * j)
    return read(own, ROTATION), read(own, ROTATION + 1), read(own, ROTATION + 2), read(own, ROTATION + 3)


@inner
def read_position(room, j):
    own = address(room, JOINT_ROWS * j)
    return read(own, POSITION), read(own, POSITION + 1), read(own, POSITION + 2)


@inner
def read_three(rows, first):
    return read(rows, first), read(rows, first + 1), read(rows, first + 2)


@inner
def write_three(rows, first, values):
    write(rows, first, values[0])
    write(rows, first + 1, values[1])
    write(rows, first + 2, values[2])
