"""Compiled poses eight abreast: rotations of eight joints with their transition, global poses of eight characters."""

import math

import numpy as np

from kinematch.character.kernels.rotations import inverse, multiply, rotate
from kinematch.compile.jit import inner
from kinematch.compile.lanes import (
    LANES,
    inverse_root,
    larger,
    read,
    root,
    smaller,
    splat,
    where_positive,
    with_sign,
    write,
)
from kinematch.compile.memory import address
from kinematch.compile.rows import (
    read_fours,
    read_next_fours,
    read_threes,
    write_fours,
    write_next_fours,
    write_threes,
)

U = np.uintp
QUARTER, ONE = np.float32(0.25), np.float32(1)
# the series of the cosine and of half of sin(x) / x, in squares of x: to a single number's last digit for any offset
COS0, COS1, COS2, COS3, COS4, COS5, COS6 = (np.float32((-1) ** k / math.factorial(2 * k)) for k in range(7))
SINC0, SINC1, SINC2, SINC3, SINC4, SINC5, SINC6 = (
    np.float32((-1) ** k / math.factorial(2 * k + 1) / 2) for k in range(7)
)
TAN0, TAN1, TAN2, TAN3, TAN4, TAN5, TAN6, TAN7 = (np.float32((-1) ** k / (2 * k + 1)) for k in range(8))
ARC, RIGHT, TWO = np.float32(math.pi / 8), np.float32(math.pi / 2), np.float32(2)
EIGHTH = np.float32(math.sqrt(2) - 1)  # tangent of an eighth of pi
NONE = np.float32(1e-6)  # rad, below which half-angles and their sines are one
POSE = 7  # rows of eight numbers for the global pose of a joint: rotation and place
HEIGHTS = 5  # which of them are the heights
AIM = 27  # and for a leg: see leg_kernels, reach_kernels and toe_kernels
# what stands where in the tables: rotations and places of joints; threes, sixes and twos of toes; pairs of characters;
# doubles of characters by one, three and six
TURNS, PLACES, THREES, SIXES, TWOS, PAIRS, ONES, THREE_DOUBLES, SIX_DOUBLES = (LANES * i for i in range(9))


def scratch(joints, legs):
    """For each thread: tables of how far numbers of characters are from the first one's, in bytes, and room for the
    poses and legs of eight characters, and a row more."""
    return np.zeros(9 * LANES, np.int64), np.zeros((POSE * joints + AIM * legs + 1, LANES), np.float32)


@inner
def sprung_rotations(source, frame, after, t, memory, n, out, by):
    """All joints between two frames, offset by springs that move on: as `mixed`, `decay` and `shown_rotation`."""
    here, there, own = address(source.rotations, frame), address(source.rotations, after), address(out, n)
    whole = source.parents.shape[0] // LANES * LANES
    for j in range(0, whole, LANES):
        place = U(16 * j)
        animated = mixed(read_next_fours(here + place), read_next_fours(there + place), t)
        write_next_fours(own + place, multiply(offsets(memory, n, j, by), animated))
    if whole < memory.shape[2]:  # there are fewer than eight more
        joints = address(source.distances, 0) + U(8 * whole)
        animated = mixed(read_fours(joints, here), read_fours(joints, there), t)
        write_fours(joints, own, multiply(offsets(memory, n, whole, by), animated))


@inner
def offsets(memory, n, j, by):
    """Of eight joints' rotations from the j-th on, moved on."""
    return from_vector(faded(memory, n, 0, j, by), faded(memory, n, 1, j, by), faded(memory, n, 2, j, by))


@inner
def mixed(a, b, t):
    """Between two rotations along the shorter arcs."""
    t = np.float32(t)
    r = ONE - t
    s = with_sign(splat(t), a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
    w, x, y, z = a[0] * r + b[0] * s, a[1] * r + b[1] * s, a[2] * r + b[2] * s, a[3] * r + b[3] * s
    scale = inverse_root(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


@inner
def mixed_frames(rotations, frame, after, t, joints):
    return mixed(read_fours(joints, address(rotations, frame)), read_fours(joints, address(rotations, after)), t)


@inner
def from_vector(x, y, z):
    """Rotations from rotation vectors."""
    t = QUARTER * (x * x + y * y + z * z)  # square of the half-angle
    cosine = COS0 + t * (COS1 + t * (COS2 + t * (COS3 + t * (COS4 + t * (COS5 + t * COS6)))))
    s = SINC0 + t * (SINC1 + t * (SINC2 + t * (SINC3 + t * (SINC4 + t * (SINC5 + t * SINC6)))))
    return cosine, x * s, y * s, z * s


@inner
def rest(source, n, out):
    """Put joints where they are if they never move in their parent's space."""
    count, start, target = 3 * source.parents.shape[0], address(source.rest, 0), address(out.positions, n)
    for row in range(count // LANES):
        write(target, row, read(start, row))
    for i in range(count // LANES * LANES, count):
        out.positions[n, i // 3, i % 3] = source.rest[i // 3, i % 3]


@inner
def faded(memory, n, i, j, by):
    """One number of eight joints' offsets after a spring's time, as motion_kernels.spring."""
    w, dt, e = np.float32(by.w), np.float32(by.dt), np.float32(by.e)
    place = address(memory, n) + U(4 * (i * memory.shape[2] + j))
    speed = place + U(12 * memory.shape[2])
    x, v = read(place, 0), read(speed, 0)
    slope = v + w * x
    x = (x + slope * dt) * e
    write(place, 0, x)
    write(speed, 0, (v - slope * (w * dt)) * e)
    return x


@inner
def sprung_jump(memory, n, here, was, was_after, there, frame, after, t, fastest):
    """What springs remember of all joints' rotations at a jump: as `take_over` does for one joint after the other."""
    plane = U(4 * memory.shape[2])
    for j in range(0, memory.shape[2], LANES):
        joints, vectors = address(here.distances, 0) + U(8 * j), address(here.distances, 1) + U(8 * j)
        own = address(memory, n) + U(4 * j)
        lift = from_vector(read(own, 0), read(own + plane, 0), read(own + plane + plane, 0))
        shown = multiply(lift, mixed_frames(here.rotations, was, was_after, t, joints))
        turning = rotate(lift, between_frames(here.angular_velocities, was, was_after, t, vectors))
        step = to_vector(multiply(shown, inverse(mixed_frames(there.rotations, frame, after, t, joints))))
        less = rotate(from_vector(*step), between_frames(there.angular_velocities, frame, after, t, vectors))
        speed = own + U(3) * plane
        x = turning[0] + read(speed, 0) - less[0]
        y = turning[1] + read(speed + plane, 0) - less[1]
        z = turning[2] + read(speed + plane + plane, 0) - less[2]
        share = smaller(np.float32(fastest) * inverse_root(x * x + y * y + z * z), splat(ONE))
        write(own, 0, step[0])
        write(own + plane, 0, step[1])
        write(own + plane + plane, 0, step[2])
        write(speed, 0, x * share)
        write(speed + plane, 0, y * share)
        write(speed + plane + plane, 0, z * share)


@inner
def between_frames(array, frame, after, t, vectors):
    t = np.float32(t)
    r = ONE - t
    a, b = read_threes(vectors, address(array, frame)), read_threes(vectors, address(array, after))
    return a[0] * r + b[0] * t, a[1] * r + b[1] * t, a[2] * r + b[2] * t


@inner
def to_vector(q):
    """Rotation vectors of the shorter way round; half-angles as turn_kernels.angle_of."""
    sign = with_sign(splat(ONE), q[0])
    w, x, y, z = q[0] * sign, q[1] * sign, q[2] * sign, q[3] * sign
    size = root(x * x + y * y + z * z)
    small, large = smaller(size, w), larger(size, w)
    t = (small - EIGHTH * large) / (large + EIGHTH * small)
    u = t * t
    angle = ARC + t * (TAN0 + u * (TAN1 + u * (TAN2 + u * (TAN3 + u * (TAN4 + u * (TAN5 + u * (TAN6 + u * TAN7)))))))
    angle = where_positive(size - w, RIGHT - angle, angle)
    k = where_positive(size - NONE, (angle + angle) / larger(size, splat(NONE)), splat(TWO))
    return x * k, y * k, z * k


@inner
def forward(out, source, turns, places, room):
    """Global from local, for eight characters."""
    q, v = read_fours(turns, address(out.rotations, 0)), read_threes(places, address(out.positions, 0))
    show_pose(out.global_positions, out.global_rotations, 0, v, q, turns, places, room)
    for j in range(1, source.parents.shape[0]):
        show_joint(out, source, j, turns, places, room)


@inner
def rows_of(out, who, start, stop, tables):
    """Where the tables are that say where eight characters are, now filled in; where there are fewer, the last is
    done again."""
    for lane in range(LANES):
        n = np.int64(who[min(start + lane, stop - 1)])
        tables[TURNS + lane], tables[PLACES + lane] = n * out.rotations.strides[0], n * out.positions.strides[0]
        tables[ONES + lane], tables[THREE_DOUBLES + lane], tables[SIX_DOUBLES + lane] = 8 * n, 24 * n, 48 * n
    return address(tables, TURNS), address(tables, PLACES)


@inner
def show_joint(out, source, j, turns, places, room):
    """One joint, whose parent is done."""
    v = splat(source.rest[j, 0]), splat(source.rest[j, 1]), splat(source.rest[j, 2])
    for k in range(source.moving.shape[0]):
        if source.moving[k] == j:
            v = read_threes(places, address(out.positions, 0) + U(12 * j))
    above, q = place_of(room, source.parents[j]), turn_of(room, source.parents[j])
    x, y, z = rotate(q, v)
    q = multiply(q, read_fours(turns, address(out.rotations, 0) + U(16 * j)))
    v = x + above[0], y + above[1], z + above[2]
    show_pose(out.global_positions, out.global_rotations, j, v, q, turns, places, room)


@inner
def show_pose(positions, rotations, j, v, q, turns, places, room):
    write_fours(turns, address(rotations, 0) + U(16 * j), q)
    write_threes(places, address(positions, 0) + U(12 * j), v)
    keep_pose(room, j, v, q)


@inner
def recall(positions, rotations, joints, turns, places, room):
    """Put global poses back into the room, as `forward` left them there."""
    for j in range(joints):
        v = read_threes(places, address(positions, 0) + U(12 * j))
        keep_pose(room, j, v, read_fours(turns, address(rotations, 0) + U(16 * j)))


@inner
def keep_pose(room, j, v, q):
    own = address(room, POSE * j)
    write(own, 0, q[0])
    write(own, 1, q[1])
    write(own, 2, q[2])
    write(own, 3, q[3])
    write(own, 4, v[0])
    write(own, 5, v[1])
    write(own, 6, v[2])


@inner
def turn_of(room, j):
    own = address(room, POSE * j)
    return read(own, 0), read(own, 1), read(own, 2), read(own, 3)


@inner
def place_of(room, j):
    own = address(room, POSE * j)
    return read(own, 4), read(own, 5), read(own, 6)
