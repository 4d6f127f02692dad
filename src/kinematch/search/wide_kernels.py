"""The wide search: groups nearest first, quantised boxes to pass over them, exact costs of sixteen frames at once."""

import numpy as np

from kinematch.math.jit import kernel
from kinematch.search.kernels import INFINITE, LARGEST_BIAS, REFUSED
from kinematch.search.tree_kernels import LEVELS, ROUNDING
from kinematch.search.vector_kernels import (
    FARTHEST,
    box_bounds,
    first_bit,
    keep_least,
    lanes_at_most,
    leaf_costs,
    least_lane,
    read_byte,
    read_double,
    read_float,
    read_int,
    read_short,
    write_float,
    write_int,
    write_short,
)

U = np.uintp
FARTHEST_LIMIT = np.int32(FARTHEST - 1)
NO_BITS = np.uint32(0)
ONE_BIT = np.uint32(1)

# what stands where in a handle: addresses and sizes, so that one small array stands for a dozen
(TOPS, GROUPS, LEAVES, LEAF_FRAMES, LEAF_FACTORS, VALUES, ROOTS, OFFSETS, NUMBERS, CLIP_OF, CLIP_STARTS, CLIP_STOPS,
 TOP_MASKS, GROUP_MASKS, LEAF_MASKS, STAYS, TOP_COUNT, PAIRS, COLUMNS, FRAMES) = range(20)  # fmt: skip
HANDLE_SIZE = 20
INVERSE_STEP, SCALE = 0, 1  # what stands where in NUMBERS

# scratch: 16 bounds of a group, 16 costs of a leaf, 16 running minima, the query, its ceilings and floors, all bounds
GROUP_AT, LEAF_AT, LEAST_AT, QUERY_AT = 0, 64, 128, 192


@kernel
def new_scratch(handle):
    return np.empty(QUERY_AT + 16 * handle[PAIRS] + 64 * handle[TOP_COUNT], np.uint8)


@kernel
def _limit(bound, numbers):
    """The quantised distance beyond which no frame can cost less than the bound."""
    scaled = np.float64(bound) * read_double(numbers, SCALE)
    return np.int32(np.int32(scaled) + 1) if scaled < FARTHEST - 2 else FARTHEST_LIMIT


@kernel
def _prepare(query, handle, scratch):
    """Weighted query, ceilings and floors into scratch; false where it is not finite."""
    columns, pairs = handle[COLUMNS], handle[PAIRS]
    roots, offsets = U(handle[ROOTS]), U(handle[OFFSETS])
    inverse = read_double(U(handle[NUMBERS]), INVERSE_STEP)
    weighted = scratch + U(QUERY_AT)
    ups = weighted + U(8 * pairs)
    downs = ups + U(4 * pairs)
    finite = True
    for d in range(columns):
        q = read_float(query, d) * read_float(roots, d)
        finite &= q - q == np.float32(0)
        write_float(weighted, d, q)
        x = (np.float64(q) - read_double(offsets, d)) * inverse
        x = min(max(x, 0.0), float(LEVELS))
        write_short(ups, d, np.uint16(min(np.ceil(x + ROUNDING), float(LEVELS))))
        write_short(downs, d, np.uint16(max(np.floor(x - ROUNDING), 0.0)))
    if columns < 2 * pairs:
        write_short(ups, columns, np.uint16(0))
        write_short(downs, columns, np.uint16(0))
    return finite


@kernel
def _visit(group, handle, first, last, best, bound, limit, scratch):
    """Look into the leaves of a group, the nearest first; returns the best frame, its cost and the new limit."""
    columns, pairs = handle[COLUMNS], handle[PAIRS]
    numbers = U(handle[NUMBERS])
    weighted, costs = scratch + U(QUERY_AT), scratch + U(LEAF_AT)
    node = U(handle[GROUPS]) + U(group) * U(128 * pairs)
    left = box_bounds(node, weighted + U(8 * pairs), pairs, read_short(U(handle[GROUP_MASKS]), group), limit, scratch)
    while left != NO_BITS:
        lane = first_bit(left)
        others = left & (left - ONE_BIT)
        if others != NO_BITS:
            nearest = read_int(scratch, lane)
            while others != NO_BITS:
                other = first_bit(others)
                others &= others - ONE_BIT
                distance = read_int(scratch, other)
                if distance < nearest:
                    nearest, lane = distance, other
        left &= ~(ONE_BIT << np.uint32(lane))
        leaf = 16 * group + lane
        hits = leaf_costs(
            U(handle[LEAVES]) + U(leaf) * U(64 * columns), weighted, columns,
            U(handle[LEAF_FACTORS]) + U(leaf) * U(64), bound, costs,
        )  # fmt: skip
        hits &= np.uint32(read_short(U(handle[LEAF_MASKS]), leaf))
        if hits == NO_BITS:
            continue
        start = read_int(U(handle[LEAF_FRAMES]), leaf)
        while hits != NO_BITS:
            k = first_bit(hits)
            hits &= hits - ONE_BIT
            frame = np.int32(start + k)
            if not first <= frame < last:
                c = read_float(costs, k)
                # ties go to the earlier frame, but never away from the one that plays (best is -1 then)
                if c < bound or (c == bound and frame < best):
                    best, bound = frame, c
        limit = _limit(bound, numbers)
        left &= lanes_at_most(scratch, limit)
    return best, bound, limit


@kernel
def search(query, current, ignore, bias, handle, memory):
    """The frame of least cost and that cost; -1 where none may be taken, REFUSED for a query that is not finite.

    The query is an address; memory is an array and not its address, so that it is held as long as this runs.
    """
    scratch = U(memory.ctypes.data)
    if not _prepare(query, handle, scratch):
        return np.int32(REFUSED), INFINITE
    columns, pairs, top_count = handle[COLUMNS], handle[PAIRS], handle[TOP_COUNT]
    numbers, weighted = U(handle[NUMBERS]), scratch + U(QUERY_AT)
    staying, first, last = INFINITE, np.int32(0), np.int32(0)
    if current >= 0:
        clip = read_int(U(handle[CLIP_OF]), current)
        first = np.int32(max(current - ignore, read_int(U(handle[CLIP_STARTS]), clip)))
        last = np.int32(min(current + ignore + 1, read_int(U(handle[CLIP_STOPS]), clip)))
        if read_byte(U(handle[STAYS]), current):
            row, roots = U(handle[VALUES]) + U(current) * U(4 * columns), U(handle[ROOTS])
            staying = np.float32(0)
            for d in range(columns):
                difference = read_float(weighted, d) - read_float(row, d) * read_float(roots, d)
                staying += difference * difference
    best, bound = np.int32(-1), staying - np.float32(bias)
    if bound > 0:
        limit = _limit(bound, numbers)
        bounds, least = weighted + U(16 * pairs), scratch + U(LEAST_AT)
        for k in range(16):
            write_int(least, k, np.int32(FARTHEST))
        tops, masks = U(handle[TOPS]), U(handle[TOP_MASKS])
        for t in range(top_count):
            out = bounds + U(64) * U(t)
            box_bounds(tops + U(t) * U(128 * pairs), weighted + U(8 * pairs), pairs, read_short(masks, t), limit, out)
            keep_least(out, least)
        nearest = least_lane(least)
        if nearest <= limit:
            for t in range(top_count):
                lanes = lanes_at_most(bounds + U(64) * U(t), nearest)
                if lanes != NO_BITS:
                    group = 16 * t + first_bit(lanes)
                    best, bound, limit = _visit(group, handle, first, last, best, bound, limit, scratch)
                    write_int(bounds, group, np.int32(FARTHEST))
                    break
            for t in range(top_count):
                lanes = lanes_at_most(bounds + U(64) * U(t), limit)
                while lanes != NO_BITS:
                    group = 16 * t + first_bit(lanes)
                    lanes &= lanes - ONE_BIT
                    if read_int(bounds, group) <= limit:
                        best, bound, limit = _visit(group, handle, first, last, best, bound, limit, scratch)
    if best >= 0:
        return best, bound
    return np.int32(current) if staying < INFINITE else np.int32(-1), staying


@kernel
def find_one(query, current, ignore, bias, handle):
    """One query as it is given, refused where it makes no sense."""
    fitting = len(query) == handle[COLUMNS] and -1 <= current < handle[FRAMES]
    if not (fitting and ignore >= 0 and 0 <= bias <= LARGEST_BIAS):
        return np.int32(REFUSED), INFINITE
    return search(U(query.ctypes.data), current, ignore, bias, handle, new_scratch(handle))


@kernel
def find_some(queries, currents, ignore, bias, handle, frames, costs):
    """Queries one after the other; scratch is this call's own, so that threads do not meet."""
    scratch = new_scratch(handle)
    for n in range(len(queries)):
        frames[n], costs[n] = search(U(queries[n].ctypes.data), np.int64(currents[n]), ignore, bias, handle, scratch)
