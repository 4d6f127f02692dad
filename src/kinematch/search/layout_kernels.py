"""What the kernels of the wide search share: the layout of handles and scratch memory, and the distance to a frame."""

import numpy as np

from kinematch.compile.jit import part
from kinematch.compile.memory import CACHE_LINE, prefetch, read_address, read_float, read_size
from kinematch.search.vector_kernels import QUERY_COLUMNS

U = np.uintp
NO_BITS, LOWEST_BIT = np.uint64(0), np.uint64(1)
# typed: numba would compile a function again for a literal
ZERO, ONE = np.int64(0), np.int64(1)

# A handle is an array of addresses and sizes in this order; kernels take its address instead of many arrays.
(TOPS, GROUPS, LEAVES, LEAF_FRAMES, VALUES, ROOTS, FACTORS, ORDER, FINE_OFFSETS, COARSE_OFFSETS, NUMBERS, CLIP_OF,
 CLIP_STARTS, CLIP_STOPS, TOP_MASKS, GROUP_MASKS, LEAF_MASKS, STAYS, EXACT_TOPS, EXACT_GROUPS, REACH, FINE_REACH,
 TOP_COUNT, PAIRS, QUADS, COLUMNS, FRAMES) = range(27)  # fmt: skip
HANDLE_SIZE = 27
# the order of the array NUMBERS: steps per unit, squared steps per cost, least cost factor, cost from which on a query
# is far
FINE_INVERSE, FINE_SCALE, COARSE_INVERSE, COARSE_SCALE, LEAST_FACTOR, FAR_COST = range(6)

LEAF_LINES = 4  # cache lines of a leaf to prefetch
ROW_GROUPS = 64  # groups whose leaves are bounded before any leaf is searched: few branches, memory read ahead

# Scratch memory, byte offsets. At 0: the bounds or costs of the 16 frames of a leaf.
ROW_AT = 64  # the groups of the row, int32
NEAR_AT = ROW_AT + 4 * ROW_GROUPS  # which leaves of each are within the limit, uint16, and a word to end on
BOUNDS_AT = NEAR_AT + 2 * ROW_GROUPS + CACHE_LINE  # the bounds of their leaves, 16 int32 each
FOUND_AT = BOUNDS_AT + 64 * ROW_GROUPS  # where in the row the leaves within the limit are, int32
QUERY_AT = FOUND_AT + 64 * ROW_GROUPS  # the weighted query, float32
ORDERED_AT = QUERY_AT + 4 * QUERY_COLUMNS  # the same in the column order of the quantised leaves and boxes
FINE_AT = ORDERED_AT + 4 * QUERY_COLUMNS  # its ceilings and floors for leaves, uint16
COARSE_AT = FINE_AT + 4 * QUERY_COLUMNS  # its ceilings and floors for boxes, uint8
EDGES_AT = COARSE_AT + 2 * QUERY_COLUMNS  # where the query lies among the levels of leaves, two float32 for each column
# the bounds of all groups, 16 int32 for each top node; then which are near
GROUPS_AT = EDGES_AT + 8 * QUERY_COLUMNS + CACHE_LINE


def measure_memory(handle: np.ndarray) -> int:
    """Bytes of scratch that a search takes."""
    return int(GROUPS_AT + 66 * handle[TOP_COUNT] + 2 * CACHE_LINE)


@part
def new_scratch(handle):
    return np.empty(GROUPS_AT + 66 * read_size(handle, TOP_COUNT) + 2 * CACHE_LINE, np.uint8)


@part
def distance(frame, handle, weighted):
    """Squared distance in column order, every product and sum rounded: equal to the plain scan to the last bit."""
    columns, roots = read_size(handle, COLUMNS), read_address(handle, ROOTS)
    row = read_address(handle, VALUES) + U(frame) * U(4 * columns)
    total = np.float32(0)
    for d in range(columns):
        difference = read_float(weighted, d) - read_float(row, d) * read_float(roots, d)
        total += difference * difference
    return total


@part
def prefetch_start(start):
    """Prefetch the first lines of a leaf; after that the processor predicts the rest."""
    for line in range(LEAF_LINES):
        prefetch(start + U(CACHE_LINE * line))
