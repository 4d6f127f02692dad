"""Rows of eight lanes: numbers of characters or joints that lie apart, read into lanes and written back."""

from typing import Any

from llvmlite import ir
from numba import types

from kinematch.compile.lanes import F32, F64, I32, I64, LANES, double_lanes, intrinsic, lanes, mask, pointer


def _places(b, table, base):
    """Where the rows of eight lanes are: a table of distances (8,) int64 from an address, both addresses."""
    start = pointer(b, table, I64)
    return [b.add(base, b.load(b.gep(start, [ir.Constant(I64, lane)]))) for lane in range(LANES)]


def _transposed(b, four):
    """Within each half of eight lanes the k-th number of the i-th becomes the i-th of the k-th; twice is not at all."""
    low, high = mask([0, 8, 1, 9, 4, 12, 5, 13]), mask([2, 10, 3, 11, 6, 14, 7, 15])
    pairs = [[b.shuffle_vector(*two, order) for two in (four[:2], four[2:])] for order in (low, high)]
    first, second = mask([0, 1, 8, 9, 4, 5, 12, 13]), mask([2, 3, 10, 11, 6, 7, 14, 15])
    return [b.shuffle_vector(*pair, order) for pair in pairs for order in (first, second)]


@intrinsic
def read_doubles(typing, table, base):
    """A double number of each lane, at its own distance from a base."""

    def generate(context, b, _, arguments):
        wide = ir.Constant(double_lanes.wide, ir.Undefined)
        for lane, place in enumerate(_places(b, *arguments)):
            wide = b.insert_element(wide, b.load(pointer(b, place, F64)), ir.Constant(I32, lane))
        return wide

    return double_lanes(types.uintp, types.uintp), generate


@intrinsic
def write_doubles(typing, table, base, values):
    def generate(context, b, _, arguments):
        for lane, place in enumerate(_places(b, *arguments[:2])):
            b.store(b.extract_element(arguments[2], ir.Constant(I32, lane)), pointer(b, place, F64))
        return context.get_dummy_value()

    return types.void(types.uintp, types.uintp, double_lanes), generate


def _rows(width: int, gives: Any) -> Any:
    """A function that reads so many numbers of each lane, which lie together at a lane's own distance from a base."""

    def read_rows(typing, table, base):
        def generate(context, b, _, arguments):
            return context.make_tuple(b, gives, _columns(b, _places(b, *arguments), width))

        return gives(types.uintp, types.uintp), generate

    return intrinsic(read_rows)


def _rows_back(width: int, takes: Any) -> Any:
    """A function that writes what the other reads."""

    def write_rows(typing, table, base, values):
        def generate(context, b, _, arguments):
            columns = [b.extract_value(arguments[2], i) for i in range(width)]
            _put_columns(b, _places(b, *arguments[:2]), columns)
            return context.get_dummy_value()

        return types.void(types.uintp, types.uintp, takes), generate

    return intrinsic(write_rows)


def _columns(b, places, width):
    """The first number behind each place, the second, and so on."""
    rows = []
    for place in places:
        row = b.load(pointer(b, place, ir.VectorType(F32, width)))
        row.align = 4
        rows.append(b.shuffle_vector(row, row, mask([min(i, width - 1) for i in range(4)])))
    halves = [b.shuffle_vector(rows[i], rows[i + 4], mask(range(LANES))) for i in range(4)]
    return _transposed(b, halves)[:width]


def _put_columns(b, places, columns):
    width = len(columns)
    halves = _transposed(b, [columns[min(i, width - 1)] for i in range(4)])
    for lane, place in enumerate(places):
        half, start = halves[lane % 4], lane // 4 * 4
        row = b.shuffle_vector(half, half, mask(range(start, start + width)))
        stored = b.store(row, pointer(b, place, row.type))
        stored.align = 4


def _next(b, base):
    """Where eight times four numbers are that lie one behind the other."""
    return [b.add(base, ir.Constant(I64, 16 * lane)) for lane in range(LANES)]


@intrinsic
def read_next_fours(typing, base):
    """As `read_fours`, for lanes that lie one behind the other."""

    def generate(context, b, _, arguments):
        return context.make_tuple(b, four_lanes, _columns(b, _next(b, *arguments), 4))

    return four_lanes(types.uintp), generate


@intrinsic
def write_next_fours(typing, base, values):
    def generate(context, b, _, arguments):
        _put_columns(b, _next(b, arguments[0]), [b.extract_value(arguments[1], i) for i in range(4)])
        return context.get_dummy_value()

    return types.void(types.uintp, four_lanes), generate


two_lanes, three_lanes, four_lanes = (types.UniTuple(lanes, width) for width in (2, 3, 4))
read_twos, write_twos = _rows(2, two_lanes), _rows_back(2, two_lanes)
read_threes, write_threes = _rows(3, three_lanes), _rows_back(3, three_lanes)
read_fours, write_fours = _rows(4, four_lanes), _rows_back(4, four_lanes)
