"""Bit fields in lanes: three signed numbers of each of eight lanes, of any widths, unpacked eight at a time.

A row of fields holds x of all lanes, then y, then z. Each of these is two runs of four lanes, as the halves of a vector
interleave. A run is read in one word, which ends with the run's last byte; the field of its first lane is the highest.
So every lane is a shift away from the top of a word, where its sign belongs, and nothing has to be gathered.

Widths are three words, of x, y and z, with a byte for each lane, whose lower half counts.
"""

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

WIDTH_BYTES = 0x0F0F0F0F0F0F0F0F
ONES = 0x0101010101010101  # times bytes: the sum of those up to each
RUN_BYTES = 0x0000FFFF0000FFFF, 0xFFFF0000FFFF0000

BYTES, INTS, FLOATS = (ir.VectorType(kind, LANES) for kind in (I8, I32, F32))
WORDS = ir.VectorType(I64, LANES // 2)


def _widen(b, word):
    """Eight bytes as whole numbers."""
    return b.zext(b.bitcast(word, BYTES), INTS)


class _Number:
    """Where x, y or z of the eight lanes are in a row; `end` is the bit after what comes before it."""

    def __init__(self, b, word, end):
        widths = b.and_(word, v.integer(WIDTH_BYTES))
        sums = [b.mul(b.and_(widths, v.integer(run)), v.integer(ONES)) for run in RUN_BYTES]
        before = [b.and_(b.shl(total, v.integer(8)), v.integer(run)) for total, run in zip(sums, RUN_BYTES)]
        above = _widen(b, b.or_(*before))  # bits of the run that are higher than each lane's
        sign = v.constant(INTS, -(1 << 31))
        self.mask = b.shl(b.ashr(sign, _widen(b, widths)), v.constant(INTS, 1))  # the upper bits, as many as are wide
        self.places, self.shifts = [], []
        for run, total in zip(RUNS, sums):
            end = b.add(end, b.lshr(total, v.integer(56)))
            self.places.append(b.sub(b.lshr(b.add(end, v.integer(7)), v.integer(3)), v.integer(8)))
            beyond = b.and_(b.sub(v.integer(0), end), v.integer(7))  # bits of the word that are behind the run
            own = v.shuffle(b, above, [i for lane in run for i in (lane, LANES)], v.constant(INTS, 0))
            self.shifts.append(b.add(b.bitcast(own, WORDS), v.splat(b, beyond, WORDS)))
        self.end = end

    def read(self, b, row):
        """From the row at an address."""
        halves = []
        for place, shift in zip(self.places, self.shifts):
            word = v.splat(b, v.load(b, I64, b.add(row, place)), WORDS)
            halves.append(b.bitcast(b.shl(word, shift), INTS))
        upper = [2 * RUNS[lane in RUNS[1]].index(lane) + 1 + LANES * (lane in RUNS[1]) for lane in range(LANES)]
        return b.sitofp(b.and_(v.shuffle(b, halves[0], upper, halves[1]), self.mask), FLOATS)


def _open_numbers(b, widths):
    """x, y and z of rows whose widths are at an address."""
    end, numbers = v.integer(0), []
    for i in range(3):
        numbers.append(_Number(b, v.load(b, I64, widths, v.integer(i), align=8), end))
        end = numbers[-1].end
    return numbers


@intrinsic
def read_fields(typing, widths, row, other):
    """x, y and z of one row, then of another, as whole numbers of 32 bits; all three are addresses."""
    result = types.UniTuple(lanes, 6)

    def generate(context, b, _, arguments):
        numbers = _open_numbers(b, arguments[0])
        return context.make_tuple(b, result, [number.read(b, row) for row in arguments[1:] for number in numbers])

    return result(*[types.uintp] * 3), generate


@intrinsic
def mix_fields(typing, widths, row, size, weights, other_weights):
    """As `read_fields`, each the sum of four rows of a size in bytes, weighted by four float32 at an address."""
    result = types.UniTuple(lanes, 6)

    def generate(context, b, _, arguments):
        widths, row, size, *weights = arguments
        sums = [v.constant(FLOATS, 0.0)] * 6
        numbers = _open_numbers(b, widths)
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
def read_halves(typing, widths):
    """Half of the smallest step of fields, for eight widths at an address: rounding down took it away."""

    def generate(context, b, _, arguments):
        own = _widen(b, b.and_(v.load(b, I64, arguments[0], align=8), v.integer(WIDTH_BYTES)))
        bits = b.shl(b.sub(v.constant(INTS, 127 + WHOLE), own), v.constant(INTS, 23))
        return b.bitcast(bits, FLOATS)

    return lanes(types.uintp), generate


@intrinsic
def read_ranges(typing, codes):
    """Eight tiny floats at an address, each divided by the whole number that stands for one."""

    def generate(context, b, _, arguments):
        own = _widen(b, v.load(b, I64, arguments[0], align=8))
        bits = b.add(b.shl(own, v.constant(INTS, 20)), v.constant(INTS, TINY_BIAS - (WHOLE << 23)))
        return b.bitcast(bits, FLOATS)

    return lanes(types.uintp), generate


@intrinsic
def read_signed(typing, place):
    """Eight signed bytes at an address."""

    def generate(context, b, _, arguments):
        own = b.bitcast(v.load(b, I64, arguments[0], align=8), BYTES)
        return b.sitofp(b.sext(own, INTS), FLOATS)

    return lanes(types.uintp), generate
