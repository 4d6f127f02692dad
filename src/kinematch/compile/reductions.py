"""Reductions of rows of sixteen 32-bit integers: which are at most a limit, and where the least is."""

from llvmlite import ir
from numba import types
from numba.core import cgutils

from kinematch.compile import vectors as v
from kinematch.compile.vectors import I32, I64, intrinsic

COUNT = 16
ROW = ir.VectorType(I32, COUNT)
LARGEST = 2**31 - 1


@intrinsic
def lanes_at_most(typing, address, limit):
    """Which of sixteen integers are at or below a limit, as bits."""
    signature = types.uint32(types.uintp, types.int32)

    def generate(context, b, _, arguments):
        values = v.load(b, ROW, arguments[0])
        return v.pack_bits(b, b.icmp_signed("<=", values, v.splat(b, arguments[1], ROW)))

    return signature, generate


@intrinsic
def index_of_least(typing, address, count):
    """The index of the least of `count` times sixteen integers, any of them if equal; count must not be zero."""
    signature = types.int64(types.uintp, types.int64)

    def generate(context, b, _, arguments):
        address, count = arguments
        own = ir.Constant(ROW, list(range(COUNT)))
        least = cgutils.alloca_once_value(b, v.constant(ROW, LARGEST))
        where = cgutils.alloca_once_value(b, own)
        with cgutils.for_range(b, count) as loop:
            values, old = v.load(b, ROW, address, loop.index), b.load(least)
            places = b.add(own, v.splat(b, b.shl(b.trunc(loop.index, I32), ir.Constant(I32, 4)), ROW))
            smaller = b.icmp_signed("<", values, old)
            b.store(b.select(smaller, values, old), least)
            b.store(b.select(smaller, places, b.load(where)), where)
        values, places = b.load(least), b.load(where)
        for distance in (8, 4, 2, 1):
            order = [lane ^ distance for lane in range(COUNT)]
            other, there = v.shuffle(b, values, order), v.shuffle(b, places, order)
            smaller = b.icmp_signed("<", other, values)
            values, places = b.select(smaller, other, values), b.select(smaller, there, places)
        return b.zext(b.extract_element(places, ir.Constant(I32, 0)), I64)

    return signature, generate
