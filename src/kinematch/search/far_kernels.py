"""Float32 boxes and frames, for queries far from the data: bounds that tell frames apart at any distance.

Quantised bounds are alike for all boxes once a query lies beyond their levels. These are sums in the order of the
costs. Rounding keeps order, so no bound exceeds the cost, as rounded, of a frame inside, and no margin is needed. Only
the quantised frames of a leaf, which decide whether it is measured at all, are summed in another order, with a margin.
"""

import numpy as np
from numba import types

from kinematch.compile.jit import part
from kinematch.compile.lanes import Lanes, larger, make_splat
from kinematch.compile.memory import (
    first_bit,
    make_reader,
    make_writer,
    read_address,
    read_double,
    read_float,
    read_int,
    read_short,
    read_size,
    write_float,
)
from kinematch.compile.rows import make_row_reader
from kinematch.compile.vectors import I32, intrinsic
from kinematch.search import layout_kernels as at
from kinematch.search.kernels import INFINITE, rough_limit
from kinematch.search.layout_kernels import LOWEST_BIT, NO_BITS, ZERO, U, distance, prefetch_start
from kinematch.search.tree_kernels import LANES
from kinematch.search.vector_kernels import admit_bounds, lanes_at_most, make_code_reader

# not fused: sums must round as in the plain scan
sixteen = Lanes(types.float32, LANES, fused=False)
read_sixteen, write_sixteen, splat_sixteen = make_reader(sixteen, 4), make_writer(sixteen, 4), make_splat(sixteen)
read_sixteen_rows = make_row_reader(sixteen)
rough = Lanes(types.float32, LANES, fused=True)
read_codes, splat_rough = make_code_reader(rough), make_splat(rough)
# of a step: float32 places a query within 2^17 steps of the levels this well; beyond, relative errors are small
SLACK = 0.01


@intrinsic
def float_bits(typing, number):
    """The bits of a float32 as an int32: of numbers that are not negative, both are in the same order."""
    return types.int32(types.float32), lambda context, b, _, arguments: b.bitcast(arguments[0], I32)


@part
def limit_boxes(best, bound, handle):
    """The largest cost to look for, as bits: an equal cost may replace a found frame, never the one that plays."""
    return np.int32(float_bits(bound) - (0 if best >= 0 else 1))


@part
def bound_top(top, admitted, handle, limit, out, scratch):
    """Bounds of the 16 groups of a top node, as `admit_bounds` gives them."""
    node = read_address(handle, at.EXACT_TOPS) + U(top) * U(128 * read_size(handle, at.COLUMNS))
    return admit_bounds(_box_bounds(node, handle, scratch), admitted, limit, out)


@part
def bound_group(group, admitted, handle, limit, out, scratch):
    """Bounds of the 16 leaves of a group."""
    node = read_address(handle, at.EXACT_GROUPS) + U(group) * U(128 * read_size(handle, at.COLUMNS))
    return admit_bounds(_box_bounds(node, handle, scratch), admitted, limit, out)


@part
def _box_bounds(node, handle, scratch):
    """Lower bounds of the costs in 16 boxes. A node is [columns][low, high][16 boxes] float32."""
    query, total = scratch + U(at.QUERY_AT), splat_sixteen(np.float32(0))
    inside = total
    for d in range(read_size(handle, at.COLUMNS)):
        q = read_float(query, d)
        gap = larger(larger(read_sixteen(node, 2 * d) - q, q - read_sixteen(node, 2 * d + 1)), inside)
        total = total + gap * gap
    return total * np.float32(read_double(read_address(handle, at.NUMBERS), at.LEAST_FACTOR))


@part
def place_query(handle, scratch):
    """Write the edges of the query to scratch: levels of a leaf that start above the first or below the second, from
    level 0 of the column, leave a gap."""
    columns, edges, numbers = read_size(handle, at.COLUMNS), scratch + U(at.EDGES_AT), read_address(handle, at.NUMBERS)
    offsets, reach = read_address(handle, at.FINE_OFFSETS), read_address(handle, at.FINE_REACH)
    step = 1 / read_double(numbers, at.FINE_INVERSE)
    for d in range(columns):
        q = np.float64(read_float(scratch + U(at.ORDERED_AT), d))
        q = min(max(q, read_double(reach, 2 * d)), read_double(reach, 2 * d + 1)) - read_double(offsets, d)
        write_float(edges, 2 * d, np.float32(q + SLACK * step))
        write_float(edges, 2 * d + 1, np.float32(q - (1 + SLACK) * step))
    write_float(edges, 2 * columns, INFINITE)  # a last column without a partner
    write_float(edges, 2 * columns + 1, -INFINITE)


@part
def _may_improve(leaf, admitted, limit, handle, scratch):
    """Whether a frame of a leaf, as quantised, may be at or below a limit."""
    pairs, edges = read_size(handle, at.PAIRS), scratch + U(at.EDGES_AT)
    codes = read_address(handle, at.LEAVES) + U(leaf) * U(64 * pairs)
    step = np.float32(1 / read_double(read_address(handle, at.NUMBERS), at.FINE_INVERSE))
    even = odd = splat_rough(np.float32(0))
    for pair in range(pairs):
        first, second = read_codes(codes, pair)
        even = _add_gap(even, first * step, edges, 2 * pair)
        odd = _add_gap(odd, second * step, edges, 2 * pair + 1)
    return admit_bounds(even + odd, admitted, float_bits(limit), scratch) != 0


@part
def _add_gap(total, values, edges, column):
    above, below = read_float(edges, 2 * column), read_float(edges, 2 * column + 1)
    gap = larger(larger(values - above, below - values), splat_rough(np.float32(0)))
    return total + gap * gap


@part
def prefetch_leaf(leaf, handle):
    prefetch_start(read_address(handle, at.LEAVES) + U(leaf) * U(64 * read_size(handle, at.PAIRS)))


@part
def search_leaf(leaf, leaf_bound, handle, first, last, best, bound, scratch):
    """The best frame and its cost after a leaf; if one of its frames may be better, all are measured at once."""
    first_frame = np.int64(read_int(read_address(handle, at.LEAF_FRAMES), leaf))
    limit = limit_boxes(best, bound, handle)
    if leaf_bound == limit and first_frame > best >= 0:  # at best a tie with an earlier frame
        return best, bound
    least, admitted = (
        read_double(read_address(handle, at.NUMBERS), at.LEAST_FACTOR),
        read_address(handle, at.LEAF_MASKS),
    )
    if not _may_improve(leaf, read_short(admitted, leaf), rough_limit(bound, np.float32(least)), handle, scratch):
        return best, bound
    _measure_leaf(first_frame, handle, scratch)
    near = np.uint64(lanes_at_most(scratch, limit)) & np.uint64(read_short(read_address(handle, at.LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane = first_bit(near)
        near &= near - LOWEST_BIT
        frame, cost = np.int32(first_frame + lane), read_float(scratch, lane)
        if not first <= frame < last and (cost < bound or (cost == bound and frame < best)):
            best, bound = frame, cost
    return best, bound


@part
def _measure_leaf(first_frame, handle, scratch):
    """The costs of 16 frames, at the start of scratch; frames that do not exist are left out."""
    columns, query, roots = read_size(handle, at.COLUMNS), scratch + U(at.QUERY_AT), read_address(handle, at.ROOTS)
    factors = read_address(handle, at.FACTORS)
    frames_left = read_size(handle, at.FRAMES) - first_frame
    if frames_left < LANES or columns < 4:
        for lane in range(min(frames_left, LANES)):
            cost = distance(np.int64(first_frame + lane), handle, query)
            if factors:
                cost *= read_float(factors, np.int64(first_frame + lane))
            write_float(scratch, lane, cost)
        return
    stride = U(4 * columns)
    row, total = read_address(handle, at.VALUES) + U(first_frame) * stride, splat_sixteen(np.float32(0))
    for d in range(0, columns - 3, 4):
        c0, c1, c2, c3 = read_sixteen_rows(row + U(4 * d), stride)
        total = _add_column(total, c0, d, roots, query)
        total = _add_column(total, c1, d + 1, roots, query)
        total = _add_column(total, c2, d + 2, roots, query)
        total = _add_column(total, c3, d + 3, roots, query)
    columns_left = columns & 3
    if columns_left:  # read the last four columns of the row, some of which are counted already
        _, c1, c2, c3 = read_sixteen_rows(row + U(4 * (columns - 4)), stride)
        if columns_left > 2:
            total = _add_column(total, c1, columns - 3, roots, query)
        if columns_left > 1:
            total = _add_column(total, c2, columns - 2, roots, query)
        total = _add_column(total, c3, columns - 1, roots, query)
    if factors:
        total = total * read_sixteen(factors + U(4 * first_frame), ZERO)
    write_sixteen(scratch, ZERO, total)


@part
def _add_column(total, values, d, roots, query):
    difference = read_float(query, d) - values * read_float(roots, d)
    return total + difference * difference
