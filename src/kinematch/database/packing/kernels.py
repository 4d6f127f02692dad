"""Kernels that unpack: frames of a segment, eight channels at a time."""

import numpy as np

from kinematch.compile.bit_fields import WIDTH_BITS, WIDTH_MASK, choose_by_kind, read_heads, split_words
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import LANES, inverse_root, larger, root, splat
from kinematch.compile.memory import address, read_float, read_word, write_float, write_word
from kinematch.compile.rows import write_next_fours
from kinematch.database.packing.layout import BLOCK, LENGTH, TAPS, UNIT

U = np.uintp
ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
WEIGHTS = 32  # floats: of two frames, four knots and four strides


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
def measure_words(channels):
    """Bytes of scratch that unpacking takes."""
    return 8 * TAPS * channels + 4 * WEIGHTS


@inner
def unpack_frames(pack, segment, length, one, other, words, here, there):
    """Two frames of a segment of `length` frames, which `one` and `other` count from its first, the same or neighbours.

    Each channel's w, x, y, z go to the addresses `here` and `there`; `words` is the address of scratch.
    """
    data = address(pack.data, 0) + U(UNIT) * U(pack.offsets[segment])
    if pack.raw[segment]:
        for i in range(4 * pack.channels):
            write_float(here, i, read_float(data, 4 * pack.channels * one + i))
            write_float(there, i, read_float(data, 4 * pack.channels * other + i))
        return
    weights = words + U(8 * TAPS * pack.channels)
    firsts = (
        place_knots(pack, 0, length, one, other, weights), place_knots(pack, 1, length, one, other, weights),
        place_knots(pack, 2, length, one, other, weights), place_knots(pack, 3, length, one, other, weights),
    )  # fmt: skip
    gather_words(pack, data, length, firsts, words)
    for channel in range(0, pack.channels, LANES):
        unpack_channels(pack.channels, data, channel, words, weights, here, there)


@inner
def place_knots(pack, kind, length, one, other, weights):
    """The first of the four knots on which frames depend, for a stride; how much each counts is noted.

    The weights of frame `one` come first, those of `other` behind them, knot by knot, a number for each stride."""
    first = one
    if kind > 0:
        last = ((length - 1 + (1 << kind) - 1) >> kind) + 1 - TAPS
        first = max(min((one >> kind) - 1, last), 0)
    row, next_row = ((one << 3) >> kind) - (first << 3), ((other << 3) >> kind) - (first << 3)
    for tap in range(TAPS):
        write_float(weights, 4 * tap + kind, pack.weights[row, tap])
        write_float(weights, 4 * (TAPS + tap) + kind, pack.weights[next_row, tap])
    return first


@inner
def gather_words(pack, data, length, firsts, words):
    """The bits of four knots of every channel, one word each."""
    place = data + U(8 * pack.channels)
    for channel in range(pack.channels):
        head = read_word(data, channel)
        width, kind = np.int64(3 * (head & U(WIDTH_MASK))), np.int64((head >> U(WIDTH_BITS)) & U(3))
        first = firsts[0] if kind == 0 else firsts[1] if kind == 1 else firsts[2] if kind == 2 else firsts[3]
        bit = first * width
        for tap in range(TAPS):
            write_word(words, tap * pack.channels + channel, read_word(place + U(bit >> 3), 0) >> U(bit & 7))
            bit += width
        knots = ((length - 1 + (1 << kind) - 1) >> kind) + 1
        place += U((knots * width + 7) >> 3)


@inner
def unpack_channels(channels, data, channel, words, weights, here, there):
    """Eight channels of two frames."""
    heads = data + U(8 * channel)
    ax = ay = az = bx = by = bz = splat(ZERO)
    for tap in range(TAPS):
        x, y, z = split_words(words + U(8 * (tap * channels + channel)), heads)
        share = choose_by_kind(heads, weights + U(16 * tap))
        ax, ay, az = ax + share * x, ay + share * y, az + share * z
        share = choose_by_kind(heads, weights + U(16 * (TAPS + tap)))
        bx, by, bz = bx + share * x, by + share * y, bz + share * z
    most, range_x, range_y, range_z, cw, cx, cy, cz = read_heads(heads)
    factor = TWO / most
    scale = inverse_root(cw * cw + cx * cx + cy * cy + cz * cz)
    ranges, centre = (range_x, range_y, range_z), (cw * scale, cx * scale, cy * scale, cz * scale)
    write_next_fours(here + U(16 * channel), add_centre(centre, ranges, factor, ax, ay, az))
    write_next_fours(there + U(16 * channel), add_centre(centre, ranges, factor, bx, by, bz))


@inner
def add_centre(centre, ranges, factor, x, y, z):
    """From numbers of knots to a rotation."""
    one = splat(ONE)
    x, y, z = ranges[0] * (x * factor - one), ranges[1] * (y * factor - one), ranges[2] * (z * factor - one)
    w = root(larger(one - x * x - y * y - z * z, splat(ZERO)))
    cw, cx, cy, cz = centre
    return (
        cw * w - cx * x - cy * y - cz * z, cw * x + cx * w + cy * z - cz * y,
        cw * y - cx * z + cy * w + cz * x, cw * z + cx * y - cy * x + cz * w,
    )  # fmt: skip


@kernel(fastmath={"contract"}, counting=False)
def unpack_many(pack, starts, stops, frames, scratch, out):
    """Frames (N,) of the clips [starts, stops) into `out` (N, channels, 4); `scratch` as `measure_words` says."""
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
    """Knots of the channels of a segment, by their strides (4, ...), behind the heads."""
    place = 8 * kinds.shape[0]
    for channel in range(kinds.shape[0]):
        kind, width = kinds[channel], widths[channel]
        bit = 0
        for knot in range(counts[channel]):
            for i in range(3):
                number = knots[kind][knot, channel, i]
                for k in range(width):
                    if number >> k & 1:
                        block[place + (bit >> 3)] |= np.uint8(1 << (bit & 7))
                    bit += 1
        place += (bit + 7) >> 3
