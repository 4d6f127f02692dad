"""Raw memory in kernels: addresses of rows, prefetches, atomic counts, and numbers read and written at addresses.

Kernels that take addresses take one integer instead of an array, which is much quicker to pass.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import make_array

from kinematch.compile import vectors as v
from kinematch.compile.jit import inner
from kinematch.compile.vectors import F32, F64, I1, I8, I16, I32, I64, intrinsic

CACHE_LINE = 64  # bytes


@intrinsic
def prefetch(typing, address):
    """Load the cache line at an address in advance."""
    signature = types.void(types.uintp)

    def generate(context, b, _, arguments):
        pointer = ir.PointerType(I8)
        function = cgutils.get_or_insert_function(
            b.module, ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32]), "llvm.prefetch.p0"
        )
        place = b.inttoptr(arguments[0], pointer)
        b.call(function, [place, ir.Constant(I32, 0), ir.Constant(I32, 3), ir.Constant(I32, 1)])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def address(typing, array, row):
    """The address of a row of an array. An intrinsic, since a function would be compiled for every array type."""

    def generate(context, b, given, arguments):
        own = make_array(given.args[0])(context, b, arguments[0])
        offset = b.mul(b.extract_value(own.strides, 0), context.cast(b, arguments[1], given.args[1], types.int64))
        return b.add(b.ptrtoint(own.data, I64), offset)

    return types.uintp(array, types.unliteral(row)), generate


@intrinsic
def claim(typing, counter, amount):
    """Add to a counter that threads share, atomically; returns the count before."""

    def generate(context, b, given, arguments):
        place = make_array(given.args[0])(context, b, arguments[0]).data
        return b.atomic_rmw("add", place, arguments[1], "monotonic")

    return types.int64(counter, types.int64), generate


@intrinsic
def exchange(typing, words, index, expected, new):
    """Set a word (int64) that threads share to a new value if it has the expected one; whether it had."""

    def generate(context, b, given, arguments):
        place = b.gep(make_array(given.args[0])(context, b, arguments[0]).data, [arguments[1]])
        return b.extract_value(b.cmpxchg(place, arguments[2], arguments[3], "seq_cst"), 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


@inner
def fetch(start, size):
    """Prefetch so many bytes from an address on."""
    for line in range(0, size, CACHE_LINE):
        prefetch(start + np.uintp(line))


@intrinsic
def first_bit(typing, bits):
    """The index of the lowest bit that is set; at least one must be."""
    signature = types.int64(types.uint64)

    def generate(context, b, _, arguments):
        return b.cttz(arguments[0], ir.Constant(I1, 1))

    return signature, generate


@intrinsic
def float_bits(typing, number):
    """The bits of a float32 as an int32: of numbers that are not negative, both are in the same order."""
    signature = types.int32(types.float32)

    def generate(context, b, _, arguments):
        return b.bitcast(arguments[0], I32)

    return signature, generate


def _make_reader(number: types.Type, kind: ir.Type) -> Any:
    """A function that reads the n-th number from an address, aligned or not."""

    def read(typing, start, index):
        def generate(context, b, _, arguments):
            return v.load(b, kind, *arguments)

        return number(types.uintp, types.int64), generate

    return intrinsic(read)


def _make_writer(number: types.Type, kind: ir.Type) -> Any:
    def write(typing, start, index, value):
        def generate(context, b, _, arguments):
            v.store(b, arguments[2], *arguments[:2])
            return context.get_dummy_value()

        return types.void(types.uintp, types.int64, number), generate

    return intrinsic(write)


read_float, write_float = _make_reader(types.float32, F32), _make_writer(types.float32, F32)
read_double = _make_reader(types.float64, F64)
read_byte = _make_reader(types.uint8, I8)
read_short, write_short = _make_reader(types.uint16, I16), _make_writer(types.uint16, I16)
read_int, write_int = _make_reader(types.int32, I32), _make_writer(types.int32, I32)
read_word, write_word = _make_reader(types.uint64, I64), _make_writer(types.uint64, I64)
read_size, read_address = _make_reader(types.int64, I64), _make_reader(types.uintp, I64)
