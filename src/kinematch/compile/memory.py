"""Compiled views of memory: where rows of arrays are, and which will soon be read."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _typed_intrinsic
from numba.np.arrayobj import make_array

from kinematch.compile.jit import inner

intrinsic: Any = _typed_intrinsic  # whose annotations speak of the first argument, which callers do not give
I32, I64 = ir.IntType(32), ir.IntType(64)


@intrinsic
def prefetch(typing, address):
    """Ask for what lies at an address, which will soon be read."""
    signature = types.void(types.uintp)

    def generate(context, b, _, arguments):
        pointer = ir.PointerType(ir.IntType(8))
        function = cgutils.get_or_insert_function(
            b.module, ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32]), "llvm.prefetch.p0"
        )
        place = b.inttoptr(arguments[0], pointer)
        b.call(function, [place, ir.Constant(I32, 0), ir.Constant(I32, 3), ir.Constant(I32, 1)])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def address(typing, array, row):
    """Where a row of an array is. Not compiled by itself: it would be anew for every kind of array."""

    def generate(context, b, given, arguments):
        own = make_array(given.args[0])(context, b, arguments[0])
        way = b.mul(b.extract_value(own.strides, 0), context.cast(b, arguments[1], given.args[1], types.int64))
        return b.add(b.ptrtoint(own.data, I64), way)

    return types.uintp(array, types.unliteral(row)), generate


@intrinsic
def claim(typing, counter, amount):
    """Count on by an amount, for this thread alone among all: what the count was before."""

    def generate(context, b, given, arguments):
        place = make_array(given.args[0])(context, b, arguments[0]).data
        return b.atomic_rmw("add", place, arguments[1], "monotonic")

    return types.int64(counter, types.int64), generate


@inner
def fetch(start, size):
    """Ask for so many bytes behind an address."""
    for line in range(0, size, 64):
        prefetch(start + np.uintp(line))
