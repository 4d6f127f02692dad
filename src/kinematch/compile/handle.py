"""Handles: a record of many arrays and numbers given to kernels as one small array, since each costs time to hand over.

A kernel opens a handle as a record whose fields are read where they are used. Functions hand on one address, which
takes far less time to compile than hundreds of arguments. Whoever makes a handle keeps the arrays alive, and changes
nothing in it while a kernel runs.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import OpenArray, define_fields, define_value, implement, make_array
from kinematch.compile.vectors import I1, I8, I64

WORD = 8  # bytes of a number in a handle


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


def find_place(example: tuple, field: str) -> int:
    """Where a field is in the handle of a record: the address of an array, or the bits of a number."""
    before = example[: example._fields.index(field)]  # type: ignore[attr-defined]
    return len(handle(before, before))


def opening(example: tuple) -> Any:
    """A function that opens handles of records whose fields have the example's types, whatever their sizes.

    A kernel takes a handle as an array or by its address. Outside kernels, the record stands for its own handle.
    """
    kind: Any = numba.typeof(example)
    record = Record(kind)

    def open_handle(given):
        return given

    @implement(open_handle)
    def _define_open(given):
        def generate(context, b, _, arguments):
            if isinstance(given, types.Array):
                return OpenArray(context, b, given, arguments[0]).address
            return context.cast(b, arguments[0], given, types.int64)

        return record(given), generate

    opened: Any = open_handle
    opened.layout = str(kind)  # compiled code is kept under it: see jit
    return opened


@define_value
class Record(types.Type):
    """A named tuple of arrays, numbers and such tuples, as a handle lays them out; in kernels, the handle's address."""

    wide = I64

    def __init__(self, kind: Any):
        digest = hashlib.sha256(str(kind).encode()).hexdigest()[:16]  # names of functions include the types they take
        super().__init__(f"{kind.instance_class.__name__} {digest}")
        self.fields: dict[str, tuple[Any, int]] = {}  # type, and where it is in words
        self.size = 0
        for field, own in zip(kind.fields, kind.types):
            if isinstance(own, types.NamedTuple | types.NamedUniTuple):
                own = Record(own)
            self.fields[field] = own, self.size
            self.size += own.size if isinstance(own, Record) else 1 + getattr(own, "ndim", 0)


def _find_field(record: Record, field: str) -> Any:
    return record.fields[field][0] if field in record.fields else None


def _read_field(context, b, record, start, field):
    """One field of a record that lies at an address."""
    kind, place = record.fields[field]
    start = b.add(start, v.integer(WORD * place))
    if isinstance(kind, Record):
        return start
    if isinstance(kind, types.Array):
        shape = [_read_word(b, start, 1 + axis) for axis in range(kind.ndim)]
        return make_array(context, b, kind, _read_word(b, start, 0), shape)
    return b.bitcast(_read_word(b, start, 0), context.get_value_type(kind))


def _read_word(b, start, index):
    """One number of a handle; marked as one that no kernel changes, so it is read once and not for every use."""
    word = v.load(b, I64, start, v.integer(index), align=WORD)
    word.set_metadata("invariant.load", b.module.add_metadata([]))
    return word


define_fields(Record, _find_field, _read_field)


def copy_row(record, n, other, m):
    """Row n of every array that a record and its parts share with another becomes row m of the other's."""
    for field in other._fields:
        own, source = getattr(record, field), getattr(other, field)
        if isinstance(source, tuple):
            copy_row(own, n, source, m)
        else:
            own[n] = source[m]


@implement(copy_row)
def _define_copy_row(record, n, other, m):
    if not isinstance(record, Record) or not isinstance(other, Record):
        return None

    def copy_fields(context, b, record, other, starts, indices):
        for field, (kind, _place) in other.fields.items():
            values = [_read_field(context, b, *one, field) for one in zip((record, other), starts)]
            if isinstance(kind, Record):
                copy_fields(context, b, record.fields[field][0], kind, values, indices)
                continue
            arrays = [OpenArray(context, b, kind, value) for value in values]
            size = arrays[0].stride(0)
            places = [b.add(own.address, b.mul(index, size)) for own, index in zip(arrays, indices)]
            given = [*(v.pointer(b, place, I8) for place in places), size, ir.Constant(I1, 0)]
            v.call_named(b, "llvm.memcpy.p0.p0.i64", ir.VoidType(), given)

    def generate(context, b, _, arguments):
        indices = [context.cast(b, arguments[at], kind, types.int64) for at, kind in ((1, n), (3, m))]
        copy_fields(context, b, record, other, (arguments[0], arguments[2]), indices)
        return context.get_dummy_value()

    return types.none(record, n, other, m), generate


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
