"""Rows of four floats in lanes: of eight channels in a row, and to wherever each channel goes."""

from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.lanes import LANES, lanes
from kinematch.compile.rows import WIDTH, make_row_reader, write_columns
from kinematch.compile.vectors import I64, intrinsic

read_fours = make_row_reader(lanes)


@intrinsic
def write_fours(typing, table, base, values):
    """Write four floats of each lane; a table (8,) int64 holds the lanes' distances from a base in bytes."""

    def generate(context, b, _, arguments):
        table, base, columns = arguments
        addresses = [b.add(base, v.load(b, I64, table, v.integer(lane), align=8)) for lane in range(LANES)]
        write_columns(b, addresses, [b.extract_value(columns, i) for i in range(WIDTH)])
        return context.get_dummy_value()

    return types.void(types.uintp, types.uintp, types.UniTuple(lanes, WIDTH)), generate
