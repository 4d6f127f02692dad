"""Raw memory in kernels: addresses of rows, prefetches, atomic counts, and numbers read and written at addresses.

Kernels that take addresses take one integer instead of an array, which is much quicker to pass.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import OpenArray, implement
from kinematch.compile.jit import inner
from kinematch.compile.vectors import F64, I1, I8, I32, I64, intrinsic

CACHE_LINE = 64  # bytes


@intrinsic
def prefetch(typing, address):
    """Load the cache line at an address in advance."""

    def generate(context, b, _, arguments):
        how = (ir.Constant(I32, number) for number in (0, 3, 1))  # to read, keep in all caches, data
        v.call_named(b, "llvm.prefetch.p0", ir.VoidType(), [v.pointer(b, arguments[0], I8), *how])
        return context.get_dummy_value()

    return types.void(types.uintp), generate


@intrinsic
def address(typing, array, row):
    """The address of a row of an array. An intrinsic, since a function would be compiled for every array type."""

    def generate(context, b, given, arguments):
        own = OpenArray(context, b, array, arguments[0])
        return b.add(own.address, b.mul(own.stride(0), context.cast(b, arguments[1], given.args[1], types.int64)))

    return types.uintp(array, types.unliteral(row)), generate


def claim(counter, amount):
    """Add to a counter that threads share, in kernels atomically; returns the count before."""
    before = int(counter[0])
    counter[0] = before + amount
    return before


@implement(claim)
def _define_claim(counter, amount):
    def generate(context, b, given, arguments):
        place = v.pointer(b, OpenArray(context, b, counter, arguments[0]).address, I64)
        return b.atomic_rmw("add", place, context.cast(b, arguments[1], amount, types.int64), "monotonic")

    return types.int64(counter, amount), generate


@inner
def fetch(start, size):
    """Prefetch a number of bytes from an address."""
    for line in range(0, size, CACHE_LINE):
        prefetch(start + np.uintp(line))


@intrinsic
def first_bit(typing, bits):
    """The index of the lowest bit that is set; at least one must be."""
    return types.int64(types.uint64), lambda context, b, _, arguments: b.cttz(arguments[0], ir.Constant(I1, 1))


@intrinsic
def bits_to_double(typing, bits):
    """The float64 that has the bits of a whole number."""

    def generate(context, b, given, arguments):
        return b.bitcast(context.cast(b, arguments[0], given.args[0], types.int64), F64)

    return types.float64(types.unliteral(bits)), generate


def make_reader(kind: types.Type, align: int = 1) -> Any:
    """A function that reads the n-th number or lanes from an address."""

    def read(typing, start, index):
        def generate(context, b, _, arguments):
            return v.load(b, context.get_value_type(kind), *arguments, align=align)

        return kind(types.uintp, types.int64), generate

    return intrinsic(read)


def make_writer(kind: types.Type, align: int = 1) -> Any:
    def write(typing, start, index, value):
        def generate(context, b, _, arguments):
            v.store(b, arguments[2], *arguments[:2], align=align)
            return context.get_dummy_value()

        return types.void(types.uintp, types.int64, kind), generate

    return intrinsic(write)


read_float, write_float = make_reader(types.float32), make_writer(types.float32)
read_double, write_double = make_reader(types.float64), make_writer(types.float64)
read_short, write_short = make_reader(types.uint16), make_writer(types.uint16)
read_int, write_int = make_reader(types.int32), make_writer(types.int32)
read_word, write_word = make_reader(types.uint64), make_writer(types.uint64)
read_size, write_size = make_reader(types.int64), make_writer(types.int64)
read_byte, write_byte = make_reader(types.uint8), make_writer(types.uint8)
read_address = make_reader(types.uintp)
