"""Quantised boxes and leaves, for queries near the data: little to read, with bounds that are valid but loose."""

import numpy as np

from kinematch.compile.jit import part
from kinematch.compile.lanes import larger, read, splat
from kinematch.compile.memory import (
    first_bit,
    read_address,
    read_double,
    read_float,
    read_int,
    read_short,
    read_size,
    write_float,
)
from kinematch.search import layout_kernels as at
from kinematch.search.layout_kernels import LOWEST_BIT, NO_BITS, U, distance, prefetch_start
from kinematch.search.tree_kernels import COARSE_LEVELS, FINE_LEVELS
from kinematch.search.vector_kernels import (
    NO_BOUND,
    QUERY_BLOCK,
    add_lanes,
    box_bounds,
    frame_bounds,
    lanes_at_most,
    quantise_coarse,
    quantise_fine,
)


@part
def order_query(handle, scratch):
    """Write the query in the column order of the quantised boxes to scratch, and zeros up to a whole block.

    Returns whether it is so far beyond the reach of the boxes' levels that quantised bounds tell little.
    """
    columns, order = read_size(handle, at.COLUMNS), read_address(handle, at.ORDER)
    ordered = scratch + U(at.ORDERED_AT)
    for d in range(columns):
        write_float(ordered, d, read_float(scratch + U(at.QUERY_AT), read_int(order, d)))
    blocks = (columns + QUERY_BLOCK - 1) // QUERY_BLOCK
    for d in range(columns, blocks * QUERY_BLOCK):
        write_float(ordered, d, np.float32(0))
    reach, inside = read_address(handle, at.REACH), splat(np.float32(0))
    beyond = inside
    for block in range(blocks):
        q = read(ordered, block)
        gap = larger(larger(read(reach, 2 * block) - q, q - read(reach, 2 * block + 1)), inside)
        beyond = beyond + gap * gap
    return add_lanes(beyond) > read_double(read_address(handle, at.NUMBERS), at.FAR_COST)


@part
def quantise_query(handle, scratch):
    """Write the fine and coarse ceilings and floors of the query in box order to scratch."""
    ordered, numbers = scratch + U(at.ORDERED_AT), read_address(handle, at.NUMBERS)
    blocks = (read_size(handle, at.COLUMNS) + QUERY_BLOCK - 1) // QUERY_BLOCK
    offsets, inverse = read_address(handle, at.FINE_OFFSETS), read_double(numbers, at.FINE_INVERSE)
    quantise_fine(ordered, offsets, blocks, inverse, FINE_LEVELS, scratch + U(at.FINE_AT))
    blocks = (4 * read_size(handle, at.QUADS) + QUERY_BLOCK - 1) // QUERY_BLOCK
    offsets, inverse = read_address(handle, at.COARSE_OFFSETS), read_double(numbers, at.COARSE_INVERSE)
    quantise_coarse(ordered, offsets, blocks, inverse, COARSE_LEVELS, scratch + U(at.COARSE_AT))


@part
def _limit(bound, scale):
    """The quantised distance beyond which no frame can cost less than the bound."""
    scaled = np.float64(bound) * scale
    return np.int32(np.int32(scaled) + 1) if scaled < NO_BOUND - 2 else np.int32(NO_BOUND - 1)


@part
def limit_boxes(best, bound, handle):
    """The largest bound of a box that must be opened."""
    return _limit(bound, read_double(read_address(handle, at.NUMBERS), at.COARSE_SCALE))


@part
def bound_top(top, admitted, handle, limit, out, scratch):
    """Bounds of the 16 groups of a top node, as `box_bounds` gives them."""
    quads = read_size(handle, at.QUADS)
    boxes = read_address(handle, at.TOPS) + U(top) * U(128 * quads)
    return box_bounds(boxes, scratch + U(at.COARSE_AT), quads, admitted, limit, out)


@part
def bound_group(group, admitted, handle, limit, out, scratch):
    """Bounds of the 16 leaves of a group."""
    quads = read_size(handle, at.QUADS)
    boxes = read_address(handle, at.GROUPS) + U(group) * U(128 * quads)
    return box_bounds(boxes, scratch + U(at.COARSE_AT), quads, admitted, limit, out)


@part
def prefetch_leaf(leaf, handle):
    prefetch_start(read_address(handle, at.LEAVES) + U(leaf) * U(64 * read_size(handle, at.PAIRS)))


@part
def search_leaf(leaf, leaf_bound, handle, first, last, best, bound, scratch):
    """The best frame and its cost after a search of a leaf: quantised bounds first, then the nearest frames."""
    pairs, weighted = read_size(handle, at.PAIRS), scratch + U(at.QUERY_AT)
    scale = read_double(read_address(handle, at.NUMBERS), at.FINE_SCALE)
    frames = read_address(handle, at.LEAVES) + U(leaf) * U(64 * pairs)
    near = np.uint64(frame_bounds(frames, scratch + U(at.FINE_AT), pairs, _limit(bound, scale), scratch))
    near &= np.uint64(read_short(read_address(handle, at.LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane, others = first_bit(near), near & (near - LOWEST_BIT)
        while others != NO_BITS:
            other = first_bit(others)
            others &= others - LOWEST_BIT
            lane = other if read_int(scratch, other) < read_int(scratch, lane) else lane
        near &= ~(LOWEST_BIT << np.uint64(lane))
        frame = np.int32(read_int(read_address(handle, at.LEAF_FRAMES), leaf) + lane)
        if not first <= frame < last:
            cost = distance(np.int64(frame), handle, weighted)
            if read_size(handle, at.FACTORS):  # no address: all factors are one
                cost *= read_float(read_address(handle, at.FACTORS), frame)
            # ties go to the earlier frame, but never away from the one that plays (best is -1 then)
            if cost < bound or (cost == bound and frame < best):
                best, bound = frame, cost
                near &= np.uint64(lanes_at_most(scratch, _limit(bound, scale)))
    return best, bound
