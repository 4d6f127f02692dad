"""Compiled poses eight abreast: rotations of eight joints with their transition, global poses of eight characters."""

import math

import numpy as np

from kinematch.character.state import wide
from kinematch.character.turn_kernels import multiply, rotate
from kinematch.math.jit import inner
from kinematch.math.lane_kernels import (
    LANES,
    inverse_root,
    read,
    read_fours,
    read_threes,
    splat,
    with_sign,
    write,
    write_fours,
    write_threes,
)
from kinematch.math.memory_kernels import address

U = np.uintp
QUARTER, ONE = np.float32(0.25), np.float32(1)
# the series of the cosine and of half of sin(x) / x, in squares of x: to a single number's last digit for any offset
COS0, COS1, COS2, COS3, COS4, COS5, COS6, COS7 = (np.float32((-1) ** k / math.factorial(2 * k)) for k in range(8))
SINC0, SINC1, SINC2, SINC3, SINC4, SINC5, SINC6, SINC7 = (
    np.float32((-1) ** k / math.factorial(2 * k + 1) / 2) for k in range(8)
)
ROW = 4 * LANES  # bytes of eight numbers
POSE = 7  # rows of eight numbers for the global pose of a joint: place and rotation
AIM = 9  # and for what a leg has to do: see leg_kernels
TURNS, PLACES, JOINTS = 0, LANES, 2 * LANES  # what stands where in the tables


def scratch(joints, legs):
    """For each thread: tables of how far characters' rotations and places, and joints in a pose, are from the first one
    in bytes; and room for the poses and legs of eight characters."""
    tables = np.zeros(JOINTS + wide(joints), np.int64)
    # joints that there are not are the root, which gets its own place afterwards
    tables[JOINTS : JOINTS + joints] = 16 * np.arange(joints)
    return tables, np.zeros((POSE * joints + AIM * legs, LANES), np.float32)


@inner
def sprung_rotations(rotations, frame, after, t, memory, n, out, tables, by):
    """All joints between two frames, offset by springs that move on: as `mixed`, `decay` and `shown_rotation`."""
    t = np.float32(t)
    r = ONE - t
    earlier, later, shown = address(rotations, frame), address(rotations, after), address(out, n)
    for j in range(0, memory.shape[2], LANES):
        joints = address(tables, JOINTS + j)
        a, b = read_fours(joints, earlier), read_fours(joints, later)
        s = with_sign(splat(t), a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
        q = a[0] * r + b[0] * s, a[1] * r + b[1] * s, a[2] * r + b[2] * s, a[3] * r + b[3] * s
        scale = inverse_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        x, y, z = faded(memory, n, 0, j, by), faded(memory, n, 1, j, by), faded(memory, n, 2, j, by)
        half = QUARTER * (x * x + y * y + z * z)  # square of the half-angle
        c = COS0 + half * (COS1 + half * (COS2 + half * (COS3 + half * (COS4 + half * (COS5 + half * (
            COS6 + half * COS7))))))  # fmt: skip
        s = SINC0 + half * (SINC1 + half * (SINC2 + half * (SINC3 + half * (SINC4 + half * (SINC5 + half * (
            SINC6 + half * SINC7))))))  # fmt: skip
        c, s = c * scale, s * scale
        write_fours(joints, shown, multiply((c, x * s, y * s, z * s), q))


@inner
def faded(memory, n, i, j, by):
    """One number of eight joints' offsets after a spring's time, as motion_kernels.spring."""
    w, dt, e = np.float32(by.w), np.float32(by.dt), np.float32(by.e)
    place = address(memory, n) + U(4 * (i * memory.shape[2] + j))
    speed = place + U(12 * memory.shape[2])
    x, v = read(place), read(speed)
    slope = v + w * x
    x = (x + slope * dt) * e
    write(place, x)
    write(speed, (v - slope * (w * dt)) * e)
    return x


@inner
def forward(out, source, who, start, stop, tables, room):
    """Global from local, for up to eight characters of a list."""
    turns, places = rows_of(out, who, start, stop, tables)
    q, v = read_fours(turns, address(out.rotations, 0)), read_threes(places, address(out.positions, 0))
    show_pose(out, 0, v, q, turns, places, room)
    for j in range(1, source.parents.shape[0]):
        show_joint(out, source, j, turns, places, room)


@inner
def rows_of(out, who, start, stop, tables):
    """Where the tables are that say where eight characters are; where there are fewer, the last is done again."""
    for lane in range(LANES):
        n = np.int64(who[min(start + lane, stop - 1)])
        tables[TURNS + lane], tables[PLACES + lane] = n * out.rotations.strides[0], n * out.positions.strides[0]
    return address(tables, TURNS), address(tables, PLACES)


@inner
def show_joint(out, source, j, turns, places, room):
    """One joint, whose parent is done."""
    v = splat(source.rest[j, 0]), splat(source.rest[j, 1]), splat(source.rest[j, 2])
    for k in range(source.moving.shape[0]):
        if source.moving[k] == j:
            v = read_threes(places, address(out.positions, 0) + U(12 * j))
    above = address(room, POSE * source.parents[j])
    q = read(above), read(above + U(ROW)), read(above + U(2 * ROW)), read(above + U(3 * ROW))
    x, y, z = rotate(q, v)
    v = x + read(above + U(4 * ROW)), y + read(above + U(5 * ROW)), z + read(above + U(6 * ROW))
    q = multiply(q, read_fours(turns, address(out.rotations, 0) + U(16 * j)))
    show_pose(out, j, v, q, turns, places, room)


@inner
def show_pose(out, j, v, q, turns, places, room):
    write_fours(turns, address(out.global_rotations, 0) + U(16 * j), q)
    write_threes(places, address(out.global_positions, 0) + U(12 * j), v)
    keep_pose(room, j, v, q)


@inner
def keep_pose(room, j, v, q):
    """For the joints that hang on this one."""
    own = address(room, POSE * j)
    write(own, q[0])
    write(own + U(ROW), q[1])
    write(own + U(2 * ROW), q[2])
    write(own + U(3 * ROW), q[3])
    write(own + U(4 * ROW), v[0])
    write(own + U(5 * ROW), v[1])
    write(own + U(6 * ROW), v[2])
