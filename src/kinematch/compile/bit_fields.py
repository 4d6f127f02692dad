"""Bit fields in lanes: eight words at a time are split into the small numbers that are packed in them.

A field is described by a word of 64 bits, its head, from the lowest bit: 5 bits width, 2 bits kind, 1 unused; three
bytes that are tiny floats; four signed bytes.
"""

from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.lanes import LANES, lanes
from kinematch.compile.vectors import F32, I32, I64, intrinsic

WIDTH_BITS, WIDTH_MASK = 5, 31
KINDS = 4
TAPS = 4  # knots that are mixed
ROW_MASK = 65535  # of one of four counts in a word
MOST_WIDTH = 19  # bits: three of them, behind up to 7 bits of others, fit in a word that is read at any byte
TINY_BIAS = 99 << 23  # a tiny float has 5 bits of exponent and 3 of mantissa, the upper ones of a float32 less this
LARGEST_TINY = 15.0 / 8 * 2.0 ** (31 + 99 - 127)

WORDS, INTS, FLOATS = (ir.VectorType(kind, LANES) for kind in (I64, I32, F32))


def _shift(b, words, bits):
    return b.lshr(words, v.constant(WORDS, bits))


def _mask(b, words, mask):
    return b.and_(words, v.constant(WORDS, mask))


def _widest(b, heads):
    """The largest number of each lane's width."""
    one = v.constant(WORDS, 1)
    return b.sub(b.shl(one, _mask(b, heads, WIDTH_MASK)), one)


@intrinsic
def read_heads(typing, heads):
    """Of eight heads: the largest number of the width (1 for none), three tiny floats, four signed bytes as floats."""
    columns = types.UniTuple(lanes, 8)

    def generate(context, b, _, arguments):
        given = v.load(b, WORDS, arguments[0], align=8)
        most = b.sitofp(b.trunc(_widest(b, given), INTS), FLOATS)
        numbers = [v.call(b, "maxnum", most, v.constant(FLOATS, 1.0))]
        for shift in (8, 16, 24):
            tiny = b.trunc(_mask(b, _shift(b, given, shift), 255), INTS)
            bits = b.add(b.shl(tiny, v.constant(INTS, 20)), v.constant(INTS, TINY_BIAS))
            numbers.append(b.bitcast(bits, FLOATS))
        for shift in (32, 40, 48, 56):
            byte = b.shl(b.trunc(_shift(b, given, shift), INTS), v.constant(INTS, 24))
            numbers.append(b.sitofp(b.ashr(byte, v.constant(INTS, 24)), FLOATS))
        return context.make_tuple(b, columns, numbers)

    return columns(types.uintp), generate


@intrinsic
def mix_knots(typing, data, heads, starts, sizes, used, weights):
    """Eight fields of two frames, each as a sum of numbers at four knots; and `used` for the next eight.

    `data`, `heads`, `starts` and `weights` are addresses. Knots of fields of one kind are rows of bits, the fields one
    after the other, three numbers each. `starts` (4,) are the bits where the first row of each kind begins, `sizes`
    the bits of a row and `used` those of the fields before, 16 bits for each kind. `weights` (2, 4, 4) float32 are how
    much each of four knots counts in each of two frames, by kind. Returns x, y, z of the one frame, then of the other.
    """
    result = types.Tuple((types.UniTuple(lanes, 6), types.uint64))

    def generate(context, b, signature, arguments):
        data, heads, starts, sizes, used, weights = arguments
        given = v.load(b, WORDS, heads, align=8)
        kinds = _mask(b, _shift(b, given, WIDTH_BITS), KINDS - 1)
        are = [b.icmp_unsigned("==", b.trunc(kinds, INTS), v.constant(INTS, kind)) for kind in range(1, KINDS)]
        columns = b.shl(kinds, v.constant(WORDS, 4))  # where the count of a kind is among four
        width, mask = _mask(b, given, WIDTH_MASK), _widest(b, given)
        own = b.shl(b.mul(width, v.constant(WORDS, 3)), columns)
        total = _add_up(b, own)
        before = b.add(b.sub(total, own), v.splat(b, used, WORDS))
        row = _mask(b, b.lshr(v.splat(b, sizes, WORDS), columns), ROW_MASK)
        place = _choose(b, are, WORDS, [v.load(b, I64, starts, v.integer(kind), align=8) for kind in range(KINDS)])
        place = b.add(place, _mask(b, b.lshr(before, columns), ROW_MASK))
        sums = [v.constant(FLOATS, 0.0)] * 6
        for tap in range(TAPS):
            words = v.gather(b, WORDS, b.add(v.splat(b, data, WORDS), _shift(b, place, 3)))
            words, place = b.lshr(words, _mask(b, place, 7)), b.add(place, row)
            numbers = []
            for _ in range(3):
                numbers.append(b.sitofp(b.trunc(b.and_(words, mask), INTS), FLOATS))
                words = b.lshr(words, width)
            for frame in range(2):
                places = [v.integer(TAPS * (KINDS * frame + kind) + tap) for kind in range(KINDS)]
                share = _choose(b, are, FLOATS, [v.load(b, F32, weights, one, align=4) for one in places])
                for i, number in enumerate(numbers, 3 * frame):
                    product = b.fmul(share, number, flags=lanes.flags)
                    sums[i] = b.fadd(sums[i], product, flags=lanes.flags)
        mixed = context.make_tuple(b, result.types[0], sums)
        last = b.extract_element(total, ir.Constant(I32, LANES - 1))
        return context.make_tuple(b, result, [mixed, b.add(used, last)])

    return result(*[types.uintp] * 3, *[types.uint64] * 2, types.uintp), generate


def _add_up(b, words):
    """In each lane the sum of the lanes up to it."""
    for step in (1, 2, 4):
        order = [lane - step if lane >= step else LANES for lane in range(LANES)]
        words = b.add(words, v.shuffle(b, words, order, v.constant(WORDS, 0)))
    return words


def _choose(b, are, kind, numbers):
    """Of four numbers, in each lane that of its kind; `are` tells for the second to the fourth whether it is."""
    chosen = v.splat(b, numbers[0], kind)
    for same, number in zip(are, numbers[1:]):
        chosen = b.select(same, v.splat(b, number, kind), chosen)
    return chosen
