"""Rows in lanes: a few floats of each character, joint or frame, read into lanes and written back.

Memory holds one row after the other; lanes hold one column each, so reading transposes.
"""

from typing import Any

from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.lanes import LANES, Lanes, double_lanes, lanes
from kinematch.compile.vectors import F32, F64, I32, I64, intrinsic

WIDTH = 4  # floats of a row that are transposed together


def _addresses(b, table, base):
    """Addresses of the rows of eight lanes: a table (8,) int64 of byte offsets from a base; both are addresses."""
    return [b.add(base, v.load(b, I64, table, v.integer(lane), align=8)) for lane in range(LANES)]


def _evenly(b, base, stride, count):
    """Addresses of rows a stride apart."""
    return [b.add(base, b.mul(stride, v.integer(row))) for row in range(count)]


def _transpose(b, four):
    """Transpose each block of four lanes across four vectors; its own inverse."""
    count = four[0].type.count

    def pick(*lanes):
        """The same lanes of every block; from 4 on they come from the other vector."""
        return [block + lane % 4 + lane // 4 * count for block in range(0, count, 4) for lane in lanes]

    low, high = pick(0, 4, 1, 5), pick(2, 6, 3, 7)
    pairs = [[v.shuffle(b, one, order, other) for one, other in (four[:2], four[2:])] for order in (low, high)]
    first, second = pick(0, 1, 4, 5), pick(2, 3, 6, 7)
    return [v.shuffle(b, one, order, other) for one, other in pairs for order in (first, second)]


def _read_columns(b, addresses, width):
    """The first float at each address in one vector, the second in the next, and so on."""
    rows = []
    for address in addresses:
        row = v.load(b, ir.VectorType(F32, width), address, align=4)
        rows.append(v.shuffle(b, row, [min(i, width - 1) for i in range(WIDTH)]))
    return _transpose(b, [v.join(b, rows[i::WIDTH]) for i in range(WIDTH)])[:width]


def _write_columns(b, addresses, columns):
    width = len(columns)
    blocks = _transpose(b, [columns[min(i, width - 1)] for i in range(WIDTH)])
    for lane, address in enumerate(addresses):
        start = lane // WIDTH * WIDTH
        v.store(b, v.shuffle(b, blocks[lane % WIDTH], range(start, start + width)), address, align=4)


def make_row_reader(kind: Lanes) -> Any:
    """A function that reads four floats of each row into lanes, given the first row's address and the stride."""
    columns = types.UniTuple(kind, WIDTH)

    def read_rows(typing, start, stride):
        def generate(context, b, _, arguments):
            base, stride = arguments
            return context.make_tuple(b, columns, _read_columns(b, _evenly(b, base, stride, kind.count), WIDTH))

        return columns(types.uintp, types.uintp), generate

    return intrinsic(read_rows)


def _make_table_reader(width: int) -> Any:
    """A function that reads so many floats of each lane, at the lane's own offset from a base."""
    columns = types.UniTuple(lanes, width)

    def read_rows(typing, table, base):
        def generate(context, b, _, arguments):
            return context.make_tuple(b, columns, _read_columns(b, _addresses(b, *arguments), width))

        return columns(types.uintp, types.uintp), generate

    return intrinsic(read_rows)


def _make_table_writer(width: int) -> Any:
    """A function that writes what the reader of the same width reads."""
    columns = types.UniTuple(lanes, width)

    def write_rows(typing, table, base, values):
        def generate(context, b, _, arguments):
            given = [b.extract_value(arguments[2], i) for i in range(width)]
            _write_columns(b, _addresses(b, *arguments[:2]), given)
            return context.get_dummy_value()

        return types.void(types.uintp, types.uintp, columns), generate

    return intrinsic(write_rows)


read_twos, write_twos = _make_table_reader(2), _make_table_writer(2)
read_threes, write_threes = _make_table_reader(3), _make_table_writer(3)
read_fours, write_fours = _make_table_reader(4), _make_table_writer(4)
four_lanes = types.UniTuple(lanes, WIDTH)


@intrinsic
def read_next_fours(typing, base):
    """As `read_fours`, for rows without gaps."""

    def generate(context, b, _, arguments):
        addresses = _evenly(b, arguments[0], v.integer(4 * WIDTH), LANES)
        return context.make_tuple(b, four_lanes, _read_columns(b, addresses, WIDTH))

    return four_lanes(types.uintp), generate


@intrinsic
def write_next_fours(typing, base, values):
    def generate(context, b, _, arguments):
        addresses = _evenly(b, arguments[0], v.integer(4 * WIDTH), LANES)
        _write_columns(b, addresses, [b.extract_value(arguments[1], i) for i in range(WIDTH)])
        return context.get_dummy_value()

    return types.void(types.uintp, four_lanes), generate


@intrinsic
def read_doubles(typing, table, base):
    """One double of each lane, at its own offset from a base."""

    def generate(context, b, _, arguments):
        wide = ir.Constant(double_lanes.wide, ir.Undefined)
        for lane, address in enumerate(_addresses(b, *arguments)):
            wide = b.insert_element(wide, v.load(b, F64, address, align=8), ir.Constant(I32, lane))
        return wide

    return double_lanes(types.uintp, types.uintp), generate


@intrinsic
def write_doubles(typing, table, base, values):
    def generate(context, b, _, arguments):
        for lane, address in enumerate(_addresses(b, *arguments[:2])):
            v.store(b, b.extract_element(arguments[2], ir.Constant(I32, lane)), address, align=8)
        return context.get_dummy_value()

    return types.void(types.uintp, types.uintp, double_lanes), generate
