"""Rows in lanes: a few floats of each character, joint or frame, read into lanes and written back.

Memory holds one row after the other; lanes hold one column each, so reading transposes.
"""

from typing import Any

from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.lanes import Lanes
from kinematch.compile.vectors import F32, intrinsic

WIDTH = 4  # floats of a row that are transposed together


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


def read_columns(b, addresses, width):
    """The first float at each address in one vector, the second in the next, and so on."""
    rows = []
    for address in addresses:
        row = v.load(b, ir.VectorType(F32, width), address, align=4)
        rows.append(v.shuffle(b, row, [min(i, width - 1) for i in range(WIDTH)]))
    return _transpose(b, [v.join(b, rows[i::WIDTH]) for i in range(WIDTH)])[:width]


def write_columns(b, addresses, columns):
    """What `read_columns` reads; the last lane first, since it may repeat another's row."""
    width = len(columns)
    blocks = _transpose(b, [columns[min(i, width - 1)] for i in range(WIDTH)])
    for lane in reversed(range(len(addresses))):
        start = lane // WIDTH * WIDTH
        v.store(b, v.shuffle(b, blocks[lane % WIDTH], range(start, start + width)), addresses[lane], align=4)


def make_row_reader(kind: Lanes) -> Any:
    """A function that reads four floats of each row into lanes, given the first row's address and the stride."""
    columns = types.UniTuple(kind, WIDTH)

    def read_rows(typing, start, stride):
        def generate(context, b, _, arguments):
            addresses = [b.add(arguments[0], b.mul(arguments[1], v.integer(row))) for row in range(kind.count)]
            return context.make_tuple(b, columns, read_columns(b, addresses, WIDTH))

        return columns(types.uintp, types.uintp), generate

    return intrinsic(read_rows)
