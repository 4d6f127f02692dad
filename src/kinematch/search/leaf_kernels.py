"""Leaves of the wide search: costs of sixteen consecutive frames, bounded by quantised values or measured."""

import numpy as np
from numba import types

from kinematch.compile.jit import part
from kinematch.compile.lanes import define_lanes, larger, make_reader, make_splat, make_writer
from kinematch.compile.memory import (
    CACHE_LINE,
    first_bit,
    prefetch,
    read_address,
    read_double,
    read_float,
    read_int,
    read_short,
    read_size,
    write_float,
)
from kinematch.compile.reductions import lanes_at_most
from kinematch.compile.rows import make_row_reader
from kinematch.search.layout_kernels import (
    COLUMNS,
    FACTORS,
    FINE_AT,
    FINE_SCALE,
    FRAMES,
    LEAF_FRAMES,
    LEAF_MASKS,
    LEAST_FACTOR,
    LEAVES,
    LOWEST_BIT,
    NO_BITS,
    NUMBERS,
    PAIRS,
    QUERY_AT,
    ROOTS,
    VALUES,
    ZERO,
    U,
    exact_limit,
    quantised_limit,
)
from kinematch.search.tree_kernels import LANES
from kinematch.search.vector_kernels import admit_bounds, frame_bounds

# not fused: sums must round as in the plain scan
sixteen = define_lanes(types.float32, LANES, fused=False)
read_sixteen, write_sixteen, splat_sixteen = make_reader(sixteen), make_writer(sixteen), make_splat(sixteen)
read_sixteen_rows = make_row_reader(sixteen)
NOTHING = np.float32(0)
LEAF_LINES = 4  # cache lines of a leaf to prefetch


@part
def distance(frame, handle, weighted):
    """Squared distance in column order, every product and sum rounded: equal to the plain scan to the last bit."""
    columns, roots = read_size(handle, COLUMNS), read_address(handle, ROOTS)
    row = read_address(handle, VALUES) + U(frame) * U(4 * columns)
    total = NOTHING
    for d in range(columns):
        difference = read_float(weighted, d) - read_float(row, d) * read_float(roots, d)
        total += difference * difference
    return total


@part
def prefetch_leaf(leaf, handle, far):
    """Prefetch the start of what a search of the leaf reads; after that the processor predicts the rest."""
    if far:
        frame = U(read_int(read_address(handle, LEAF_FRAMES), leaf))
        start = read_address(handle, VALUES) + frame * U(4 * read_size(handle, COLUMNS))
    else:
        start = read_address(handle, LEAVES) + U(leaf) * U(64 * read_size(handle, PAIRS))
    for line in range(LEAF_LINES):
        prefetch(start + U(CACHE_LINE * line))


@part
def search_leaf(leaf, handle, first, last, best, bound, scratch):
    """The best frame and its cost after a search of a leaf by quantised bounds, the nearest frames first."""
    pairs, weighted = read_size(handle, PAIRS), scratch + U(QUERY_AT)
    scale = read_double(read_address(handle, NUMBERS), FINE_SCALE)
    frames = read_address(handle, LEAVES) + U(leaf) * U(64 * pairs)
    near = np.uint64(frame_bounds(frames, scratch + U(FINE_AT), pairs, quantised_limit(bound, scale), scratch))
    near &= np.uint64(read_short(read_address(handle, LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane, others = first_bit(near), near & (near - LOWEST_BIT)
        while others != NO_BITS:
            other = first_bit(others)
            others &= others - LOWEST_BIT
            lane = other if read_int(scratch, other) < read_int(scratch, lane) else lane
        near &= ~(LOWEST_BIT << np.uint64(lane))
        frame = np.int32(read_int(read_address(handle, LEAF_FRAMES), leaf) + lane)
        if not first <= frame < last:
            cost = distance(np.int64(frame), handle, weighted)
            if read_size(handle, FACTORS):  # no address: all factors are one
                cost *= read_float(read_address(handle, FACTORS), frame)
            # ties go to the earlier frame, but never away from the one that plays (best is -1 then)
            if cost < bound or (cost == bound and frame < best):
                best, bound = frame, cost
                near &= np.uint64(lanes_at_most(scratch, quantised_limit(bound, scale)))
    return best, bound


@part
def exact_box_bounds(node, handle, admitted, limit, out, scratch):
    """Lower bounds of the costs in 16 boxes, as the bits of float32; returns the lanes at or below the limit as bits.

    A node is [columns][low, high][16 boxes] float32. The sum runs in the order of the costs. Rounding keeps order, so
    no bound exceeds the cost of a frame inside, as rounded, however far the query.
    """
    query, total = scratch + U(QUERY_AT), splat_sixteen(NOTHING)
    inside = splat_sixteen(NOTHING)
    for d in range(read_size(handle, COLUMNS)):
        q = read_float(query, d)
        gap = larger(larger(read_sixteen(node, 2 * d) - q, q - read_sixteen(node, 2 * d + 1)), inside)
        total = total + gap * gap
    total = total * np.float32(read_double(read_address(handle, NUMBERS), LEAST_FACTOR))
    return admit_bounds(total, admitted, limit, out)


@part
def _add_column(total, values, d, roots, query):
    difference = read_float(query, d) - values * read_float(roots, d)
    return total + difference * difference


@part
def _measure_leaf(first_frame, handle, scratch):
    """The costs of 16 frames, at the start of scratch; those behind the last frame of all are left out."""
    columns, query, roots = read_size(handle, COLUMNS), scratch + U(QUERY_AT), read_address(handle, ROOTS)
    factors = read_address(handle, FACTORS)
    rest = read_size(handle, FRAMES) - first_frame
    if rest < LANES or columns < 4:
        for lane in range(min(rest, LANES)):
            cost = distance(np.int64(first_frame + lane), handle, query)
            if factors:
                cost *= read_float(factors, np.int64(first_frame + lane))
            write_float(scratch, lane, cost)
        return
    stride = U(4 * columns)
    row, total = read_address(handle, VALUES) + U(first_frame) * stride, splat_sixteen(NOTHING)
    for d in range(0, columns - 3, 4):
        c0, c1, c2, c3 = read_sixteen_rows(row + U(4 * d), stride)
        total = _add_column(total, c0, d, roots, query)
        total = _add_column(total, c1, d + 1, roots, query)
        total = _add_column(total, c2, d + 2, roots, query)
        total = _add_column(total, c3, d + 3, roots, query)
    rest = columns & 3
    if rest:  # the last four columns of the row, some of which are counted already
        _, c1, c2, c3 = read_sixteen_rows(row + U(4 * (columns - 4)), stride)
        if rest > 2:
            total = _add_column(total, c1, columns - 3, roots, query)
        if rest > 1:
            total = _add_column(total, c2, columns - 2, roots, query)
        total = _add_column(total, c3, columns - 1, roots, query)
    if factors:
        total = total * read_sixteen(factors + U(4 * first_frame), ZERO)
    write_sixteen(scratch, ZERO, total)


@part
def measure_leaf(leaf, leaf_bound, handle, first, last, best, bound, scratch):
    """As `search_leaf`, without quantised bounds: all frames are measured."""
    first_frame = np.int64(read_int(read_address(handle, LEAF_FRAMES), leaf))
    limit = exact_limit(best, bound)
    if leaf_bound > limit or (leaf_bound == limit and first_frame > best >= 0):  # at best a tie with an earlier frame
        return best, bound
    _measure_leaf(first_frame, handle, scratch)
    near = np.uint64(lanes_at_most(scratch, limit)) & np.uint64(read_short(read_address(handle, LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane = first_bit(near)
        near &= near - LOWEST_BIT
        frame, cost = np.int32(first_frame + lane), read_float(scratch, lane)
        if not first <= frame < last and (cost < bound or (cost == bound and frame < best)):
            best, bound = frame, cost
    return best, bound
