"""Indexing by lanes: `array[n]` where n is one index or eight, so that a text reads rows as numpy does.

Outside kernels, and in kernels for one character, n is a whole number. In kernels for eight characters or joints it
is `Eight`: `array[n]` of one axis is then lanes, of more axes rows that are indexed further. `pair` and the functions
of math.vectors take a row as one value. Memory holds one row after the other, lanes hold one column each: reading
transposes.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import OpenArray, define_value, implement, measure
from kinematch.compile.lanes import LANES, Mask, double_lanes, lanes, widen
from kinematch.compile.rows import read_columns, write_columns
from kinematch.compile.vectors import I8, I32, I64

KINDS: dict[Any, Any] = {types.float32: lanes, types.float64: double_lanes, types.boolean: lanes.mask}


@define_value
class Eight(types.Type):
    """Eight indices of rows, each its own."""

    wide = ir.ArrayType(I64, LANES)


@define_value
class IndexRun(types.Type):
    """Eight indices in a row, by the first."""

    wide = I64


@define_value
class LaneRows(types.Type):
    """Eight rows of an array, by their addresses and the lengths of their axes."""

    def __init__(self, dtype: types.Type, ndim: int):
        super().__init__(f"rows of {ndim} axes of {dtype}")
        self.dtype, self.ndim = dtype, ndim
        self.wide = ir.LiteralStructType([Eight.wide, ir.ArrayType(I64, ndim)])


eight, run_of_eight = Eight("eight"), IndexRun("run")


def take(indices, start, stop):
    """The index at a place of a list, or eight from there on; where there are fewer before `stop`, the last again."""
    return int(indices[start])


def consecutive(start, stop):
    """An index, or eight in a row; past `stop`, the last again."""
    return start


def run(start):
    """An index, or eight in a row of an array that is long enough."""
    return start


def lane_count():
    """How many indices `take`, `consecutive` and `run` stand for."""
    return 1


@implement(take)
def _define_take(indices, start, stop):
    def generate(context, b, _, arguments):
        data, kind = OpenArray(context, b, indices, arguments[0]).address, context.get_data_type(indices.dtype)
        places = _count_up(context, b, (start, stop), arguments[1:])
        found = [v.load(b, kind, data, place, align=4) for place in places]
        return _pack(b, [b.sext(one, I64) if kind != I64 else one for one in found])

    return eight(indices, start, stop), generate


@implement(consecutive)
def _define_consecutive(start, stop):
    def generate(context, b, _, arguments):
        return _pack(b, _count_up(context, b, (start, stop), arguments))

    return eight(start, stop), generate


@implement(run)
def _define_run(start):
    return run_of_eight(start), lambda context, b, _, arguments: make_whole(context, b, start, arguments[0])


@implement(lane_count)
def _define_lane_count():
    return types.int64(), lambda context, b, _, arguments: v.integer(LANES)


def make_whole(context, b, kind, value):
    """A 64-bit integer of any integer."""
    return context.cast(b, value, kind, types.int64)


def _count_up(context, b, kinds, bounds):
    """Eight indices from a start on, none of them past the last."""
    start, stop = (make_whole(context, b, *one) for one in zip(kinds, bounds))
    last = b.sub(stop, v.integer(1))
    places = [b.add(start, v.integer(lane)) for lane in range(LANES)]
    return [b.select(b.icmp_signed("<", place, last), place, last) for place in places]


def _pack(b, values):
    packed = ir.Constant(ir.ArrayType(I64, len(values)), ir.Undefined)
    for lane, value in enumerate(values):
        packed = b.insert_value(packed, value, lane)
    return packed


def _takes_lanes(array, index) -> bool:
    """Whether an array or rows are read and written in lanes at an index."""
    if isinstance(array, types.Array):
        return (
            isinstance(index, Eight | IndexRun)
            and array.dtype in KINDS
            and (array.ndim == 1 or isinstance(index, Eight))
        )
    return isinstance(array, LaneRows) and isinstance(index, types.Integer)


def _find_run(context, b, array, arguments):
    """The address of eight numbers in a row."""
    offset = b.mul(arguments[1], v.integer(measure(context, array.dtype)))
    return b.add(OpenArray(context, b, array, arguments[0]).address, offset)


def _find_rows(context, b, array, index, arguments):
    """Addresses of the eight rows at an index, and the lengths of their axes."""
    rows, at = arguments[:2]
    if isinstance(array, types.Array):
        own = OpenArray(context, b, array, rows)
        data, stride = own.address, own.stride(0)
        addresses = [b.add(data, b.mul(b.extract_value(at, lane), stride)) for lane in range(LANES)]
        return addresses, [own.shape(axis) for axis in range(1, array.ndim)]
    shape = [b.extract_value(rows, (1, axis)) for axis in range(1, array.ndim)]
    stride = v.integer(measure(context, array.dtype))
    for length in shape:
        stride = b.mul(stride, length)
    offset = b.mul(make_whole(context, b, index, at), stride)
    return [b.add(b.extract_value(rows, (0, lane)), offset) for lane in range(LANES)], shape


@implement(operator.getitem)
def _define_getitem(array, index):
    if not _takes_lanes(array, index):
        return None
    out = KINDS[array.dtype] if array.ndim == 1 else LaneRows(array.dtype, array.ndim - 1)

    def generate(context, b, _, arguments):
        if isinstance(index, IndexRun):
            return v.load(b, out.wide, _find_run(context, b, array, arguments), align=measure(context, array.dtype))
        addresses, shape = _find_rows(context, b, array, index, arguments)
        if array.ndim == 1:
            return _gather(b, array.dtype, addresses)
        rows = b.insert_value(ir.Constant(out.wide, ir.Undefined), _pack(b, addresses), 0)
        return b.insert_value(rows, _pack(b, shape), 1)

    return out(array, index), generate


@implement(operator.setitem)
def _define_setitem(array, index, value):
    if not _takes_lanes(array, index):
        return _define_tuple_setitem(array, index, value)

    def generate(context, b, _, arguments):
        if isinstance(index, IndexRun):
            (wide,) = widen(context, b, KINDS[array.dtype], [value], arguments[2:])
            v.store(b, wide, _find_run(context, b, array, arguments), align=measure(context, array.dtype))
        else:
            addresses, _shape = _find_rows(context, b, array, index, arguments)
            _write_rows(context, b, array.dtype, addresses, value, arguments[2])
        return context.get_dummy_value()

    return types.none(array, index, value), generate


def _define_tuple_setitem(array, index, value):
    """A vector into a row of a plain array, as numpy does."""
    if not (isinstance(array, types.Array) and array.ndim == 2 and isinstance(value, types.BaseTuple)):
        return None
    if not isinstance(index, types.Integer):
        return None

    def generate(context, b, _, arguments):
        own = OpenArray(context, b, array, arguments[0])
        start = b.add(own.address, b.mul(make_whole(context, b, index, arguments[1]), own.stride(0)))
        for i, kind in enumerate(value.types):
            number = context.cast(b, b.extract_value(arguments[2], i), kind, array.dtype)
            v.store(b, number, start, v.integer(i), align=measure(context, array.dtype))
        return context.get_dummy_value()

    return types.none(array, index, value), generate


def _gather(b, number, addresses):
    """The number at each address, or as a mask whether it is true."""
    kind = KINDS[number]
    element, align = (I8, 1) if isinstance(kind, Mask) else (kind.wide.element, 4)
    wide = ir.Constant(ir.VectorType(element, LANES), ir.Undefined)
    for lane, address in enumerate(addresses):
        wide = b.insert_element(wide, v.load(b, element, address, align=align), ir.Constant(I32, lane))
    return b.icmp_unsigned("!=", wide, v.constant(wide.type, 0)) if isinstance(kind, Mask) else wide


def _write_rows(context, b, number, addresses, own, value):
    """Write a number, or the parts of a vector one after the other."""
    if not isinstance(own, types.BaseTuple):
        _scatter(context, b, number, addresses, own, value)
        return
    parts = [b.extract_value(value, i) for i in range(len(own))]
    if number == types.float32 and len(own) <= 4:
        write_columns(b, addresses, widen(context, b, lanes, own.types, parts))
        return
    for kind, part, column in zip(own.types, parts, _find_columns(context, b, number, addresses, len(own))):
        _scatter(context, b, number, column, kind, part)


def _find_columns(context, b, number, addresses, width):
    """Addresses of the first number of each row, of the second, and so on."""
    step = measure(context, number)
    return [[b.add(address, v.integer(step * i)) for address in addresses] for i in range(width)]


def _scatter(context, b, number, addresses, own, value):
    """Write lanes, a mask or a single number to each address; the last lane first, since it may repeat another."""
    kind = KINDS[number]
    single = isinstance(kind, Mask) and own != kind
    if isinstance(kind, Mask):
        value = b.zext(value, I8 if single else ir.VectorType(I8, LANES))
    else:
        (value,) = widen(context, b, kind, [own], [value])
    for lane in reversed(range(LANES)):
        one = value if single else b.extract_element(value, ir.Constant(I32, lane))
        v.store(b, one, addresses[lane], align=measure(context, number))


def pair(row):
    """Two numbers of a row, such as an offset and its rate."""
    return row[0], row[1]


def define_row(width: int, make: Any) -> Any:
    """How kernels take a number of elements of a row as one value; `make` returns its type from that of an element."""

    def define(row):
        kind = row.dtype
        out = make(KINDS[kind] if isinstance(row, LaneRows) else kind)

        def generate(context, b, _, arguments):
            if isinstance(row, types.Array):
                data, align = OpenArray(context, b, row, arguments[0]).address, measure(context, kind)
                parts = [v.load(b, context.get_data_type(kind), data, v.integer(i), align=align) for i in range(width)]
                return context.make_tuple(b, out, parts)
            addresses = [b.extract_value(arguments[0], (0, lane)) for lane in range(LANES)]
            if kind == types.float32:
                return context.make_tuple(b, out, read_columns(b, addresses, width))
            columns = _find_columns(context, b, kind, addresses, width)
            return context.make_tuple(b, out, [_gather(b, kind, column) for column in columns])

        return out(row), generate

    return define


implement(pair)(define_row(2, lambda value: types.UniTuple(value, 2)))
