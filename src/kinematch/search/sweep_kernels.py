"""The sweep through the tree: bounds of boxes decide which groups and leaves are skipped, the rest is searched.

It is compiled twice, for the quantised boxes of `near_kernels` and the float32 boxes of `far_kernels`: one sweep that
chose between them at run time took a tenth longer.
"""

from types import ModuleType
from typing import Any

import numpy as np

from kinematch.compile.jit import part
from kinematch.compile.memory import (
    first_bit,
    read_address,
    read_int,
    read_short,
    read_size,
    read_word,
    write_int,
    write_short,
    write_word,
)
from kinematch.search import far_kernels, near_kernels
from kinematch.search import layout_kernels as at
from kinematch.search.layout_kernels import LOWEST_BIT, NO_BITS, ONE, ROW_GROUPS, ZERO, U
from kinematch.search.vector_kernels import NO_BOUND, index_of_least, lanes_at_most

SEED_GROUPS = 2  # groups opened before all others, the nearest first
SEED_LEAVES = np.int64(2)  # leaves of a row searched before all others, the nearest first


def _make_sweep(boxes: ModuleType) -> Any:
    """The sweep through one kind of boxes."""
    limit_boxes, bound_top, bound_group = boxes.limit_boxes, boxes.bound_top, boxes.bound_group
    prefetch_leaf, search_leaf = boxes.prefetch_leaf, boxes.search_leaf

    @part
    def add_group(group, place, handle, limit, scratch):
        """Put a group, the bounds of its leaves, and which of them are within the limit, at a place of the row."""
        admitted = read_short(read_address(handle, at.GROUP_MASKS), group)
        write_int(scratch + U(at.ROW_AT), place, np.int32(group))
        near = bound_group(group, admitted, handle, limit, scratch + U(at.BOUNDS_AT) + U(64 * place), scratch)
        write_short(scratch + U(at.NEAR_AT), place, np.uint16(near))

    @part
    def search_place(place, handle, first, last, best, bound, scratch):
        """Search the leaf at a place of the row."""
        leaf = 16 * np.int64(read_int(scratch + U(at.ROW_AT), place >> 4)) + (place & 15)
        leaf_bound = read_int(scratch + U(at.BOUNDS_AT), place)
        return search_leaf(leaf, leaf_bound, handle, first, last, best, bound, scratch)

    @part
    def list_leaves(count, handle, scratch):
        """List the places of the leaves of the row within the limit, and prefetch them; returns how many."""
        row, near, found = scratch + U(at.ROW_AT), scratch + U(at.NEAR_AT), scratch + U(at.FOUND_AT)
        write_word(near + U(2 * count), ZERO, NO_BITS)  # the last word may reach behind the last group
        total = ZERO
        for word in range((count + 3) >> 2):  # four groups at once, since the ends of short loops are mispredicted
            lanes = read_word(near, word)
            while lanes != NO_BITS:
                place = 64 * word + first_bit(lanes)
                lanes &= lanes - LOWEST_BIT
                write_int(found, total, np.int32(place))
                total += 1
                prefetch_leaf(16 * np.int64(read_int(row, place >> 4)) + (place & 15), handle)
        return total

    @part
    def open_row(count, seeds, handle, first, last, best, bound, scratch):
        """Search the groups of the row, whose leaves are bounded: the nearest leaves first, the rest in order."""
        bounds, near, before = scratch + U(at.BOUNDS_AT), scratch + U(at.NEAR_AT), bound
        for _ in range(seeds):
            place = index_of_least(bounds, count)
            if read_int(bounds, place) > limit_boxes(best, bound, handle):
                return best, bound
            best, bound = search_place(place, handle, first, last, best, bound, scratch)
            write_int(bounds, place, np.int32(NO_BOUND))
        if bound < before:
            for g in range(count):
                within = lanes_at_most(bounds + U(64 * g), limit_boxes(best, bound, handle))
                write_short(near, g, np.uint16(within))
        for n in range(list_leaves(count, handle, scratch)):
            place = np.int64(read_int(scratch + U(at.FOUND_AT), n))
            if read_int(bounds, place) <= limit_boxes(best, bound, handle):
                best, bound = search_place(place, handle, first, last, best, bound, scratch)
        return best, bound

    @part
    def sweep(handle, first, last, bound, scratch):
        """The best frame below a bound, -1 for none, and its cost."""
        top_count, bounds = read_size(handle, at.TOP_COUNT), scratch + U(at.GROUPS_AT)
        masks, lanes = read_address(handle, at.TOP_MASKS), bounds + U(64 * top_count)
        best, count = np.int32(-1), ZERO
        limit = limit_boxes(best, bound, handle)
        for t in range(top_count):
            near = bound_top(t, read_short(masks, t), handle, limit, bounds + U(64 * t), scratch)
            write_short(lanes, t, np.uint16(near))
        write_word(lanes + U(2 * top_count), ZERO, NO_BITS)  # the last word may reach behind the last node
        for _ in range(SEED_GROUPS):
            group = index_of_least(bounds, top_count)
            if read_int(bounds, group) <= limit:
                add_group(group, ZERO, handle, limit, scratch)
                write_int(bounds, group, np.int32(NO_BOUND))
                best, bound = open_row(ONE, SEED_LEAVES, handle, first, last, best, bound, scratch)
                limit = limit_boxes(best, bound, handle)
        seeds = SEED_LEAVES if best >= 0 else ZERO  # if the nearest groups hold nothing better, others seldom do
        for word in range((top_count + 3) >> 2):
            near = read_word(lanes, word)
            while near != NO_BITS:
                group = 64 * word + first_bit(near)
                near &= near - LOWEST_BIT
                if read_int(bounds, group) <= limit:
                    add_group(group, count, handle, limit, scratch)
                    count += 1
                    if count == ROW_GROUPS:
                        best, bound = open_row(count, seeds, handle, first, last, best, bound, scratch)
                        limit, count = limit_boxes(best, bound, handle), ZERO
        return open_row(count, seeds, handle, first, last, best, bound, scratch) if count else (best, bound)

    return sweep


sweep_near, sweep_far = _make_sweep(near_kernels), _make_sweep(far_kernels)
