"""Kernels that unpack: frames of a segment, eight channels at a time."""

import numpy as np

from kinematch.compile.jit import inner, kernel, part
from kinematch.compile.lanes import LANES, inverse_root, larger, read, root, splat
from kinematch.compile.memory import address, fetch, prefetch, read_byte, read_short
from kinematch.database.packing.field_kernels import (
    KIND_SHIFT,
    RUNS,
    SIZE,
    SIZE_MASK,
    mix_fields,
    read_fields,
    read_ranges,
    read_signed,
)
from kinematch.database.packing.layout import BLOCK, CENTRES, HEAD, LENGTH, RANGES, TAPS, UNIT
from kinematch.database.packing.row_kernels import read_fours, write_fours
from kinematch.math.kernels import multiply

U = np.uintp
ZERO, ONE = np.float32(0), np.float32(1)


@inner
def find_clip(pack, stops, frame):
    """The clip of a frame."""
    clip = pack.blocks[frame // BLOCK]
    while frame >= stops[clip]:
        clip += 1
    return clip


@inner
def find_segment(pack, starts, clip, frame):
    return pack.clip_segments[clip] + (frame - starts[clip]) // LENGTH


@inner
def find_data(pack, segment):
    """Where a segment's bytes are."""
    return address(pack.data, 0) + U(UNIT) * U(pack.offsets[segment])


@inner
def unpack_frames(pack, segment, length, one, other, mirrored, here, there):
    """Two frames of a segment of `length` frames, which `one` and `other` count from its first, the same or neighbours.

    Each channel's w, x, y, z go to the addresses `here` and `there`.
    """
    turns = address(pack.turns, 0) if mirrored else U(0)
    order = address(pack.channel_bytes, 1 if mirrored else 0)
    unpack_rows(
        find_data(pack, segment), address(pack.weights, 0), pack.channels, pack.raw[segment], np.int64(length),
        np.int64(one), np.int64(other), turns, order, here, there,
    )  # fmt: skip


@inner
def prefetch_frames(pack, segment, length, one):
    """Prefetch the knots of a frame, which is counted from the first of its segment, and of the next."""
    data = find_data(pack, segment)
    if pack.raw[segment]:
        fetch(data + U(16 * pack.channels * one), 32 * pack.channels)
        return
    for group in range(pack.channels // LANES):
        head = data + U(HEAD * group)
        size, kind = measure_row(head), find_kind(head)
        first, count = (one, 2) if kind == 0 else (find_first_knot(kind, length, one), TAPS)
        knots = find_knots(data, head) + U(size * first)
        fetch(knots, size * count)
        prefetch(knots + U(size * count - 1))


@part  # called, not laid open: kernels that unpack at several places would take long to compile
def unpack_rows(data, weights, channels, raw, length, one, other, turns, order, here, there):
    """`turns`: the address of those of a mirror image, 0 without; `order`: that of where channels go."""
    for channel in range(0, channels, LANES):
        if raw:
            a = read_fours(data + U(16 * (channels * one + channel)), U(16))
            b = read_fours(data + U(16 * (channels * other + channel)), U(16))
        else:
            a, b, centre = unpack_group(data, weights, channel // LANES, length, one, other)
            centre = normalize(centre)
            a, b = multiply(centre, a), multiply(centre, b)
        if turns != 0:
            a, b = mirror(turns, channel, a), mirror(turns, channel, b)
        write_fours(order + U(8 * channel), here, a)
        write_fours(order + U(8 * channel), there, b)


@inner
def unpack_group(data, weights, group, length, one, other):
    """Eight channels of two frames beyond their centres, as rotations; and the centres, of any length.

    `weights`: the address of `Pack.weights`."""
    head = data + U(HEAD * group)
    size, kind = measure_row(head), find_kind(head)
    place = find_knots(data, head)
    if kind == 0:
        ax, ay, az, bx, by, bz = read_fields(head, place + U(size * one), place + U(size * other))
    else:
        first = find_first_knot(kind, length, one)
        row, next_row = ((one << 3) >> kind) - (first << 3), ((other << 3) >> kind) - (first << 3)
        ax, ay, az, bx, by, bz = mix_knots(
            head, place + U(size * first), U(size), weights + U(16 * row), weights + U(16 * next_row)
        )
    codes, numbers = head + U(RANGES), head + U(CENTRES)
    ranges = read_ranges(codes), read_ranges(codes + U(LANES)), read_ranges(codes + U(2 * LANES))
    centre = (
        read_signed(numbers), read_signed(numbers + U(LANES)), read_signed(numbers + U(2 * LANES)),
        read_signed(numbers + U(3 * LANES)),
    )  # fmt: skip
    return restore(ranges, ax, ay, az), restore(ranges, bx, by, bz), centre


@part  # called, since it is rarer than knots at every frame
def mix_knots(head, row, size, weights, other_weights):
    return mix_fields(head, row, size, weights, other_weights)


@inner
def restore(ranges, x, y, z):
    """From numbers of knots to a rotation."""
    x, y, z = ranges[0] * x, ranges[1] * y, ranges[2] * z
    return root(larger(splat(ONE) - x * x - y * y - z * z, splat(ZERO))), x, y, z


@inner
def measure_row(head):
    """Bytes of a knot of a group."""
    return np.int64(read_byte(head, SIZE) & SIZE_MASK)


@inner
def find_kind(head):
    """The group's stride."""
    return np.int64(read_byte(head, SIZE) >> KIND_SHIFT)


@inner
def find_knots(data, head):
    return data + U(read_short(head, 0))


@inner
def find_first_knot(kind, length, one):
    """The first of the four knots on which frame `one` depends, for a stride."""
    return max(min((one >> kind) - 1, count_knots(length, kind) - TAPS), 0)


@inner
def count_knots(length, kind):
    return ((length - 2 + (1 << kind)) >> kind) + 1


@inner
def mirror(turns, channel, q):
    """Eight channels' mirror images, which are those of their partners."""
    own = turns + U(32 * channel)
    left = read(own, 0), read(own, 1), read(own, 2), read(own, 3)
    right = read(own, 4), read(own, 5), read(own, 6), read(own, 7)
    return multiply(multiply(left, (q[0], q[1], -q[2], -q[3])), right)


@inner
def normalize(q):
    scale = inverse_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@kernel(fastmath={"contract"}, counting=False)
def unpack_many(pack, starts, stops, frames, out):
    """Frames (N,) of the clips [starts, stops) into `out` (N, channels, 4)."""
    for n in range(frames.shape[0]):
        frame = min(max(np.int64(frames[n]), 0), stops[-1] - 1)
        clip = find_clip(pack, stops, frame)
        segment = find_segment(pack, starts, clip, frame)
        begin = (frame - starts[clip]) // LENGTH * LENGTH
        length = min(stops[clip] - starts[clip] - begin, LENGTH)
        own = frame - starts[clip] - begin
        here = address(out, n)
        unpack_frames(pack, segment, length, own, own, pack.sides[clip] < 0, here, here)


@kernel
def write_knots(block, knots, kinds, widths, counts):
    """Knots of all groups of a segment behind its heads.

    `knots`: by stride, (N, C, 3) each; `kinds` (G,); `widths` (C, 3); `counts` (4,) of knots, by stride."""
    place = 8 * HEAD * kinds.shape[0]
    for group in range(kinds.shape[0]):
        kind = kinds[group]
        for knot in range(counts[kind]):
            bit = place
            for i in range(3):
                for run in RUNS:
                    for lane in run:
                        bit += widths[LANES * group + lane, i]
                    top = bit
                    for lane in run:
                        width = widths[LANES * group + lane, i]
                        top -= width
                        number = knots[kind][knot, LANES * group + lane, i]
                        for k in range(width):
                            if number >> k & 1:
                                block[(top + k) >> 3] |= np.uint8(1 << ((top + k) & 7))
            place = (bit + 7) & -8
