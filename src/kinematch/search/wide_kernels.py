"""The wide search: quantised boxes say which groups, leaves and frames are passed over; what is left is measured."""

import numpy as np

from kinematch.math.jit import kernel, part
from kinematch.math.memory_kernels import prefetch
from kinematch.search.kernels import INFINITE, LARGEST_BIAS, REFUSED
from kinematch.search.tree_kernels import COARSE_LEVELS, FINE_LEVELS, ROUNDING
from kinematch.search.vector_kernels import (
    FARTHEST,
    address,
    box_bounds,
    first_bit,
    frame_bounds,
    lanes_at_most,
    nearest_lane,
    read_byte,
    read_double,
    read_float,
    read_int,
    read_short,
    size,
    write_byte,
    write_float,
    write_int,
    write_short,
)

U = np.uintp
FARTHEST_LIMIT = np.int32(FARTHEST - 1)
NO_BITS = np.uint32(0)
ONE_BIT = np.uint32(1)
NONE, ONE = np.int64(0), np.int64(1)  # for plain ones, numba would compile what they are given to once more

# what stands where in a handle: addresses and sizes, so that one small array stands for a dozen
(TOPS, GROUPS, LEAVES, LEAF_FRAMES, VALUES, ROOTS, FACTORS, ORDER, FINE_OFFSETS, COARSE_OFFSETS, NUMBERS, CLIP_OF,
 CLIP_STARTS, CLIP_STOPS, TOP_MASKS, GROUP_MASKS, LEAF_MASKS, STAYS, TOP_COUNT, PAIRS, QUADS, COLUMNS,
 BOX_COLUMNS, FRAMES) = range(24)  # fmt: skip
HANDLE_SIZE = 24
FINE_INVERSE, FINE_SCALE, COARSE_INVERSE, COARSE_SCALE = range(4)  # what stands where in NUMBERS
SEEDS = 2  # groups looked into before all others, the nearest first
PICKS = 2  # leaves of a row looked at before all others, the nearest first
ROW = 64  # groups whose leaves are judged before any is looked at: memory is read ahead, branches are few

# scratch: 16 bounds of a leaf's frames; a row of groups, and the bounds of their leaves; the query, then its fine and
# coarse ceilings and floors; the bounds of all groups
ROW_AT = 64
BOUNDS_AT = ROW_AT + 4 * ROW
QUERY_AT = BOUNDS_AT + 64 * ROW


@part
def new_scratch(handle):
    return np.empty(QUERY_AT + 16 * handle[PAIRS] + 8 * handle[QUADS] + 64 * handle[TOP_COUNT], np.uint8)


@part
def _limit(bound, scale):
    """The quantised distance beyond which no frame can cost less than the bound."""
    scaled = np.float64(bound) * scale
    return np.int32(np.int32(scaled) + 1) if scaled < FARTHEST - 2 else FARTHEST_LIMIT


@part
def _steps(value, offset, inverse, levels):
    """A value in steps, rounded up and down, within 0 and levels."""
    x = min(max((np.float64(value) - offset) * inverse, 0.0), levels)
    return min(np.ceil(x + ROUNDING), levels), max(np.floor(x - ROUNDING), 0.0)


@part
def _prepare(query, handle, scratch):
    """Weighted query, fine and coarse ceilings and floors into scratch; false where it is not finite."""
    columns, pairs, quads = size(handle, COLUMNS), size(handle, PAIRS), size(handle, QUADS)
    roots, order, numbers = address(handle, ROOTS), address(handle, ORDER), address(handle, NUMBERS)
    weighted = scratch + U(QUERY_AT)
    fine = weighted + U(8 * pairs)
    coarse = fine + U(8 * pairs)
    finite = True
    for d in range(columns):
        q = read_float(query, d) * read_float(roots, d)
        finite &= q - q == np.float32(0)
        write_float(weighted, d, q)
    offsets, inverse = address(handle, FINE_OFFSETS), read_double(numbers, FINE_INVERSE)
    for d in range(2 * pairs):
        up = down = 0.0
        if d < columns:
            q = read_float(weighted, read_int(order, d))
            up, down = _steps(q, read_double(offsets, d), inverse, FINE_LEVELS)
        write_short(fine, d, np.uint16(up))
        write_short(fine, d + 2 * pairs, np.uint16(max(down - 1, 0.0)))  # frames were rounded down, by one at most
    offsets, inverse = address(handle, COARSE_OFFSETS), read_double(numbers, COARSE_INVERSE)
    for d in range(4 * quads):
        up = down = 0.0
        if d < size(handle, BOX_COLUMNS):
            q = read_float(weighted, read_int(order, d))
            up, down = _steps(q, read_double(offsets, d), inverse, COARSE_LEVELS)
        write_byte(coarse, d, np.uint8(up))
        write_byte(coarse, d + 4 * quads, np.uint8(down))
    return finite


@part
def _distance(frame, handle, weighted):
    """Squared distance in column order, every product and sum rounded: equal to the plain scan to the last bit."""
    columns, roots = size(handle, COLUMNS), address(handle, ROOTS)
    row = address(handle, VALUES) + U(frame) * U(4 * columns)
    total = np.float32(0)
    for d in range(columns):
        difference = read_float(weighted, d) - read_float(row, d) * read_float(roots, d)
        total += difference * difference
    return total


@part
def _look(leaf, handle, first, last, best, bound, scratch):
    """The best frame and its cost after a look at the frames of a leaf, the nearest first."""
    pairs, weighted = size(handle, PAIRS), scratch + U(QUERY_AT)
    scale = read_double(address(handle, NUMBERS), FINE_SCALE)
    frames = address(handle, LEAVES) + U(leaf) * U(64 * pairs)
    near = frame_bounds(frames, weighted + U(8 * pairs), pairs, _limit(bound, scale), scratch)
    near &= np.uint32(read_short(address(handle, LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane, others = first_bit(near), near & (near - ONE_BIT)
        while others != NO_BITS:
            other = first_bit(others)
            others &= others - ONE_BIT
            lane = other if read_int(scratch, other) < read_int(scratch, lane) else lane
        near &= ~(ONE_BIT << np.uint32(lane))
        frame = np.int32(read_int(address(handle, LEAF_FRAMES), leaf) + lane)
        if not first <= frame < last:
            cost = _distance(np.int64(frame), handle, weighted)
            if size(handle, FACTORS):  # no address, where all are one
                cost *= read_float(address(handle, FACTORS), frame)
            # ties go to the earlier frame, but never away from the one that plays (best is -1 then)
            if cost < bound or (cost == bound and frame < best):
                best, bound = frame, cost
                near &= lanes_at_most(scratch, _limit(bound, scale))
    return best, bound


@part
def _judge(group, place, handle, limit, scratch):
    """Put a group, and the bounds of its leaves, at a place of the row."""
    quads, coarse = size(handle, QUADS), scratch + U(QUERY_AT) + U(16 * size(handle, PAIRS))
    node, admitted = (
        address(handle, GROUPS) + U(group) * U(128 * quads),
        read_short(address(handle, GROUP_MASKS), group),
    )
    write_int(scratch + U(ROW_AT), place, np.int32(group))
    box_bounds(node, coarse, quads, admitted, limit, scratch + U(BOUNDS_AT) + U(64 * place))


@part
def _open(count, handle, first, last, best, bound, scratch):
    """Look into a row of groups, whose leaves' bounds are known: the nearest leaves first, the rest as they lie."""
    row, bounds = scratch + U(ROW_AT), scratch + U(BOUNDS_AT)
    scale = read_double(address(handle, NUMBERS), COARSE_SCALE)
    for _ in range(PICKS):
        place = nearest_lane(bounds, count)
        if read_int(bounds, place) > _limit(bound, scale):
            return best, bound
        leaf = 16 * np.int64(read_int(row, place >> 4)) + (place & 15)
        best, bound = _look(leaf, handle, first, last, best, bound, scratch)
        write_int(bounds, place, np.int32(FARTHEST))
    limit = _limit(bound, scale)
    for g in range(count):
        lanes = lanes_at_most(bounds + U(64 * g), limit)
        while lanes != NO_BITS:
            before, lane = bound, first_bit(lanes)
            lanes &= lanes - ONE_BIT
            best, bound = _look(16 * np.int64(read_int(row, g)) + lane, handle, first, last, best, bound, scratch)
            if bound < before:
                limit = _limit(bound, scale)
                lanes &= lanes_at_most(bounds + U(64 * g), limit)
    return best, bound


@part
def _sweep(handle, first, last, bound, scratch):
    """The best frame below a bound, -1 for none, and its cost."""
    quads, top_count = size(handle, QUADS), size(handle, TOP_COUNT)
    coarse = scratch + U(QUERY_AT) + U(16 * size(handle, PAIRS))
    tops, masks, bounds = address(handle, TOPS), address(handle, TOP_MASKS), coarse + U(8 * quads)
    scale = read_double(address(handle, NUMBERS), COARSE_SCALE)
    best, limit, count = np.int32(-1), _limit(bound, scale), NONE
    for t in range(top_count):
        box_bounds(tops + U(t) * U(128 * quads), coarse, quads, read_short(masks, t), limit, bounds + U(64 * t))
    for _ in range(SEEDS):
        group = nearest_lane(bounds, top_count)
        if read_int(bounds, group) <= limit:
            _judge(group, NONE, handle, limit, scratch)
            write_int(bounds, group, np.int32(FARTHEST))
            best, bound = _open(ONE, handle, first, last, best, bound, scratch)
            limit = _limit(bound, scale)
    for t in range(top_count):
        lanes = lanes_at_most(bounds + U(64 * t), limit)
        while lanes != NO_BITS:
            _judge(16 * t + first_bit(lanes), count, handle, limit, scratch)
            lanes &= lanes - ONE_BIT
            count += 1
            if count == ROW:
                best, bound = _open(count, handle, first, last, best, bound, scratch)
                limit, count = _limit(bound, scale), NONE
                lanes &= lanes_at_most(bounds + U(64 * t), limit)
    return _open(count, handle, first, last, best, bound, scratch) if count else (best, bound)


@part
def search(query, current, ignore, bias, handle, memory):
    """The frame of least cost and that cost; -1 where none may be taken, REFUSED for a query that is not finite.

    Query and handle are addresses; memory is an array and not its address, so that it is held as long as this runs.
    """
    scratch = U(memory.ctypes.data)
    if current >= 0:  # what is read below is far away, and meanwhile there is work
        row = address(handle, VALUES) + U(current) * U(4 * size(handle, COLUMNS))
        prefetch(row)
        prefetch(row + U(64))
        prefetch(address(handle, CLIP_OF) + U(4 * current))
        prefetch(address(handle, STAYS) + U(current))
    if not _prepare(query, handle, scratch):
        return np.int32(REFUSED), INFINITE
    staying, first, last = INFINITE, np.int32(0), np.int32(0)
    if current >= 0:
        clip = read_int(address(handle, CLIP_OF), current)
        first = np.int32(max(current - ignore, read_int(address(handle, CLIP_STARTS), clip)))
        last = np.int32(min(current + ignore + 1, read_int(address(handle, CLIP_STOPS), clip)))
        if read_byte(address(handle, STAYS), current):
            staying = _distance(current, handle, scratch + U(QUERY_AT))
    bound = staying - np.float32(bias)
    if bound > 0:
        best, cost = _sweep(handle, first, last, bound, scratch)
        if best >= 0:
            return best, cost
    return np.int32(current) if staying < INFINITE else np.int32(-1), staying


@kernel
def find_one(query, current, ignore, bias, handle):
    """One query as it is given, refused where it makes no sense."""
    fitting = len(query) == handle[COLUMNS] and -1 <= current < handle[FRAMES]
    if not (fitting and ignore >= 0 and 0 <= bias <= LARGEST_BIAS):
        return np.int32(REFUSED), INFINITE
    return search(U(query.ctypes.data), current, ignore, bias, U(handle.ctypes.data), new_scratch(handle))


@kernel
def find_some(queries, currents, ignore, bias, handle, frames, costs):
    """Queries one after the other; scratch is this call's own, so that threads do not meet."""
    scratch, where = new_scratch(handle), U(handle.ctypes.data)
    for n in range(len(queries)):
        frames[n], costs[n] = search(U(queries[n].ctypes.data), np.int64(currents[n]), ignore, bias, where, scratch)
