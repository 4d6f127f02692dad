"""Compiled scans: the linear reference and the two-level boxes of the source works."""

import numpy as np

from kinematch.math.jit import kernel

INFINITE = np.float32(np.inf)


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


@kernel
def box_limit(bound, least):
    """The distance beyond which nothing in a box can cost less than the bound; least is the smallest cost factor.

    A distance is a float32 itself, so where it is at most the true quotient it is at most the rounded one.
    """
    return bound / least


@kernel
def box_distance(lows, highs, box, query, limit):
    """Squared distance to a box in column order: rounding being monotone, it never exceeds that of a frame within."""
    total = np.float32(0)
    for d in range(len(query)):
        gap = max(max(lows[box, d] - query[d], query[d] - highs[box, d]), np.float32(0))
        total += gap * gap
        if total > limit:
            break
    return total


@kernel
def scan_boxes(
    values, factors, least, queries, currents, firsts, lasts, targets, stays, bias,
    large_lows, large_highs, small_lows, small_highs, small_size, large_size, small_any, large_any,
):  # fmt: skip
    """As scan, passing over boxes of frames that cannot hold a better one (thesis 3.5.3: 16 and 64 frames)."""
    count, frame_count = len(queries), len(values)
    frames = np.empty(count, np.int32)
    costs = np.empty(count, np.float32)
    ratio = large_size // small_size
    for n in range(count):
        query, first, last = queries[n], firsts[n], lasts[n]
        staying = stay_cost(values, query, currents[n], stays)
        best, bound = np.int32(-1), staying - np.float32(bias)
        for large in range(len(large_lows)):
            limit = box_limit(bound, least)
            if not large_any[large] or box_distance(large_lows, large_highs, large, query, limit) > limit:
                continue
            for small in range(large * ratio, min((large + 1) * ratio, len(small_lows))):
                if not small_any[small]:
                    continue
                limit = box_limit(bound, least)
                if box_distance(small_lows, small_highs, small, query, limit) > limit:
                    continue
                for i in range(small * small_size, min((small + 1) * small_size, frame_count)):
                    if targets[i] and not first <= i < last:
                        c = cost(values, i, query, bound if factors[i] == 1 else INFINITE) * factors[i]
                        if c < bound:
                            best, bound = np.int32(i), c
        frames[n] = best if best >= 0 else (currents[n] if staying < INFINITE else -1)
        costs[n] = bound if best >= 0 else staying
    return frames, costs
