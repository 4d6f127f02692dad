"""Compiled baselines: boxes column by column, as published, and a linear scan; a loop that times the wide search."""

import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile.jit import kernel
from kinematch.compile.memory import address
from kinematch.compile.vectors import I64, intrinsic
from kinematch.search.kernels import INFINITE, LARGE_BOX, SMALL_BOX, cost, full_cost, rough_cost, rough_limit, stay_cost
from kinematch.search.layout_kernels import U, new_scratch
from kinematch.search.wide_kernels import search


@intrinsic
def call_function(typing, function, first, second):
    """The integer that the C function at an address returns for two integers, each of 64 bits."""

    def generate(context, b, _, arguments):
        kind = ir.FunctionType(I64, [I64, I64])
        return b.call(b.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.uintp, types.int64, types.int64), generate


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


@kernel
def time_wide(queries, currents, ignore, handle, clock, flush, block, size, frames, costs, times):
    """Time the wide search of each query with the clock of the baseline, after the same flush of the caches."""
    scratch = new_scratch(U(handle))
    for n in range(len(queries)):
        call_function(U(flush), block, size)
        began = call_function(U(clock), 0, 0)
        frames[n], costs[n] = search(address(queries, n), np.int64(currents[n]), ignore, 0.0, U(handle), scratch)
        times[n] = call_function(U(clock), 0, 0) - began
