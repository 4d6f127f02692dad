"""The wide search: check a query, bound it by the frame that plays, and sweep the tree with near or far boxes."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.compile.memory import (
    CACHE_LINE,
    address,
    fetch,
    prefetch,
    read_address,
    read_byte,
    read_float,
    read_int,
    read_size,
    write_float,
)
from kinematch.search import layout_kernels as at
from kinematch.search.far_kernels import place_query
from kinematch.search.kernels import INFINITE, LARGEST_BIAS, REFUSED
from kinematch.search.layout_kernels import U, distance, new_scratch
from kinematch.search.near_kernels import order_query, quantise_query
from kinematch.search.sweep_kernels import sweep_far, sweep_near

OFFSETS_SIZE = 256  # bytes of arrays by column to prefetch
TOPS_SIZE = 4096  # of the top nodes; from there on the processor predicts what is read


@part
def prefetch_current(current, handle):
    """Prefetch what a search reads of the current frame."""
    if 0 <= current < read_size(handle, at.FRAMES):
        row = read_address(handle, at.VALUES) + U(current) * U(4 * read_size(handle, at.COLUMNS))
        prefetch(row)
        prefetch(row + U(CACHE_LINE))
        prefetch(read_address(handle, at.CLIP_OF) + U(4 * current))
        prefetch(read_address(handle, at.STAYS) + U(current))


@part
def _prefetch_tree(handle):
    """Prefetch what every search reads, all at once: with cold caches each array would be waited for in turn."""
    for place in (at.ROOTS, at.ORDER, at.NUMBERS, at.TOP_MASKS, at.GROUP_MASKS):
        prefetch(read_address(handle, place))
    for place in (at.REACH, at.FINE_OFFSETS, at.COARSE_OFFSETS):
        fetch(read_address(handle, place), OFFSETS_SIZE)
    fetch(
        read_address(handle, at.TOPS),
        min(128 * read_size(handle, at.TOP_COUNT) * read_size(handle, at.QUADS), TOPS_SIZE),
    )


@part
def _weigh(query, handle, scratch):
    """Write the weighted query to scratch; false where it is not finite."""
    roots, weighted = read_address(handle, at.ROOTS), scratch + U(at.QUERY_AT)
    finite = True
    for d in range(read_size(handle, at.COLUMNS)):
        q = read_float(query, d) * read_float(roots, d)
        finite &= q - q == np.float32(0)
        write_float(weighted, d, q)
    return finite


@part
def _sweep(handle, first, last, bound, scratch):
    if order_query(handle, scratch):
        place_query(handle, scratch)
        return sweep_far(handle, first, last, bound, scratch)
    quantise_query(handle, scratch)
    return sweep_near(handle, first, last, bound, scratch)


@part
def search(query, current, ignore, bias, handle, memory):
    """The frame of least cost and that cost; -1 where none may be taken, REFUSED for a query that is not finite.

    Query and handle are addresses; memory is an array and not its address, so that it is kept as long as this runs.
    """
    scratch = (U(memory.ctypes.data) + U(CACHE_LINE - 1)) & ~U(CACHE_LINE - 1)
    _prefetch_tree(handle)
    prefetch_current(current, handle)
    if not -1 <= current < read_size(handle, at.FRAMES) or not _weigh(query, handle, scratch):
        return np.int32(REFUSED), INFINITE
    staying, first, last = INFINITE, np.int32(0), np.int32(0)
    if current >= 0:
        clip = read_int(read_address(handle, at.CLIP_OF), current)
        first = np.int32(max(current - ignore, read_int(read_address(handle, at.CLIP_STARTS), clip)))
        last = np.int32(min(current + ignore + 1, read_int(read_address(handle, at.CLIP_STOPS), clip)))
        if read_byte(read_address(handle, at.STAYS), current):
            staying = distance(current, handle, scratch + U(at.QUERY_AT))
    bound = staying - np.float32(bias)
    if bound > 0:
        best, cost = _sweep(handle, first, last, bound, scratch)
        if best >= 0:
            return best, cost
    return np.int32(current) if staying < INFINITE else np.int32(-1), staying


@kernel
def find_one(query, current, ignore, bias, handle):
    """Frame and cost for one query; REFUSED where an argument is out of range. The handle is an address."""
    if len(query) != read_size(U(handle), at.COLUMNS) or ignore < 0 or not 0 <= bias <= LARGEST_BIAS:
        return np.int32(REFUSED), INFINITE
    return search(address(query, 0), current, ignore, bias, U(handle), new_scratch(U(handle)))


@kernel
def find_some(queries, currents, ignore, bias, handle, frames, costs):
    """One query after the other, with scratch memory of its own, so that threads can share a handle.

    Returns how many found nothing or were refused. Shapes are the caller's responsibility.
    """
    scratch, missed = new_scratch(U(handle)), 0
    for n in range(len(queries)):
        if n + 1 < len(queries):
            prefetch_current(np.int64(currents[n + 1]), U(handle))
        frames[n], costs[n] = search(address(queries, n), np.int64(currents[n]), ignore, bias, U(handle), scratch)
        missed += frames[n] < 0
    return missed
