"""Bit fields in lanes: three signed numbers of each of eight lanes, of any widths, unpacked eight at a time.

A row of fields holds x of all lanes, then y, then z. Each of these is two runs of four lanes, as the halves of a vector
interleave. A run is read in one word, which ends with the run's last byte; the field of its first lane is the highest.
So every lane is a shift away from the top of a word, where its sign belongs, and nothing has to be gathered.

Rows are described by 56 bytes: two that are not used here; kind and size of a row in bytes; the byte after each of the
runs but the last, counted from the row's first; widths of x, y and z in bits, a byte for each lane; how far each lane
is shifted, for x, y and z, a byte for each lane of the first run, then of the second.
"""

import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.lanes import LANES, lanes
from kinematch.compile.vectors import F32, I8, I32, I64, intrinsic

RUNS = (0, 1, 4, 5), (2, 3, 6, 7)  # lanes of each
MOST_WIDTH = 14  # bits: a run of four, with up to 7 bits of the next behind it, fits into a word
TAPS = 4  # rows that are mixed
TINY_BIAS = 99 << 23  # a tiny float has 5 bits of exponent and 3 of mantissa, the upper ones of a float32 less this
LARGEST_TINY = 15.0 / 8 * 2.0 ** (31 + 99 - 127)
WHOLE = 31  # fields are the upper bits of whole numbers of 32 bits, which stand for -1 to 1

SIZE, ENDS, WIDTHS, SHIFTS, DESCRIPTION = 2, 3, 8, 32, 56  # bytes to these, and of all
KIND_SHIFT, SIZE_MASK = 6, 63  # of the byte that holds both

BYTES, INTS, FLOATS = (ir.VectorType(kind, LANES) for kind in (I8, I32, F32))
FOUR_BYTES, WORDS = ir.VectorType(I8, LANES // 2), ir.VectorType(I64, LANES // 2)


def measure_rows(widths: np.ndarray) -> np.ndarray:
    """Bytes of rows whose fields are so wide (..., 8, 3)."""
    return (widths.sum(axis=(-1, -2)) + 7) >> 3


def describe_rows(widths: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """(..., 56) uint8 for fields of some widths (..., 8, 3) and kinds (...)."""
    out = np.zeros((*kinds.shape, DESCRIPTION), np.uint8)
    own = widths.swapaxes(-1, -2)[..., np.array(RUNS)]  # (..., 3, 2, 4)
    totals = own.sum(axis=-1).reshape(*kinds.shape, 6)
    ends = np.cumsum(totals, axis=-1)
    out[..., SIZE] = measure_rows(widths) | kinds << KIND_SHIFT
    out[..., ENDS:WIDTHS] = (ends[..., :-1] + 7) >> 3
    out[..., WIDTHS:SHIFTS] = widths.swapaxes(-1, -2).reshape(*kinds.shape, -1)
    shifts = np.cumsum(own, axis=-1) - own + (-ends & 7).reshape(*kinds.shape, 3, 2, 1)
    out[..., SHIFTS:] = shifts.reshape(*kinds.shape, -1)
    return out


def _at(b, address, offset):
    return b.add(address, v.integer(offset))


def _widen(b, address):
    """Eight bytes at an address, as whole numbers."""
    return b.zext(v.load(b, BYTES, address), INTS)


class _Number:
    """Where x, y or z of the eight lanes are in a row."""

    def __init__(self, b, rows, i):
        sign = v.constant(INTS, -(1 << 31))
        widths = _widen(b, _at(b, rows, WIDTHS + LANES * i))
        self.mask = b.shl(b.ashr(sign, widths), v.constant(INTS, 1))  # the upper bits, as many as are wide
        self.places, self.shifts = [], []
        for run in (2 * i, 2 * i + 1):
            if run < 5:
                end = v.load(b, I8, _at(b, rows, ENDS + run))
            else:
                end = b.and_(v.load(b, I8, _at(b, rows, SIZE)), ir.Constant(I8, SIZE_MASK))
            self.places.append(b.sub(b.zext(end, I64), v.integer(8)))
            self.shifts.append(b.zext(v.load(b, FOUR_BYTES, _at(b, rows, SHIFTS + 4 * run)), WORDS))

    def read(self, b, row):
        """From the row at an address."""
        halves = []
        for place, shift in zip(self.places, self.shifts):
            word = v.splat(b, v.load(b, I64, b.add(row, place)), WORDS)
            halves.append(b.bitcast(b.shl(word, shift), INTS))
        upper = [2 * RUNS[lane in RUNS[1]].index(lane) + 1 + LANES * (lane in RUNS[1]) for lane in range(LANES)]
        return b.sitofp(b.and_(v.shuffle(b, halves[0], upper, halves[1]), self.mask), FLOATS)


@intrinsic
def read_fields(typing, rows, row, other):
    """x, y and z of one row, then of another, as whole numbers of 32 bits; `rows`: where they are described."""
    result = types.UniTuple(lanes, 6)

    def generate(context, b, _, arguments):
        numbers = [_Number(b, arguments[0], i) for i in range(3)]
        return context.make_tuple(b, result, [number.read(b, row) for row in arguments[1:] for number in numbers])

    return result(*[types.uintp] * 3), generate


@intrinsic
def mix_fields(typing, rows, row, size, weights, other_weights):
    """As `read_fields`, each the sum of four rows of a size in bytes, weighted by four float32 at an address."""
    result = types.UniTuple(lanes, 6)

    def generate(context, b, _, arguments):
        rows, row, size, *weights = arguments
        sums = [v.constant(FLOATS, 0.0)] * 6
        numbers = [_Number(b, rows, i) for i in range(3)]
        for tap in range(TAPS):
            shares = [v.splat(b, v.load(b, F32, one, v.integer(tap), align=4), FLOATS) for one in weights]
            for i, number in enumerate(numbers):
                read = number.read(b, row)
                for k, share in zip((i, i + 3), shares):
                    sums[k] = b.fadd(sums[k], b.fmul(share, read, flags=lanes.flags), flags=lanes.flags)
            row = b.add(row, size)
        return context.make_tuple(b, result, sums)

    return result(*[types.uintp] * 5), generate


@intrinsic
def read_ranges(typing, codes):
    """Eight tiny floats at an address, each divided by the whole number that stands for one."""

    def generate(context, b, _, arguments):
        bits = b.shl(_widen(b, *arguments), v.constant(INTS, 20))
        return b.bitcast(b.add(bits, v.constant(INTS, TINY_BIAS - (WHOLE << 23))), FLOATS)

    return lanes(types.uintp), generate


@intrinsic
def read_signed(typing, place):
    """Eight signed bytes at an address."""

    def generate(context, b, _, arguments):
        return b.sitofp(b.sext(v.load(b, BYTES, *arguments), INTS), FLOATS)

    return lanes(types.uintp), generate
