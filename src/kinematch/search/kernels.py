"""Compiled scans: the linear reference and the two-level boxes of the source works."""

import numpy as np

from kinematch.compile.jit import kernel

INFINITE = np.float32(np.inf)
REFUSED = -2  # instead of a frame: the question makes no sense
LARGEST_BIAS = 1e30  # well within float32, so that no bound becomes infinity less infinity
SMALL, LARGE = 16, 64  # frames in a box
ANY_ORDER = {"reassoc", "nsz", "contract"}  # sums in any order; infinities keep their meaning
MARGIN = np.float32(1 + 2e-5)  # outweighs the rounding of 128 squares and their sum, in two orders
TINY = np.float32(1e-42)  # outweighs that of 128 squares too small for float32's full precision


@kernel
def cost(values, frame, query, limit):
    """Squared distance summed in column order; gives up, with a value above it, once the limit is passed."""
    total = np.float32(0)
    for d in range(len(query)):
        difference = query[d] - values[frame, d]
        total += difference * difference
        if total > limit:
            break
    return total


@kernel
def full_cost(values, frame, query):
    total = np.float32(0)
    for d in range(len(query)):
        difference = query[d] - values[frame, d]
        total += difference * difference
    return total


@kernel
def stay_cost(values, query, current, stays):
    """Cost of going on with the current frame; infinite where it may not go on."""
    if current < 0 or not stays[current]:
        return INFINITE
    return full_cost(values, current, query)


@kernel
def scan(values, factors, queries, currents, firsts, lasts, targets, stays, bias):
    """Frames and costs for all queries by looking at every frame (digital humans 3.3 without the index)."""
    count, frame_count = len(queries), len(values)
    frames = np.empty(count, np.int32)
    costs = np.empty(count, np.float32)
    for n in range(count):
        query, first, last = queries[n], firsts[n], lasts[n]
        staying = stay_cost(values, query, currents[n], stays)
        best, bound = np.int32(-1), staying - np.float32(bias)
        for i in range(frame_count):
            if targets[i] and not first <= i < last:
                c = cost(values, i, query, bound if factors[i] == 1 else INFINITE) * factors[i]
                if c < bound:
                    best, bound = np.int32(i), c
        frames[n] = best if best >= 0 else (currents[n] if staying < INFINITE else -1)
        costs[n] = bound if best >= 0 else staying
    return frames, costs


@kernel(fastmath=ANY_ORDER)
def box_distance(low, high, query):
    """Squared distance to a box; its columns are summed eight or more at a time, in no particular order."""
    total = np.float32(0)
    for d in range(len(query)):
        below, above = low[d] - query[d], query[d] - high[d]
        gap = below if below > above else above
        gap = gap if gap > 0 else np.float32(0)
        total += gap * gap
    return total


@kernel(fastmath=ANY_ORDER)
def rough_cost(row, query):
    """Squared distance, to rounding."""
    total = np.float32(0)
    for d in range(len(query)):
        difference = query[d] - row[d]
        total += difference * difference
    return total


@kernel
def rough_limit(bound, least):
    """What a distance summed in any order must be above for the cost to be above the bound."""
    return bound / least * MARGIN + TINY


@kernel
def search_boxes(
    query, current, first, last, bias, values, factors, least, targets, stays, large, small, any_large, any_small
):  # fmt: skip
    """As scan for one query, passing over boxes of frames that cannot hold a better one (thesis 3.5.3).

    Rows are padded with zeros, so that no vector is part empty. Rough distances decide what is passed over; what is
    found is measured as in scan.
    """
    staying = stay_cost(values, query, current, stays)
    best, bound = np.int32(-1), staying - np.float32(bias)
    limit = rough_limit(bound, least)
    for a in range(len(large)):
        if not any_large[a] or box_distance(large[a, 0], large[a, 1], query) > limit:
            continue
        for b in range(a * (LARGE // SMALL), min((a + 1) * (LARGE // SMALL), len(small))):
            if not any_small[b] or box_distance(small[b, 0], small[b, 1], query) > limit:
                continue
            for i in range(b * SMALL, min((b + 1) * SMALL, len(values))):
                if rough_cost(values[i], query) <= limit and targets[i] and not first <= i < last:
                    c = full_cost(values, i, query) * factors[i]
                    if c < bound:
                        best, bound = np.int32(i), c
                        limit = rough_limit(bound, least)
    if best >= 0:
        return best, bound
    return np.int32(current) if staying < INFINITE else np.int32(-1), staying


@kernel
def scan_boxes(queries, currents, firsts, lasts, bias, frames, costs, *boxes):
    """Frames and costs for weighted and padded queries; boxes are all that search_boxes takes after the query."""
    for n in range(len(queries)):
        frames[n], costs[n] = search_boxes(queries[n], currents[n], firsts[n], lasts[n], bias, *boxes)


@kernel
def find_in_boxes(query, current, ignore, bias, roots, clip_starts, clip_stops, *boxes):
    """Frame and cost for one query as it is given."""
    if not (len(query) == len(roots) and -1 <= current < len(boxes[0]) and ignore >= 0 and 0 <= bias <= LARGEST_BIAS):
        return np.int32(REFUSED), INFINITE
    weighted = np.zeros(boxes[0].shape[1], np.float32)
    for d in range(len(query)):
        weighted[d] = query[d] * roots[d]
        if weighted[d] - weighted[d] != 0:  # infinite or no number
            return np.int32(REFUSED), INFINITE
    first = last = np.int64(0)
    if current >= 0:
        clip = np.searchsorted(clip_stops, current, side="right")
        first = max(current - ignore, np.int64(clip_starts[clip]))
        last = min(current + ignore + 1, np.int64(clip_stops[clip]))
    return search_boxes(weighted, current, first, last, bias, *boxes)
