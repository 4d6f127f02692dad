"""Compiled scans: the linear reference and two levels of boxes."""

import numpy as np

from kinematch.compile.jit import kernel

INFINITE = np.float32(np.inf)
REFUSED = -2  # returned instead of a frame where an argument is out of range or not finite
LARGEST_BIAS = 1e30  # well within float32, so that no bound is infinity minus infinity
SMALL_BOX, LARGE_BOX = 16, 64  # frames
ANY_ORDER = {"reassoc", "nsz", "contract"}  # sums in any order; infinities stay infinities
MARGIN = np.float32(1 + 2e-5)  # more than the rounding error of 128 squares and their sum, in two orders
UNDERFLOW = np.float32(1e-42)  # more than the rounding error of 128 squares that are denormal


@kernel
def cost(values, frame, query, limit):
    """Squared distance summed in column order, or any value above the limit once the sum exceeds it."""
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
    """Cost of staying with the current frame; infinite where it may not keep playing."""
    if not 0 <= current < len(values) or not stays[current]:
        return INFINITE
    return full_cost(values, current, query)


@kernel
def scan(values, factors, queries, currents, firsts, lasts, targets, stays, bias):
    """Frames and costs for all queries: every frame is visited (digital humans 3.3 without the index)."""
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
    """Squared distance to a box, summed in any order, so that columns are handled eight or more at a time."""
    total = np.float32(0)
    for d in range(len(query)):
        below, above = low[d] - query[d], query[d] - high[d]
        gap = below if below > above else above
        gap = gap if gap > 0 else np.float32(0)
        total += gap * gap
    return total


@kernel(fastmath=ANY_ORDER)
def rough_cost(row, query):
    """Squared distance, summed in any order."""
    total = np.float32(0)
    for d in range(len(query)):
        difference = query[d] - row[d]
        total += difference * difference
    return total


@kernel
def rough_limit(bound, least):
    """If a distance summed in any order exceeds this, the cost exceeds the bound."""
    return bound / least * MARGIN + UNDERFLOW


@kernel
def search_boxes(
    query, current, first, last, bias, values, factors, least, targets, stays, large, small, any_large, any_small
):  # fmt: skip
    """As `scan` for one query, skipping boxes that cannot hold a better frame (thesis 3.5.3).

    Rows are padded with zeros, so that no vector is part empty. Rough distances decide what is skipped; the rest is
    measured as in `scan`.
    """
    staying = stay_cost(values, query, current, stays)
    best, bound = np.int32(-1), staying - np.float32(bias)
    limit = rough_limit(bound, least)
    for a in range(len(large)):
        if not any_large[a] or box_distance(large[a, 0], large[a, 1], query) > limit:
            continue
        for b in range(a * (LARGE_BOX // SMALL_BOX), min((a + 1) * (LARGE_BOX // SMALL_BOX), len(small))):
            if not any_small[b] or box_distance(small[b, 0], small[b, 1], query) > limit:
                continue
            for i in range(b * SMALL_BOX, min((b + 1) * SMALL_BOX, len(values))):
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
    """Frames and costs for weighted and padded queries; `boxes` are the arguments of `search_boxes` after the bias."""
    for n in range(len(queries)):
        frames[n], costs[n] = search_boxes(queries[n], currents[n], firsts[n], lasts[n], bias, *boxes)


@kernel
def find_in_boxes(query, current, ignore, bias, roots, clip_starts, clip_stops, *boxes):
    """Frame and cost for one query, neither weighted nor padded."""
    if not (len(query) == len(roots) and -1 <= current < len(boxes[0]) and ignore >= 0 and 0 <= bias <= LARGEST_BIAS):
        return np.int32(REFUSED), INFINITE
    weighted = np.zeros(boxes[0].shape[1], np.float32)
    for d in range(len(query)):
        weighted[d] = query[d] * roots[d]
        if weighted[d] - weighted[d] != 0:  # infinite or NaN
            return np.int32(REFUSED), INFINITE
    first = last = np.int64(0)
    if current >= 0:
        clip = np.searchsorted(clip_stops, current, side="right")
        first = max(current - ignore, np.int64(clip_starts[clip]))
        last = min(current + ignore + 1, np.int64(clip_stops[clip]))
    return search_boxes(weighted, current, first, last, bias, *boxes)
