"""Sixteen lanes at once: vector instructions for numba that every target accepts, and faster ones where it has them.

Auto-vectorised loops were measured to be several times slower, so the few inner loops of the wide search are written
in LLVM's own language. All loads are unaligned, and column counts are run-time values. Nothing is fused or reordered
in floating point, so every target computes the same bits.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _typed_intrinsic

from kinematch.search.tree_kernels import ROUNDING

intrinsic: Any = _typed_intrinsic  # whose annotations speak of the first argument, which callers do not give

I1, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
F32, F64 = ir.FloatType(), ir.DoubleType()
LANES = 16
LINE = 64  # bytes of the cache
BLOCK = 8  # columns of a query that are quantised at once
PLACES = 128  # columns that a query has room for: its floors follow so far behind its ceilings
FARTHEST = 2**31 - 1  # above any bound of 128 columns of 12 bits, and above any limit
I32X16, I16X32, I8X64 = (ir.VectorType(ir.IntType(bits), 512 // bits) for bits in (32, 16, 8))


def _load(b, vector, address, index):
    """The index-th vector behind an address, wherever it lies."""
    pointer = b.gep(b.inttoptr(address, vector.as_pointer()), [index])
    loaded = b.load(pointer)
    loaded.align = 1
    return loaded


def _store(b, value, address):
    stored = b.store(value, b.inttoptr(address, value.type.as_pointer()))
    stored.align = 1


def _splat(b, scalar, vector):
    empty = ir.Constant(vector, ir.Undefined)
    first = b.insert_element(empty, scalar, ir.Constant(I32, 0))
    return b.shuffle_vector(first, empty, ir.Constant(ir.VectorType(I32, vector.count), [0] * vector.count))


def _bits(b, lanes):
    """One bit for each lane that is true."""
    return b.zext(b.bitcast(lanes, ir.IntType(LANES)), I32)


# the instruction that multiplies pairs of 16-bit numbers and adds the products, and how many numbers it takes
MULTIPLY_ADD = {
    "+avx512bw": ("llvm.x86.avx512.pmaddw.d.512", 32),
    "+avx2": ("llvm.x86.avx2.pmadd.wd", 16),
    "+sse2": ("llvm.x86.sse2.pmadd.wd", 8),
}


def target_features(context) -> list[str]:
    """What the target compiled for can do, which need not be what this machine can."""
    return context.codegen()._tm_features.split(",")


def _sum_of_squares(context, b, pairs):
    """16 sums of two squares each, of 32 values below 2^15, with the target's own instruction where it has one."""
    features = target_features(context)
    for feature, (name, size) in MULTIPLY_ADD.items():
        if feature in features:
            return _multiply_add(b, pairs, name, size)
    empty = ir.Constant(I16X32, ir.Undefined)
    halves = [
        b.zext(b.shuffle_vector(pairs, empty, ir.Constant(I32X16, list(range(start, 32, 2)))), I32X16)
        for start in (0, 1)
    ]
    return b.add(b.mul(halves[0], halves[0]), b.mul(halves[1], halves[1]))


def _multiply_add(b, pairs, name, size):
    """The x86 instruction of a size on each part of 32 values, the parts joined again."""
    part, half = ir.VectorType(I16, size), ir.VectorType(I32, size // 2)
    function = cgutils.get_or_insert_function(b.module, ir.FunctionType(half, [part, part]), name)
    empty = ir.Constant(I16X32, ir.Undefined)
    results = []
    for start in range(0, 32, size):
        taken = b.shuffle_vector(pairs, empty, ir.Constant(ir.VectorType(I32, size), list(range(start, start + size))))
        results.append(b.call(function, [taken, taken]))
    while len(results) > 1:
        count = results[0].type.count
        order = ir.Constant(ir.VectorType(I32, 2 * count), list(range(2 * count)))
        results = [b.shuffle_vector(a, c, order) for a, c in zip(results[::2], results[1::2])]
    return results[0]


def _gaps(b, *, low, high, up, down):
    """How far beyond a box the query lies in each column, zero where within; all four unsigned, saturating."""
    name = f"llvm.usub.sat.v{low.type.count}i{low.type.element.width}"
    saturate = cgutils.get_or_insert_function(b.module, ir.FunctionType(low.type, [low.type, low.type]), name)
    # low <= high and down <= up, so at most one of the two differences is above zero
    return b.or_(b.call(saturate, [low, up]), b.call(saturate, [down, high]))


def _query_at(b, query, index, vector):
    """Four bytes of a query's ceilings and four of its floors, the same for all lanes."""
    behind = b.add(index, ir.Constant(I64, PLACES * vector.element.width // 32))
    return [b.bitcast(_splat(b, _load(b, I32, query, place), I32X16), vector) for place in (index, behind)]


def _quantiser(width, below):
    @intrinsic
    def quantise(typing, values, offsets, blocks, inverse, levels, out):
        """A query's float32 in steps, within 0 and levels: rounded up, and rounded down less `below`, as integers."""
        doubles = types.float64, types.float64
        signature = types.void(types.uintp, types.uintp, types.int64, *doubles, types.uintp)

        def generate(context, b, _, arguments):
            values, offsets, blocks, inverse, levels, out = arguments
            real, whole = ir.VectorType(F64, BLOCK), ir.VectorType(I32, BLOCK)
            zero, most = ir.Constant(real, [0.0] * BLOCK), _splat(b, levels, real)

            def between(x):
                x = b.select(b.fcmp_ordered(">", x, zero), x, zero)
                return b.select(b.fcmp_ordered("<", x, most), x, most)

            def store(x, less, behind, block):
                lowest, less = ir.Constant(whole, [0] * BLOCK), ir.Constant(whole, [less] * BLOCK)
                steps = b.sub(b.fptosi(between(x), whole), less)
                steps = b.select(b.icmp_signed(">", steps, lowest), steps, lowest)
                place = b.add(b.mul(block, ir.Constant(I64, BLOCK)), ir.Constant(I64, behind))
                at = b.add(out, b.mul(place, ir.Constant(I64, width // 8)))
                _store(b, b.trunc(steps, ir.VectorType(ir.IntType(width), BLOCK)), at)

            with cgutils.for_range(b, blocks) as loop:
                value = b.fpext(_load(b, ir.VectorType(F32, BLOCK), values, loop.index), real)
                x = b.fmul(b.fsub(value, _load(b, real, offsets, loop.index)), _splat(b, inverse, real))
                # what is cut off after one is added is rounded up; what is a whole number may get one more
                x = between(x)
                store(b.fadd(x, ir.Constant(real, [1 + ROUNDING] * BLOCK)), 0, 0, loop.index)
                store(b.fsub(x, ir.Constant(real, [ROUNDING] * BLOCK)), below, PLACES, loop.index)
            return context.get_dummy_value()

        return signature, generate

    return quantise


quantise_fine, quantise_coarse = _quantiser(16, 1), _quantiser(8, 0)  # frames were rounded down, by one at most


@intrinsic
def box_bounds(typing, node, query, quads, admitted, limit, out):
    """Lower bounds of 16 boxes, stored as int32 at out; returns the lanes at or below the limit as bits.

    Lanes that are not admitted get FARTHEST and no bit. A node is [quads][low, high][16 boxes][4 columns] uint8; a
    query is [quads] of ceilings, then of floors, four uint8 each.
    """
    signature = types.uint32(types.uintp, types.uintp, types.int64, types.uint16, types.int32, types.uintp)

    def generate(context, b, _, arguments):
        node, query, quads, admitted, limit, out = arguments
        total = cgutils.alloca_once_value(b, ir.Constant(I32X16, [0] * LANES))
        with cgutils.for_range(b, quads) as loop:
            up, down = _query_at(b, query, loop.index, I8X64)
            twice = b.shl(loop.index, ir.Constant(I64, 1))
            low, high = _load(b, I8X64, node, twice), _load(b, I8X64, node, b.add(twice, ir.Constant(I64, 1)))
            gaps = b.bitcast(_gaps(b, low=low, high=high, up=up, down=down), I16X32)
            even, odd = b.and_(gaps, ir.Constant(I16X32, [255] * 32)), b.lshr(gaps, ir.Constant(I16X32, [8] * 32))
            squares = b.add(_sum_of_squares(context, b, even), _sum_of_squares(context, b, odd))
            b.store(b.add(b.load(total), squares), total)
        lanes = b.bitcast(admitted, ir.VectorType(I1, LANES))
        bounds = b.select(lanes, b.load(total), ir.Constant(I32X16, [FARTHEST] * LANES))
        _store(b, bounds, out)
        return _bits(b, b.icmp_signed("<=", bounds, _splat(b, limit, I32X16)))

    return signature, generate


@intrinsic
def frame_bounds(typing, leaf, query, pairs, limit, out):
    """Lower bounds of the 16 frames of a leaf, stored as int32 at out; returns those at or below the limit as bits.

    It gives up half way where all are above the limit by then. A leaf is [pairs][16 frames][2 columns] uint16, rounded
    down; a query is [pairs] of ceilings, then of floors less one, two uint16 each.
    """
    signature = types.uint32(types.uintp, types.uintp, types.int64, types.int32, types.uintp)

    def generate(context, b, _, arguments):
        leaf, query, pairs, limit, out = arguments
        total = cgutils.alloca_once_value(b, ir.Constant(I32X16, [0] * LANES))
        bits = cgutils.alloca_once(b, I32)
        limits = _splat(b, limit, I32X16)

        def add_pairs(start, stop):
            with cgutils.for_range_slice(b, start, stop, ir.Constant(I64, 1), I64) as (index, _):
                up, down = _query_at(b, query, index, I16X32)
                frames = _load(b, I16X32, leaf, index)
                squares = _sum_of_squares(context, b, _gaps(b, low=frames, high=frames, up=up, down=down))
                b.store(b.add(b.load(total), squares), total)
            b.store(_bits(b, b.icmp_signed("<=", b.load(total), limits)), bits)

        # half, in whole fours, by which the loops are unrolled
        half = b.and_(b.add(b.lshr(pairs, ir.Constant(I64, 1)), ir.Constant(I64, 3)), ir.Constant(I64, -4))
        half = b.select(b.icmp_signed("<", half, pairs), half, pairs)
        add_pairs(ir.Constant(I64, 0), half)
        with b.if_then(b.icmp_unsigned("!=", b.load(bits), ir.Constant(I32, 0))):
            add_pairs(half, pairs)
            _store(b, b.load(total), out)
        return b.load(bits)

    return signature, generate


@intrinsic
def lanes_at_most(typing, address, limit):
    """Which of 16 int32 are at or below a limit, as bits."""
    signature = types.uint32(types.uintp, types.int32)

    def generate(context, b, _, arguments):
        values = _load(b, I32X16, arguments[0], ir.Constant(I64, 0))
        return _bits(b, b.icmp_signed("<=", values, _splat(b, arguments[1], I32X16)))

    return signature, generate


@intrinsic
def nearest_lane(typing, address, count):
    """Where the smallest int32 of `count` times 16 stands, any of the smallest; there must be one."""
    signature = types.int64(types.uintp, types.int64)

    def generate(context, b, _, arguments):
        address, count = arguments
        own = ir.Constant(I32X16, list(range(LANES)))
        least = cgutils.alloca_once_value(b, ir.Constant(I32X16, [FARTHEST] * LANES))
        where = cgutils.alloca_once_value(b, own)
        with cgutils.for_range(b, count) as loop:
            values, old = _load(b, I32X16, address, loop.index), b.load(least)
            places = b.add(own, _splat(b, b.shl(b.trunc(loop.index, I32), ir.Constant(I32, 4)), I32X16))
            smaller = b.icmp_signed("<", values, old)
            b.store(b.select(smaller, values, old), least)
            b.store(b.select(smaller, places, b.load(where)), where)
        values, places, empty = b.load(least), b.load(where), ir.Constant(I32X16, ir.Undefined)
        for half in (8, 4, 2, 1):
            order = ir.Constant(I32X16, [lane ^ half for lane in range(LANES)])
            other, there = b.shuffle_vector(values, empty, order), b.shuffle_vector(places, empty, order)
            smaller = b.icmp_signed("<", other, values)
            values, places = b.select(smaller, other, values), b.select(smaller, there, places)
        return b.zext(b.extract_element(places, ir.Constant(I32, 0)), I64)

    return signature, generate


@intrinsic
def first_bit(typing, bits):
    """The index of the lowest bit that is set; there must be one."""
    signature = types.int64(types.uint64)

    def generate(context, b, _, arguments):
        return b.cttz(arguments[0], ir.Constant(I1, 1))

    return signature, generate


def _reader(numba_type, llvm_type):
    @intrinsic
    def read(typing, address, index):
        signature = numba_type(types.uintp, types.int64)

        def generate(context, b, _, arguments):
            return _load(b, llvm_type, arguments[0], arguments[1])

        return signature, generate

    return read


def _writer(numba_type, llvm_type):
    @intrinsic
    def write(typing, address, index, value):
        signature = types.void(types.uintp, types.int64, numba_type)

        def generate(context, b, _, arguments):
            pointer = b.gep(b.inttoptr(arguments[0], llvm_type.as_pointer()), [arguments[1]])
            stored = b.store(arguments[2], pointer)
            stored.align = 1
            return context.get_dummy_value()

        return signature, generate

    return write


read_float, read_double = _reader(types.float32, F32), _reader(types.float64, F64)
read_byte, read_short = _reader(types.uint8, ir.IntType(8)), _reader(types.uint16, I16)
read_word, write_word = _reader(types.uint64, I64), _writer(types.uint64, I64)
read_int, size, address = _reader(types.int32, I32), _reader(types.int64, I64), _reader(types.uintp, I64)
write_float, write_int = _writer(types.float32, F32), _writer(types.int32, I32)
write_short = _writer(types.uint16, I16)
