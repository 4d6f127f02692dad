"""The wide search: quantised boxes say which groups, leaves and frames are passed over; what is left is measured."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.compile.memory import prefetch
from kinematch.search.kernels import INFINITE, LARGEST_BIAS, REFUSED
from kinematch.search.tree_kernels import COARSE_LEVELS, FINE_LEVELS
from kinematch.search.vector_kernels import (
    BLOCK,
    FARTHEST,
    LINE,
    PLACES,
    address,
    box_bounds,
    first_bit,
    frame_bounds,
    lanes_at_most,
    nearest_lane,
    quantise_coarse,
    quantise_fine,
    read_byte,
    read_double,
    read_float,
    read_int,
    read_short,
    read_word,
    size,
    write_float,
    write_int,
    write_short,
    write_word,
)

U = np.uintp
FARTHEST_LIMIT = np.int32(FARTHEST - 1)
NO_BITS, ONE_BIT = np.uint64(0), np.uint64(1)
NONE, ONE = np.int64(0), np.int64(1)  # for plain ones, numba would compile what they are given to once more

# what stands where in a handle: addresses and sizes, so that one small array stands for a dozen
(TOPS, GROUPS, LEAVES, LEAF_FRAMES, VALUES, ROOTS, FACTORS, ORDER, FINE_OFFSETS, COARSE_OFFSETS, NUMBERS, CLIP_OF,
 CLIP_STARTS, CLIP_STOPS, TOP_MASKS, GROUP_MASKS, LEAF_MASKS, STAYS, TOP_COUNT, PAIRS, QUADS, COLUMNS,
 FRAMES) = range(23)  # fmt: skip
HANDLE_SIZE = 23
FINE_INVERSE, FINE_SCALE, COARSE_INVERSE, COARSE_SCALE = range(4)  # what stands where in NUMBERS
SEEDS = 2  # groups looked into before all others, the nearest first
PICKS = np.int64(2)  # leaves of a row looked at before all others, the nearest first
ROW = 64  # groups whose leaves are judged before any is looked at: memory is read ahead, branches are few

PREFETCHED = 4  # lines of a leaf; after that the processor knows what comes

# scratch: 16 bounds of a leaf's frames; a row of groups, which of their leaves are near, the bounds of all of them,
# and a list of the near ones; the query, also in the order of the boxes, and its ceilings and floors; the bounds of all
# groups, and which are near
ROW_AT = 64
NEAR_AT = ROW_AT + 4 * ROW
BOUNDS_AT = NEAR_AT + 2 * ROW + LINE
FOUND_AT = BOUNDS_AT + 64 * ROW
QUERY_AT = FOUND_AT + 64 * ROW
ORDERED_AT = QUERY_AT + 4 * PLACES
FINE_AT = ORDERED_AT + 4 * PLACES
COARSE_AT = FINE_AT + 4 * PLACES
GROUPS_AT = COARSE_AT + 2 * PLACES


@part
def new_scratch(handle):
    return np.empty(GROUPS_AT + 66 * handle[TOP_COUNT] + 2 * LINE, np.uint8)


@part
def _limit(bound, scale):
    """The quantised distance beyond which no frame can cost less than the bound."""
    scaled = np.float64(bound) * scale
    return np.int32(np.int32(scaled) + 1) if scaled < FARTHEST - 2 else FARTHEST_LIMIT


@part
def _expect(current, handle):
    """Ask for what a search will read of the current frame, which is far away."""
    if current >= 0:
        row = address(handle, VALUES) + U(current) * U(4 * size(handle, COLUMNS))
        prefetch(row)
        prefetch(row + U(64))
        prefetch(address(handle, CLIP_OF) + U(4 * current))
        prefetch(address(handle, STAYS) + U(current))


@part
def _weigh(query, handle, scratch):
    """The weighted query into scratch; false where it is not finite."""
    roots, weighted = address(handle, ROOTS), scratch + U(QUERY_AT)
    finite = True
    for d in range(size(handle, COLUMNS)):
        q = read_float(query, d) * read_float(roots, d)
        finite &= q - q == np.float32(0)
        write_float(weighted, d, q)
    return finite


@part
def _quantise(handle, scratch):
    """The weighted query's fine and coarse ceilings and floors, the columns that tell most first."""
    columns, order, numbers = size(handle, COLUMNS), address(handle, ORDER), address(handle, NUMBERS)
    ordered = scratch + U(ORDERED_AT)
    for d in range(columns):
        write_float(ordered, d, read_float(scratch + U(QUERY_AT), read_int(order, d)))
    blocks = (columns + BLOCK - 1) // BLOCK
    for d in range(columns, blocks * BLOCK):
        write_float(ordered, d, np.float32(0))
    offsets, inverse = address(handle, FINE_OFFSETS), read_double(numbers, FINE_INVERSE)
    quantise_fine(ordered, offsets, blocks, inverse, FINE_LEVELS, scratch + U(FINE_AT))
    offsets, inverse = address(handle, COARSE_OFFSETS), read_double(numbers, COARSE_INVERSE)
    blocks = (4 * size(handle, QUADS) + BLOCK - 1) // BLOCK
    quantise_coarse(ordered, offsets, blocks, inverse, COARSE_LEVELS, scratch + U(COARSE_AT))


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
    near = np.uint64(frame_bounds(frames, scratch + U(FINE_AT), pairs, _limit(bound, scale), scratch))
    near &= np.uint64(read_short(address(handle, LEAF_MASKS), leaf))
    while near != NO_BITS:
        lane, others = first_bit(near), near & (near - ONE_BIT)
        while others != NO_BITS:
            other = first_bit(others)
            others &= others - ONE_BIT
            lane = other if read_int(scratch, other) < read_int(scratch, lane) else lane
        near &= ~(ONE_BIT << np.uint64(lane))
        frame = np.int32(read_int(address(handle, LEAF_FRAMES), leaf) + lane)
        if not first <= frame < last:
            cost = _distance(np.int64(frame), handle, weighted)
            if size(handle, FACTORS):  # no address, where all are one
                cost *= read_float(address(handle, FACTORS), frame)
            # ties go to the earlier frame, but never away from the one that plays (best is -1 then)
            if cost < bound or (cost == bound and frame < best):
                best, bound = frame, cost
                near &= np.uint64(lanes_at_most(scratch, _limit(bound, scale)))
    return best, bound


@part
def _judge(group, place, handle, limit, scratch):
    """Put a group, the bounds of its leaves, and which of them are within the limit, at a place of the row."""
    quads, coarse = size(handle, QUADS), scratch + U(COARSE_AT)
    node, admitted = (
        address(handle, GROUPS) + U(group) * U(128 * quads),
        read_short(address(handle, GROUP_MASKS), group),
    )
    write_int(scratch + U(ROW_AT), place, np.int32(group))
    near = box_bounds(node, coarse, quads, admitted, limit, scratch + U(BOUNDS_AT) + U(64 * place))
    write_short(scratch + U(NEAR_AT), place, np.uint16(near))


@part
def _open(count, picks, handle, first, last, best, bound, scratch):
    """Look into a row of groups, whose leaves' bounds are known: the nearest leaves first, the rest as they lie."""
    row, bounds, near = scratch + U(ROW_AT), scratch + U(BOUNDS_AT), scratch + U(NEAR_AT)
    scale, before = read_double(address(handle, NUMBERS), COARSE_SCALE), bound
    for _ in range(picks):
        place = nearest_lane(bounds, count)
        if read_int(bounds, place) > _limit(bound, scale):
            return best, bound
        leaf = 16 * np.int64(read_int(row, place >> 4)) + (place & 15)
        best, bound = _look(leaf, handle, first, last, best, bound, scratch)
        write_int(bounds, place, np.int32(FARTHEST))
    if bound < before:
        for g in range(count):
            write_short(near, g, np.uint16(lanes_at_most(bounds + U(64 * g), _limit(bound, scale))))
    for n in range(_list(count, handle, scratch)):
        place = np.int64(read_int(scratch + U(FOUND_AT), n))
        if read_int(bounds, place) <= _limit(bound, scale):
            leaf = 16 * np.int64(read_int(row, place >> 4)) + (place & 15)
            best, bound = _look(leaf, handle, first, last, best, bound, scratch)
    return best, bound


@part
def _list(count, handle, scratch):
    """List the places of the near leaves of a row, and ask for the leaves, which are far away; how many there are."""
    row, near, found = scratch + U(ROW_AT), scratch + U(NEAR_AT), scratch + U(FOUND_AT)
    leaves, leaf_size = address(handle, LEAVES), U(64 * size(handle, PAIRS))
    write_word(near + U(2 * count), NONE, NO_BITS)  # behind the last, where a word may end
    total = NONE
    for word in range((count + 3) >> 2):  # four groups at once: the end of a loop is seldom guessed right
        lanes = read_word(near, word)
        while lanes != NO_BITS:
            place = 64 * word + first_bit(lanes)
            lanes &= lanes - ONE_BIT
            write_int(found, total, np.int32(place))
            total += 1
            start = leaves + U(16 * read_int(row, place >> 4) + (place & 15)) * leaf_size
            for line in range(PREFETCHED):
                prefetch(start + U(64 * line))
    return total


@part
def _sweep(handle, first, last, bound, scratch):
    """The best frame below a bound, -1 for none, and its cost."""
    quads, top_count = size(handle, QUADS), size(handle, TOP_COUNT)
    coarse = scratch + U(COARSE_AT)
    tops, masks, bounds = address(handle, TOPS), address(handle, TOP_MASKS), scratch + U(GROUPS_AT)
    lanes = bounds + U(64 * top_count)
    scale = read_double(address(handle, NUMBERS), COARSE_SCALE)
    best, limit, count = np.int32(-1), _limit(bound, scale), NONE
    for t in range(top_count):
        near = box_bounds(tops + U(t) * U(128 * quads), coarse, quads, read_short(masks, t), limit, bounds + U(64 * t))
        write_short(lanes, t, np.uint16(near))
    write_word(lanes + U(2 * top_count), NONE, NO_BITS)  # behind the last, where a word may end
    for _ in range(SEEDS):
        group = nearest_lane(bounds, top_count)
        if read_int(bounds, group) <= limit:
            _judge(group, NONE, handle, limit, scratch)
            write_int(bounds, group, np.int32(FARTHEST))
            best, bound = _open(ONE, PICKS, handle, first, last, best, bound, scratch)
            limit = _limit(bound, scale)
    picks = PICKS if best >= 0 else NONE  # where the nearest groups have nothing better, others seldom have
    for word in range((top_count + 3) >> 2):
        near = read_word(lanes, word)
        while near != NO_BITS:
            group = 64 * word + first_bit(near)
            near &= near - ONE_BIT
            if read_int(bounds, group) <= limit:
                _judge(group, count, handle, limit, scratch)
                count += 1
                if count == ROW:
                    best, bound = _open(count, picks, handle, first, last, best, bound, scratch)
                    limit, count = _limit(bound, scale), NONE
    return _open(count, picks, handle, first, last, best, bound, scratch) if count else (best, bound)


@part
def search(query, current, ignore, bias, handle, memory):
    """The frame of least cost and that cost; -1 where none may be taken, REFUSED for a query that is not finite.

    Query and handle are addresses; memory is an array and not its address, so that it is held as long as this runs.
    """
    scratch = (U(memory.ctypes.data) + U(LINE - 1)) & ~U(LINE - 1)
    if not _weigh(query, handle, scratch):
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
        _quantise(handle, scratch)
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
        if n + 1 < len(queries):
            _expect(np.int64(currents[n + 1]), where)
        frames[n], costs[n] = search(U(queries[n].ctypes.data), np.int64(currents[n]), ignore, bias, where, scratch)
