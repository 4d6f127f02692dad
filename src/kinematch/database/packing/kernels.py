"""Kernels that unpack: frames of a segment, eight channels at a time."""

import numpy as np

from kinematch.compile.bit_fields import KINDS, mix_knots, read_heads
from kinematch.compile.jit import inner, kernel, part
from kinematch.compile.lanes import LANES, inverse_root, larger, root, splat
from kinematch.compile.memory import address, fetch, read_float, read_word, write_float, write_word
from kinematch.compile.rows import write_next_fours
from kinematch.database.packing.layout import BLOCK, LENGTH, ROW_MASK, TAPS, UNIT

U = np.uintp
ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
WEIGHTS = 32  # floats: of two frames, four knots and four strides
SCRATCH = 4 * WEIGHTS + 8 * KINDS  # bytes that unpacking takes: weights, and where each stride's knots begin


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
def unpack_frames(pack, segment, length, one, other, words, here, there):
    """Two frames of a segment of `length` frames, which `one` and `other` count from its first, the same or neighbours.

    Each channel's w, x, y, z go to the addresses `here` and `there`; `words` is the address of scratch.
    """
    data, weights = find_data(pack, segment), address(pack.weights, 0)
    if pack.raw[segment]:
        copy_frames(data, pack.channels, np.int64(one), np.int64(other), here, there)
    else:
        unpack_rows(data, weights, pack.channels, np.int64(length), np.int64(one), np.int64(other), words, here, there)


# parts are called, not laid open: kernels that unpack at several places would take long to compile


@part
def copy_frames(data, channels, one, other, here, there):
    """Of a segment of plain numbers."""
    for i in range(4 * channels):
        write_float(here, i, read_float(data, 4 * channels * one + i))
        write_float(there, i, read_float(data, 4 * channels * other + i))


@part
def unpack_rows(data, weights, channels, length, one, other, words, here, there):
    find_knots(data, weights, channels, length, one, other, words)
    used = U(0)
    for channel in range(0, channels, LANES):
        a, b, centre, used = unpack_channels(channels, data, channel, used, words)
        write_next_fours(here + U(16 * channel), multiply(centre, a))
        write_next_fours(there + U(16 * channel), multiply(centre, b))


@part
def find_knots(data, table, channels, length, one, other, words):
    """Where the knots are on which two frames depend, by stride, and how much each counts.

    `table` is the address of `Pack.weights`."""
    starts = words + U(4 * WEIGHTS)
    sizes = read_word(data, channels)  # bits of a knot of all channels, by stride
    bit = np.int64(64 * (channels + 1))
    for kind in range(KINDS):
        size = np.int64((sizes >> U(16 * kind)) & U(ROW_MASK))
        first = place_knots(table, kind, length, one, other, words)
        write_word(starts, kind, U(bit + first * size))
        bit += (count_knots(length, kind) * size + 7) & -8


@inner
def prefetch_knots(data, channels, length, one):
    """Prefetch the knots on which a frame and the next depend; the segment's heads are read already."""
    sizes, bit = read_word(data, channels), np.int64(64 * (channels + 1))
    for kind in range(KINDS):
        size = np.int64((sizes >> U(16 * kind)) & U(ROW_MASK))
        start = bit + find_first_knot(kind, length, one) * size
        fetch(data + U(start >> 3), (TAPS * size + 7) >> 3)
        bit += (count_knots(length, kind) * size + 7) & -8


@inner
def find_first_knot(kind, length, one):
    """The first of the four knots on which frame `one` depends, for a stride."""
    if kind == 0:
        return one
    return max(min((one >> kind) - 1, count_knots(length, kind) - TAPS), 0)


@inner
def count_knots(length, kind):
    return ((length - 2 + (1 << kind)) >> kind) + 1


@inner
def place_knots(table, kind, length, one, other, weights):
    """The first of the four knots on which frames depend, for a stride; how much each counts is noted.

    The weights of frame `one` come first, those of `other` behind them, stride by stride, a number for each knot."""
    first = find_first_knot(kind, length, one)
    row, next_row = ((one << 3) >> kind) - (first << 3), ((other << 3) >> kind) - (first << 3)
    for pair in range(TAPS // 2):  # two floats at a time
        write_word(weights, TAPS // 2 * kind + pair, read_word(table, TAPS // 2 * row + pair))
        write_word(weights, TAPS // 2 * (KINDS + kind) + pair, read_word(table, TAPS // 2 * next_row + pair))
    return first


@inner
def unpack_channels(channels, data, channel, used, words):
    """Eight channels of two frames beyond their centres, and the centres, as rotations.

    `used`: the bits that channels before have in a knot, by stride; also returned for the next eight."""
    heads, sizes = data + U(8 * channel), read_word(data, channels)
    (ax, ay, az, bx, by, bz), used = mix_knots(data, heads, words + U(4 * WEIGHTS), sizes, used, words)
    most, range_x, range_y, range_z, cw, cx, cy, cz = read_heads(heads)
    factor = TWO / most
    scale = inverse_root(cw * cw + cx * cx + cy * cy + cz * cz)
    ranges = range_x, range_y, range_z
    centre = cw * scale, cx * scale, cy * scale, cz * scale
    return restore(ranges, factor, ax, ay, az), restore(ranges, factor, bx, by, bz), centre, used


@inner
def restore(ranges, factor, x, y, z):
    """From numbers of knots to a rotation."""
    one = splat(ONE)
    x, y, z = ranges[0] * (x * factor - one), ranges[1] * (y * factor - one), ranges[2] * (z * factor - one)
    return root(larger(one - x * x - y * y - z * z, splat(ZERO))), x, y, z


@inner
def multiply(a, b):
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
    )  # fmt: skip


@kernel(fastmath={"contract"}, counting=False)
def unpack_many(pack, starts, stops, frames, scratch, out):
    """Frames (N,) of the clips [starts, stops) into `out` (N, channels, 4); `scratch`: SCRATCH bytes."""
    for n in range(frames.shape[0]):
        frame = min(max(np.int64(frames[n]), 0), stops[-1] - 1)
        clip = find_clip(pack, stops, frame)
        segment = find_segment(pack, starts, clip, frame)
        begin = (frame - starts[clip]) // LENGTH * LENGTH
        length = min(stops[clip] - starts[clip] - begin, LENGTH)
        own = frame - starts[clip] - begin
        here = address(out, n)
        unpack_frames(pack, segment, length, own, own, address(scratch, 0), here, here)


@kernel
def write_knots(block, knots, kinds, widths, counts):
    """Knots of all channels of a segment, by their strides (4, ...), behind the heads; `counts` (4,) of knots."""
    bit = 64 * (kinds.shape[0] + 1)
    for kind in range(len(counts)):
        for knot in range(counts[kind]):
            for channel in range(kinds.shape[0]):
                if kinds[channel] == kind:
                    for i in range(3):
                        number = knots[kind][knot, channel, i]
                        for k in range(widths[channel]):
                            if number >> k & 1:
                                block[bit >> 3] |= np.uint8(1 << (bit & 7))
                            bit += 1
        bit = (bit + 7) & -8
