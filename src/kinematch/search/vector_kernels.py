"""Quantised bounds of sixteen boxes or frames at once, with the target's multiply-add instruction where it has one.

Auto-vectorised loops were several times slower, so the inner loops of the wide search are written as LLVM IR. All loads
are unaligned, column counts are known only at run time, and the arithmetic is on integers, so every target computes
the same bits.
"""

from typing import Any

from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import count_up, make_variable, target_features
from kinematch.compile.lanes import Lanes
from kinematch.compile.vectors import F32, F64, I1, I32, I64, intrinsic
from kinematch.search.tree_kernels import LANES, ROUNDING

QUERY_BLOCK = 8  # columns of a query that are quantised at once
QUERY_COLUMNS = 128  # columns reserved for a query: its floors follow its ceilings at this distance
NO_BOUND = 2**31 - 1  # the bound of a lane that is not admitted: above any other bound, and above any limit
I32X16, I16X32, I8X64 = (ir.VectorType(ir.IntType(bits), 512 // bits) for bits in (32, 16, 8))

# the instruction that multiplies pairs of 16-bit numbers and adds the products, and how many numbers it takes
MULTIPLY_ADD = {
    "+avx512bw": ("llvm.x86.avx512.pmaddw.d.512", 32),
    "+avx2": ("llvm.x86.avx2.pmadd.wd", 16),
    "+sse2": ("llvm.x86.sse2.pmadd.wd", 8),
}


def _sum_of_squares(context, b, pairs):
    """Sixteen sums of two squares each, of 32 values below 2^15."""
    features = target_features(context)
    for feature, (name, size) in MULTIPLY_ADD.items():
        if feature in features:
            return _multiply_add(b, pairs, name, size)
    halves = [b.zext(v.shuffle(b, pairs, range(start, 32, 2)), I32X16) for start in (0, 1)]
    return b.add(b.mul(halves[0], halves[0]), b.mul(halves[1], halves[1]))


def _multiply_add(b, pairs, name, size):
    """The x86 instruction of a size, applied part by part."""
    half = ir.VectorType(I32, size // 2)
    parts = [v.shuffle(b, pairs, range(start, start + size)) for start in range(0, 32, size)]
    return v.join(b, [v.call_named(b, name, half, [one, one]) for one in parts])


def _pack_bits(b, flags):
    """One bit for each lane that is true, as a 32-bit integer."""
    return b.zext(b.bitcast(flags, ir.IntType(flags.type.count)), I32)


def _gaps(b, *, low, high, up, down):
    """The distance from the query to a box in each column, zero inside; all four unsigned, saturating."""
    # low <= high and down <= up, so at most one of the two differences is above zero
    return b.or_(v.call(b, "usub.sat", low, up), v.call(b, "usub.sat", down, high))


def _query_at(b, query, index, vector):
    """Four bytes of a query's ceilings and four of its floors, each the same for all lanes."""
    behind = b.add(index, v.integer(QUERY_COLUMNS * vector.element.width // 32))
    return [b.bitcast(v.splat(b, v.load(b, I32, query, place), I32X16), vector) for place in (index, behind)]


def _make_quantiser(width, below):
    @intrinsic
    def quantise(typing, values, offsets, blocks, inverse, levels, out):
        """A query in steps, clamped to 0 and levels: rounded up, and rounded down less `below`, as integers."""
        doubles = types.float64, types.float64
        signature = types.void(types.uintp, types.uintp, types.int64, *doubles, types.uintp)

        def generate(context, b, _, arguments):
            values, offsets, blocks, inverse, levels, out = arguments
            real, whole = ir.VectorType(F64, QUERY_BLOCK), ir.VectorType(I32, QUERY_BLOCK)
            zero, most = v.constant(real, 0.0), v.splat(b, levels, real)

            def clamp(x):
                x = b.select(b.fcmp_ordered(">", x, zero), x, zero)
                return b.select(b.fcmp_ordered("<", x, most), x, most)

            def store(x, less, behind, block):
                lowest, less = v.constant(whole, 0), v.constant(whole, less)
                steps = b.sub(b.fptosi(clamp(x), whole), less)
                steps = b.select(b.icmp_signed(">", steps, lowest), steps, lowest)
                place = b.add(b.mul(block, v.integer(QUERY_BLOCK)), v.integer(behind))
                v.store(
                    b,
                    b.trunc(steps, ir.VectorType(ir.IntType(width), QUERY_BLOCK)),
                    b.add(out, b.mul(place, v.integer(width // 8))),
                )

            with count_up(b, v.integer(0), blocks) as block:
                value = b.fpext(v.load(b, ir.VectorType(F32, QUERY_BLOCK), values, block), real)
                x = clamp(b.fmul(b.fsub(value, v.load(b, real, offsets, block)), v.splat(b, inverse, real)))
                # truncation after one is added rounds up; a whole number may get one more
                store(b.fadd(x, v.constant(real, 1 + ROUNDING)), 0, 0, block)
                store(b.fsub(x, v.constant(real, ROUNDING)), below, QUERY_COLUMNS, block)
            return context.get_dummy_value()

        return signature, generate

    return quantise


quantise_fine, quantise_coarse = _make_quantiser(16, 1), _make_quantiser(8, 0)  # frames were rounded down by up to one


@intrinsic
def box_bounds(typing, node, query, quads, admitted, limit, out):
    """Lower bounds of 16 boxes, stored as int32 at out; returns the lanes at or below the limit as bits.

    Lanes that are not admitted get NO_BOUND and no bit. A node is [quads][low, high][16 boxes][4 columns] uint8; a
    query is [quads] of ceilings, then of floors, four uint8 each.
    """
    signature = types.uint32(types.uintp, types.uintp, types.int64, types.uint16, types.int32, types.uintp)

    def generate(context, b, _, arguments):
        node, query, quads, admitted, limit, out = arguments
        total = make_variable(b, v.constant(I32X16, 0))
        with count_up(b, v.integer(0), quads) as quad:
            up, down = _query_at(b, query, quad, I8X64)
            twice = b.shl(quad, v.integer(1))
            low, high = v.load(b, I8X64, node, twice), v.load(b, I8X64, node, b.add(twice, v.integer(1)))
            gaps = b.bitcast(_gaps(b, low=low, high=high, up=up, down=down), I16X32)
            even, odd = b.and_(gaps, v.constant(I16X32, 255)), b.lshr(gaps, v.constant(I16X32, 8))
            squares = b.add(_sum_of_squares(context, b, even), _sum_of_squares(context, b, odd))
            b.store(b.add(b.load(total), squares), total)
        return _admit(b, b.load(total), admitted, limit, out)

    return signature, generate


def _admit(b, bounds, admitted, limit, out):
    """Store the bounds of the lanes that are admitted; which of them are at or below the limit, as bits."""
    bounds = b.select(b.bitcast(admitted, ir.VectorType(I1, LANES)), bounds, v.constant(I32X16, NO_BOUND))
    v.store(b, bounds, out)
    return _pack_bits(b, b.icmp_signed("<=", bounds, v.splat(b, limit, I32X16)))


@intrinsic
def frame_bounds(typing, leaf, query, pairs, limit, out):
    """Lower bounds of the 16 frames of a leaf, stored as int32 at out; returns those at or below the limit as bits.

    It stops half way if all are above the limit by then. A leaf is [pairs][16 frames][2 columns] uint16, rounded down;
    a query is [pairs] of ceilings, then of floors less one, two uint16 each.
    """
    signature = types.uint32(types.uintp, types.uintp, types.int64, types.int32, types.uintp)

    def generate(context, b, _, arguments):
        leaf, query, pairs, limit, out = arguments
        total = make_variable(b, v.constant(I32X16, 0))
        bits = make_variable(b, ir.Constant(I32, 0))
        limits = v.splat(b, limit, I32X16)

        def add_pairs(start, stop):
            with count_up(b, start, stop) as index:
                up, down = _query_at(b, query, index, I16X32)
                frames = v.load(b, I16X32, leaf, index)
                squares = _sum_of_squares(context, b, _gaps(b, low=frames, high=frames, up=up, down=down))
                b.store(b.add(b.load(total), squares), total)
            b.store(_pack_bits(b, b.icmp_signed("<=", b.load(total), limits)), bits)

        # half, rounded to fours, by which the loops are unrolled
        half = b.and_(b.add(b.lshr(pairs, v.integer(1)), v.integer(3)), v.integer(-4))
        half = b.select(b.icmp_signed("<", half, pairs), half, pairs)
        add_pairs(v.integer(0), half)
        with b.if_then(b.icmp_unsigned("!=", b.load(bits), ir.Constant(I32, 0))):
            add_pairs(half, pairs)
            v.store(b, b.load(total), out)
        return b.load(bits)

    return signature, generate


@intrinsic
def admit_bounds(typing, bounds, admitted, limit, out):
    """As `box_bounds`, for bounds that are known, as float32 lanes: their bits are in the order of the numbers."""
    signature = types.uint32(bounds, types.uint16, types.int32, types.uintp)

    def generate(context, b, _, arguments):
        return _admit(b, b.bitcast(arguments[0], I32X16), *arguments[1:])

    return signature, generate


def make_code_reader(kind: Lanes) -> Any:
    """A function that reads the n-th pair of columns of a leaf at an address, each as floats for 16 frames."""
    columns = types.UniTuple(kind, 2)

    def read_codes(typing, leaf, pair):
        def generate(context, b, _, arguments):
            both = b.bitcast(v.load(b, I16X32, *arguments), I32X16)
            codes = b.and_(both, v.constant(I32X16, 2**16 - 1)), b.lshr(both, v.constant(I32X16, 16))
            return context.make_tuple(b, columns, [b.sitofp(one, kind.wide) for one in codes])

        return columns(types.uintp, types.int64), generate

    return intrinsic(read_codes)


@intrinsic
def lanes_at_most(typing, address, limit):
    """Which of sixteen integers are at or below a limit, as bits."""

    def generate(context, b, _, arguments):
        values = v.load(b, I32X16, arguments[0])
        return _pack_bits(b, b.icmp_signed("<=", values, v.splat(b, arguments[1], I32X16)))

    return types.uint32(types.uintp, types.int32), generate


@intrinsic
def index_of_least(typing, address, count):
    """The index of the least of `count` times sixteen integers, any of them if equal; count must not be zero."""

    def generate(context, b, _, arguments):
        address, count = arguments
        own = ir.Constant(I32X16, list(range(LANES)))
        least, where = make_variable(b, v.constant(I32X16, NO_BOUND)), make_variable(b, own)
        with count_up(b, v.integer(0), count) as row:
            values, old = v.load(b, I32X16, address, row), b.load(least)
            places = b.add(own, v.splat(b, b.shl(b.trunc(row, I32), ir.Constant(I32, 4)), I32X16))
            smaller = b.icmp_signed("<", values, old)
            b.store(b.select(smaller, values, old), least)
            b.store(b.select(smaller, places, b.load(where)), where)
        values, places = b.load(least), b.load(where)
        for distance in (8, 4, 2, 1):
            order = [lane ^ distance for lane in range(LANES)]
            other, there = v.shuffle(b, values, order), v.shuffle(b, places, order)
            smaller = b.icmp_signed("<", other, values)
            values, places = b.select(smaller, other, values), b.select(smaller, there, places)
        return b.zext(b.extract_element(places, ir.Constant(I32, 0)), I64)

    return types.int64(types.uintp, types.int64), generate


@intrinsic
def add_lanes(typing, values):
    """The sum of all lanes, from the first to the last."""

    def generate(context, b, _, arguments):
        total = b.extract_element(arguments[0], ir.Constant(I32, 0))
        for lane in range(1, values.count):
            total = b.fadd(total, b.extract_element(arguments[0], ir.Constant(I32, lane)))
        return total

    return values.number(values), generate
