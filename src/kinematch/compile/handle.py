"""Handles: a record of many arrays and numbers given to kernels as one small array, since each costs time to hand over.

A kernel opens a handle into the very record, at no cost. Whoever makes a handle keeps the arrays alive.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

ADDRESS = ir.IntType(64)


def handle(record: tuple, example: tuple) -> np.ndarray:
    """(H,) int64: for each array its address and shape, for each number its bits, in the order of the record.

    The handles of a record's parts, one after the other, are the handle of the record.
    """
    numbers: list[int] = []
    for leaf, like in zip(_leaves(record), _leaves(example), strict=True):
        if _kind(leaf) != _kind(like):  # kernels would read and write anywhere
            raise TypeError(f"{_kind(leaf)} in a record, expected {_kind(like)}")
        if isinstance(leaf, np.ndarray):
            numbers += (leaf.__array_interface__["data"][0], *leaf.shape)
        else:
            numbers.append(int(np.float64(leaf).view(np.int64)) if isinstance(leaf, float) else leaf)
    return np.array(numbers, np.int64)


def opening(example: tuple) -> Any:
    """A function for kernels that opens handles of records whose fields have the example's types, however large."""
    record: Any = numba.typeof(example)

    def open_it(_, given):
        def build(context, builder, signature, arguments):
            start = make_array(signature.args[0])(context, builder, arguments[0]).data
            places = count()

            def number():
                return builder.load(builder.gep(start, [ir.Constant(ADDRESS, next(places))]))

            def made(kind: Any) -> Any:
                if isinstance(kind, types.Array):
                    return array(kind)
                if kind in types.number_domain:
                    return builder.bitcast(number(), context.get_value_type(kind))
                return context.make_tuple(builder, kind, [made(part) for part in kind])

            def array(kind):
                result = make_array(kind)(context, builder)
                data = builder.inttoptr(number(), result.data.type)
                shape = [number() for _ in range(kind.ndim)]
                size = ir.Constant(ADDRESS, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
                strides = [size]
                for length in reversed(shape[1:]):
                    strides.insert(0, builder.mul(strides[0], length))
                populate_array(
                    result, data=data, shape=cgutils.pack_array(builder, shape, ADDRESS),
                    strides=cgutils.pack_array(builder, strides, ADDRESS), itemsize=size, meminfo=None,
                )  # fmt: skip
                return result._getvalue()

            return made(record)

        return record(given), build

    opened: Any = intrinsic(open_it)
    opened.layout = str(record)  # compiled code is kept under it: see jit
    return opened


def _kind(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return leaf.dtype, leaf.ndim, leaf.flags.c_contiguous
    return type(leaf)


def _leaves(record: Any) -> Iterator[Any]:
    if isinstance(record, tuple):
        for part in record:
            yield from _leaves(part)
    else:
        yield record
