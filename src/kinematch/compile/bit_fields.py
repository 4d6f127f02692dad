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
def split_words(typing, words, heads):
    """The three lowest numbers of eight words, whose widths eight heads tell, as floats; both are addresses."""
    columns = types.UniTuple(lanes, 3)

    def generate(context, b, _, arguments):
        given, heads = (v.load(b, WORDS, address, align=8) for address in arguments)
        mask, width = _widest(b, heads), _mask(b, heads, WIDTH_MASK)
        numbers = []
        for _ in range(3):
            numbers.append(b.sitofp(b.trunc(b.and_(given, mask), INTS), FLOATS))
            given = b.lshr(given, width)
        return context.make_tuple(b, columns, numbers)

    return columns(types.uintp, types.uintp), generate


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
def choose_by_kind(typing, heads, numbers):
    """Of four floats at an address, for each of eight heads the one of its kind."""

    def generate(context, b, _, arguments):
        kinds = _mask(b, _shift(b, v.load(b, WORDS, arguments[0], align=8), WIDTH_BITS), KINDS - 1)
        chosen = None
        for kind in range(KINDS):
            number = v.splat(b, v.load(b, F32, arguments[1], v.integer(kind), align=4), FLOATS)
            same = b.icmp_unsigned("==", kinds, v.constant(WORDS, kind))
            chosen = number if chosen is None else b.select(same, number, chosen)
        return chosen

    return lanes(types.uintp, types.uintp), generate
