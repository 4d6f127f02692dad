"""Compiled rivals: two levels of boxes column by column, as published, and a linear scan eight columns at a time."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.search.kernels import INFINITE, LARGE_BOX, SMALL_BOX, cost, full_cost, rough_cost, rough_limit, stay_cost


@kernel
def box_distance_by_column(low, high, query, limit):
    """Squared distance to a box, or any value above the limit once the sum exceeds it."""
    total = np.float32(0)
    for d in range(len(query)):
        gap = max(max(low[d] - query[d], query[d] - high[d]), np.float32(0))
        total += gap * gap
        if total > limit:
            break
    return total


@kernel
def boxes_by_column(query, current, first, last, values, targets, stays, large, small):
    """Two levels of boxes with an early out after every column (thesis 3.5.3; digital humans 3.3)."""
    staying = stay_cost(values, query, current, stays)
    best, bound = current, staying
    for a in range(len(large)):
        if box_distance_by_column(large[a, 0], large[a, 1], query, bound) > bound:
            continue
        for b in range(a * (LARGE_BOX // SMALL_BOX), min((a + 1) * (LARGE_BOX // SMALL_BOX), len(small))):
            if box_distance_by_column(small[b, 0], small[b, 1], query, bound) > bound:
                continue
            for i in range(b * SMALL_BOX, min((b + 1) * SMALL_BOX, len(values))):
                if targets[i] and not first <= i < last:
                    c = cost(values, i, query, bound)
                    if c < bound:
                        best, bound = i, c
    return best if bound < INFINITE else -1


@kernel
def linear(query, current, first, last, values, targets, stays):
    """Visit every frame: rough costs first, exact ones for frames that may be better."""
    staying = stay_cost(values, query, current, stays)
    best, bound = current, staying
    limit = rough_limit(bound, np.float32(1))
    for i in range(len(values)):
        if rough_cost(values[i], query) <= limit and targets[i] and not first <= i < last:
            c = full_cost(values, i, query)
            if c < bound:
                best, bound = i, c
                limit = rough_limit(bound, np.float32(1))
    return best if bound < INFINITE else -1
