"""The wide search: bounds of boxes decide which groups and leaves are skipped; the frames that are left are measured.

A query within reach of the quantisation is searched through quantised boxes and leaves, which are quick to read. Far
outside the data all quantised bounds would be alike; there, boxes and frames are compared in float32.
"""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.compile.lanes import add_lanes, larger, read, splat
from kinematch.compile.memory import (
    CACHE_LINE,
    address,
    first_bit,
    prefetch,
    read_address,
    read_byte,
    read_double,
    read_float,
    read_int,
    read_short,
    read_size,
    read_word,
    write_float,
    write_int,
    write_short,
    write_word,
)
from kinematch.compile.reductions import index_of_least, lanes_at_most
from kinematch.search.kernels import INFINITE, LARGEST_BIAS, REFUSED
from kinematch.search.layout_kernels import (
    BOUNDS_AT,
    CLIP_OF,
    CLIP_STARTS,
    CLIP_STOPS,
    COARSE_AT,
    COARSE_INVERSE,
    COARSE_OFFSETS,
    COARSE_SCALE,
    COLUMNS,
    EXACT_GROUPS,
    EXACT_TOPS,
    FAR_COST,
    FINE_AT,
    FINE_INVERSE,
    FINE_OFFSETS,
    FOUND_AT,
    FRAMES,
    GROUP_MASKS,
    GROUPS,
    GROUPS_AT,
    LOWEST_BIT,
    NEAR_AT,
    NO_BITS,
    NUMBERS,
    ONE,
    ORDER,
    ORDERED_AT,
    QUADS,
    QUERY_AT,
    REACH,
    ROOTS,
    ROW_AT,
    ROW_GROUPS,
    STAYS,
    TOP_COUNT,
    TOP_MASKS,
    TOPS,
    VALUES,
    ZERO,
    U,
    box_limit,
    new_scratch,
)
from kinematch.search.leaf_kernels import distance, exact_box_bounds, measure_leaf, prefetch_leaf, search_leaf
from kinematch.search.tree_kernels import COARSE_LEVELS, FINE_LEVELS
from kinematch.search.vector_kernels import NO_BOUND, QUERY_BLOCK, box_bounds, quantise_coarse, quantise_fine

SEED_GROUPS = 2  # groups opened before all others, the nearest first
SEED_LEAVES = np.int64(2)  # leaves of a row searched before all others, the nearest first


@part
def _prefetch_current(current, handle):
    """Prefetch what a search reads of the current frame."""
    if 0 <= current < read_size(handle, FRAMES):
        row = read_address(handle, VALUES) + U(current) * U(4 * read_size(handle, COLUMNS))
        prefetch(row)
        prefetch(row + U(64))
        prefetch(read_address(handle, CLIP_OF) + U(4 * current))
        prefetch(read_address(handle, STAYS) + U(current))


@part
def _weigh(query, handle, scratch):
    """Write the weighted query to scratch; false where it is not finite."""
    roots, weighted = read_address(handle, ROOTS), scratch + U(QUERY_AT)
    finite = True
    for d in range(read_size(handle, COLUMNS)):
        q = read_float(query, d) * read_float(roots, d)
        finite &= q - q == np.float32(0)
        write_float(weighted, d, q)
    return finite


@part
def _order_query(handle, scratch):
    """Write the query in the column order of the quantised boxes to scratch, and zeros up to a whole block.

    Returns whether it is so far beyond the reach of the boxes' levels that quantised bounds tell little.
    """
    columns, order, ordered = read_size(handle, COLUMNS), read_address(handle, ORDER), scratch + U(ORDERED_AT)
    for d in range(columns):
        write_float(ordered, d, read_float(scratch + U(QUERY_AT), read_int(order, d)))
    blocks = (columns + QUERY_BLOCK - 1) // QUERY_BLOCK
    for d in range(columns, blocks * QUERY_BLOCK):
        write_float(ordered, d, np.float32(0))
    reach, inside = read_address(handle, REACH), splat(np.float32(0))
    beyond = inside
    for block in range(blocks):
        q = read(ordered, block)
        gap = larger(larger(read(reach, 2 * block) - q, q - read(reach, 2 * block + 1)), inside)
        beyond = beyond + gap * gap
    return add_lanes(beyond) > read_double(read_address(handle, NUMBERS), FAR_COST)


@part
def _quantise(handle, scratch):
    """Write the fine and coarse ceilings and floors of the query in box order to scratch."""
    ordered, numbers = scratch + U(ORDERED_AT), read_address(handle, NUMBERS)
    blocks = (read_size(handle, COLUMNS) + QUERY_BLOCK - 1) // QUERY_BLOCK
    offsets, inverse = read_address(handle, FINE_OFFSETS), read_double(numbers, FINE_INVERSE)
    quantise_fine(ordered, offsets, blocks, inverse, FINE_LEVELS, scratch + U(FINE_AT))
    blocks = (4 * read_size(handle, QUADS) + QUERY_BLOCK - 1) // QUERY_BLOCK
    offsets, inverse = read_address(handle, COARSE_OFFSETS), read_double(numbers, COARSE_INVERSE)
    quantise_coarse(ordered, offsets, blocks, inverse, COARSE_LEVELS, scratch + U(COARSE_AT))


@part
def _bound_node(node, exact, quantised, admitted, handle, limit, far, out, scratch):
    """Bounds of the 16 boxes of a node of two arrays of the handle; which are at or below the limit, as bits."""
    if far:
        boxes = read_address(handle, exact) + U(node) * U(128 * read_size(handle, COLUMNS))
        return exact_box_bounds(boxes, handle, admitted, limit, out, scratch)
    quads = read_size(handle, QUADS)
    boxes = read_address(handle, quantised) + U(node) * U(128 * quads)
    return box_bounds(boxes, scratch + U(COARSE_AT), quads, admitted, limit, out)


@part
def _bound_group(group, place, handle, limit, far, scratch):
    """Put a group, the bounds of its leaves, and which of them are within the limit, at a place of the row."""
    admitted, out = read_short(read_address(handle, GROUP_MASKS), group), scratch + U(BOUNDS_AT) + U(64 * place)
    write_int(scratch + U(ROW_AT), place, np.int32(group))
    near = _bound_node(group, EXACT_GROUPS, GROUPS, admitted, handle, limit, far, out, scratch)
    write_short(scratch + U(NEAR_AT), place, np.uint16(near))


@part
def _search_place(place, handle, first, last, best, bound, far, scratch):
    """Search the leaf at a place of the row."""
    leaf = 16 * np.int64(read_int(scratch + U(ROW_AT), place >> 4)) + (place & 15)
    if far:
        leaf_bound = read_int(scratch + U(BOUNDS_AT), place)
        return measure_leaf(leaf, leaf_bound, handle, first, last, best, bound, scratch)
    return search_leaf(leaf, handle, first, last, best, bound, scratch)


@part
def _open_row(count, seeds, handle, first, last, best, bound, far, scratch):
    """Search the groups of the row, whose leaves are bounded: the nearest leaves first, the rest in order."""
    bounds, near = scratch + U(BOUNDS_AT), scratch + U(NEAR_AT)
    scale, before = read_double(read_address(handle, NUMBERS), COARSE_SCALE), bound
    for _ in range(seeds):
        place = index_of_least(bounds, count)
        if read_int(bounds, place) > box_limit(best, bound, scale, far):
            return best, bound
        best, bound = _search_place(place, handle, first, last, best, bound, far, scratch)
        write_int(bounds, place, np.int32(NO_BOUND))
    if bound < before:
        for g in range(count):
            within = lanes_at_most(bounds + U(64 * g), box_limit(best, bound, scale, far))
            write_short(near, g, np.uint16(within))
    for n in range(_list_leaves(count, handle, far, scratch)):
        place = np.int64(read_int(scratch + U(FOUND_AT), n))
        if read_int(bounds, place) <= box_limit(best, bound, scale, far):
            best, bound = _search_place(place, handle, first, last, best, bound, far, scratch)
    return best, bound


@part
def _list_leaves(count, handle, far, scratch):
    """List the places of the leaves of the row within the limit, and prefetch them; returns how many."""
    row, near, found = scratch + U(ROW_AT), scratch + U(NEAR_AT), scratch + U(FOUND_AT)
    write_word(near + U(2 * count), ZERO, NO_BITS)  # the last word may reach behind the last group
    total = ZERO
    for word in range((count + 3) >> 2):  # four groups at once, since the ends of short loops are mispredicted
        lanes = read_word(near, word)
        while lanes != NO_BITS:
            place = 64 * word + first_bit(lanes)
            lanes &= lanes - LOWEST_BIT
            write_int(found, total, np.int32(place))
            total += 1
            prefetch_leaf(16 * np.int64(read_int(row, place >> 4)) + (place & 15), handle, far)
    return total


@part
def _sweep(handle, first, last, bound, far, scratch):
    """The best frame below a bound, -1 for none, and its cost."""
    top_count, bounds = read_size(handle, TOP_COUNT), scratch + U(GROUPS_AT)
    masks, lanes = read_address(handle, TOP_MASKS), bounds + U(64 * top_count)
    scale = read_double(read_address(handle, NUMBERS), COARSE_SCALE)
    best, count = np.int32(-1), ZERO
    limit = box_limit(best, bound, scale, far)
    for t in range(top_count):
        out = bounds + U(64 * t)
        near = _bound_node(t, EXACT_TOPS, TOPS, read_short(masks, t), handle, limit, far, out, scratch)
        write_short(lanes, t, np.uint16(near))
    write_word(lanes + U(2 * top_count), ZERO, NO_BITS)  # the last word may reach behind the last node
    for _ in range(SEED_GROUPS):
        group = index_of_least(bounds, top_count)
        if read_int(bounds, group) <= limit:
            _bound_group(group, ZERO, handle, limit, far, scratch)
            write_int(bounds, group, np.int32(NO_BOUND))
            best, bound = _open_row(ONE, SEED_LEAVES, handle, first, last, best, bound, far, scratch)
            limit = box_limit(best, bound, scale, far)
    seeds = SEED_LEAVES if best >= 0 else ZERO  # if the nearest groups hold nothing better, others seldom do
    for word in range((top_count + 3) >> 2):
        near = read_word(lanes, word)
        while near != NO_BITS:
            group = 64 * word + first_bit(near)
            near &= near - LOWEST_BIT
            if read_int(bounds, group) <= limit:
                _bound_group(group, count, handle, limit, far, scratch)
                count += 1
                if count == ROW_GROUPS:
                    best, bound = _open_row(count, seeds, handle, first, last, best, bound, far, scratch)
                    limit, count = box_limit(best, bound, scale, far), ZERO
    return _open_row(count, seeds, handle, first, last, best, bound, far, scratch) if count else (best, bound)


@part
def search(query, current, ignore, bias, handle, memory):
    """The frame of least cost and that cost; -1 where none may be taken, REFUSED for a query that is not finite.

    Query and handle are addresses; memory is an array and not its address, so that it is kept as long as this runs.
    """
    scratch = (U(memory.ctypes.data) + U(CACHE_LINE - 1)) & ~U(CACHE_LINE - 1)
    if not -1 <= current < read_size(handle, FRAMES) or not _weigh(query, handle, scratch):
        return np.int32(REFUSED), INFINITE
    staying, first, last = INFINITE, np.int32(0), np.int32(0)
    if current >= 0:
        clip = read_int(read_address(handle, CLIP_OF), current)
        first = np.int32(max(current - ignore, read_int(read_address(handle, CLIP_STARTS), clip)))
        last = np.int32(min(current + ignore + 1, read_int(read_address(handle, CLIP_STOPS), clip)))
        if read_byte(read_address(handle, STAYS), current):
            staying = distance(current, handle, scratch + U(QUERY_AT))
    bound = staying - np.float32(bias)
    if bound > 0:
        far = _order_query(handle, scratch)
        if not far:
            _quantise(handle, scratch)
        best, cost = _sweep(handle, first, last, bound, far, scratch)
        if best >= 0:
            return best, cost
    return np.int32(current) if staying < INFINITE else np.int32(-1), staying


@kernel
def find_one(query, current, ignore, bias, handle):
    """Frame and cost for one query; REFUSED where an argument is out of range. The handle is an address."""
    if len(query) != read_size(U(handle), COLUMNS) or ignore < 0 or not 0 <= bias <= LARGEST_BIAS:
        return np.int32(REFUSED), INFINITE
    return search(address(query, 0), current, ignore, bias, U(handle), new_scratch(U(handle)))


@kernel
def find_some(queries, currents, ignore, bias, handle, frames, costs):
    """One query after the other, with scratch memory of its own, so that threads can share a handle.

    Returns the index of a query that was refused, -1 for none. Shapes are the caller's responsibility.
    """
    scratch, refused = new_scratch(U(handle)), -1
    for n in range(len(queries)):
        if n + 1 < len(queries):
            _prefetch_current(np.int64(currents[n + 1]), U(handle))
        frames[n], costs[n] = search(address(queries, n), np.int64(currents[n]), ignore, bias, U(handle), scratch)
        if frames[n] == REFUSED:
            refused = n
    return refused
