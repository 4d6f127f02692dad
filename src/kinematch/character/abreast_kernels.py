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
# scratch, in eights of bytes: how far characters' rotations and places are from the first one's; global poses, seven
# numbers for each joint; how far joints are from the first one in a row of rotations
TURNS, PLACES, POSES, POSE = 0, LANES, 2 * LANES, 7 * ROW // 8


def scratch(joints):
    """Room for both, one for each thread."""
    room = np.zeros(POSES + POSE * joints + wide(joints), np.int64)
    # joints that there are not are the root, which gets its own place afterwards
    room[POSES + POSE * joints :][:joints] = 16 * np.arange(joints)
    return room


@inner
def sprung_rotations(rotations, frame, after, t, memory, n, out, scratch, by):
    """All joints between two frames, offset by springs that move on: as `mixed`, `decay` and `shown_rotation`."""
    t = np.float32(t)
    r = ONE - t
    earlier, later, shown = address(rotations, frame), address(rotations, after), address(out, n)
    table = POSES + POSE * rotations.shape[1]
    for j in range(0, memory.shape[2], LANES):
        joints = address(scratch, table + j)
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
def forward(out, source, who, start, stop, scratch):
    """Global from local, for up to eight characters of a list; where there are fewer, the last is done again."""
    for lane in range(LANES):
        n = np.int64(who[min(start + lane, stop - 1)])
        scratch[TURNS + lane], scratch[PLACES + lane] = n * out.rotations.strides[0], n * out.positions.strides[0]
    turns, places = address(scratch, TURNS), address(scratch, PLACES)
    moving = 0
    for j in range(source.parents.shape[0]):
        turn, place = U(16 * j), U(12 * j)
        q = read_fours(turns, address(out.rotations, 0) + turn)
        v = splat(source.rest[j, 0]), splat(source.rest[j, 1]), splat(source.rest[j, 2])
        if j == 0 or (moving < source.moving.shape[0] and source.moving[moving] == j):
            v = read_threes(places, address(out.positions, 0) + place)
            moving += 0 if j == 0 else 1
        if j > 0:
            above, parent = pose_at(scratch, source.parents[j])
            x, y, z = rotate(parent, v)
            q, v = multiply(parent, q), (above[0] + x, above[1] + y, above[2] + z)
        own = address(scratch, POSES + POSE * j)
        for i in range(4):
            write(own + U(ROW * i), q[i])
        for i in range(3):
            write(own + U(ROW * (i + 4)), v[i])
        write_fours(turns, address(out.global_rotations, 0) + turn, q)
        write_threes(places, address(out.global_positions, 0) + place, v)


@inner
def pose_at(scratch, j):
    """Global place and rotation of a joint of eight characters."""
    own = address(scratch, POSES + POSE * j)
    return (read(own + U(4 * ROW)), read(own + U(5 * ROW)), read(own + U(6 * ROW))), (
        read(own), read(own + U(ROW)), read(own + U(2 * ROW)), read(own + U(3 * ROW)),
    )  # fmt: skip
