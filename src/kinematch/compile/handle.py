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
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array, populate_array

from kinematch.compile import vectors as v
from kinematch.compile.vectors import I64, intrinsic

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
    """A function for kernels that opens handles of records whose fields have the example's types, however large."""
    kind: Any = numba.typeof(example)
    record = Record(kind)

    def open_it(_, given):
        def build(context, b, signature, arguments):
            return b.ptrtoint(make_array(signature.args[0])(context, b, arguments[0]).data, I64)

        return record(given), build

    opened: Any = intrinsic(open_it)
    opened.layout = str(kind)  # compiled code is kept under it: see jit
    return opened


def opening_at(example: tuple) -> Any:
    """The same for handles whose address is given as a number."""
    record = Record(numba.typeof(example))

    def open_it(_, place):
        return record(types.int64), lambda context, b, signature, arguments: arguments[0]

    opened: Any = intrinsic(open_it)
    opened.layout = str(numba.typeof(example))
    return opened


class Record(types.Type):
    """A named tuple of arrays, numbers and such tuples, as a handle lays them out; in kernels, the handle's address."""

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


@register_model(Record)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, I64)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Record

    def generic_resolve(self, record, field):  # type: ignore[override]
        return record.fields[field][0] if field in record.fields else None


@lower_getattr_generic(Record)
def read_field(context, b, record, start, field):
    """One field of a record that lies at an address."""
    kind, place = record.fields[field]
    start = b.add(start, v.integer(WORD * place))
    if isinstance(kind, Record):
        return start
    if isinstance(kind, types.Array):
        return _read_array(context, b, kind, start)
    return b.bitcast(_read_word(b, start, 0), context.get_value_type(kind))


def _read_word(b, start, index):
    """One number of a handle; marked as one that no kernel changes, so it is read once and not for every use."""
    word = v.load(b, I64, start, v.integer(index), align=WORD)
    word.set_metadata("invariant.load", b.module.add_metadata([]))
    return word


def _read_array(context, b, kind, start):
    result = make_array(kind)(context, b)
    shape = [_read_word(b, start, 1 + axis) for axis in range(kind.ndim)]
    size = ir.Constant(I64, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, b.mul(strides[0], length))
    populate_array(
        result, data=b.inttoptr(_read_word(b, start, 0), result.data.type), shape=cgutils.pack_array(b, shape, I64),
        strides=cgutils.pack_array(b, strides, I64), itemsize=size, meminfo=None,
    )  # fmt: skip
    return result._getvalue()


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
