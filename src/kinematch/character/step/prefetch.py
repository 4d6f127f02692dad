"""Prefetch: memory that characters will need soon; nothing can foresee where they are in a large database."""

import numpy as np

from kinematch.character.step.data import find_source
from kinematch.compile.indexing import lane_count
from kinematch.compile.jit import only_in_kernels
from kinematch.compile.memory import address, fetch
from kinematch.database.frame_kernels import is_packed
from kinematch.database.pair_kernels import prefetch_features, prefetch_frame, prefetch_knots
from kinematch.search.wide_kernels import prefetch_current


@only_in_kernels
def prefetch_query(data, n):
    """Prefetch what the query of a character and its search read of the frame that plays."""
    source, orders = find_source(data, n), data.orders
    if source.each > 0 or source.search.handles.shape[0] == 0:
        return
    frame = min(max(data.playing.frames[n], 0), source.frame_count - 1)
    prefetch_features(source, frame, data.schedule.queries.shape[1])
    filter_ = min(max(orders.filters[n], 0), source.search.handles.shape[0] - 1)
    if source.search.exact and source.search.handles[filter_, 0] != 0:
        prefetch_current(np.int64(frame), np.uintp(source.search.handles[filter_, 0]))


@only_in_kernels
def prefetch_playing(data, characters, start, stop):
    """Prefetch the frames that the next characters of a list play."""
    for m in range(start, min(start + lane_count(), stop)):
        source = find_source(data, characters[m])
        if source.each > 0:
            continue
        prefetch_frame(source, min(max(data.playing.frames[characters[m]], 0), source.frame_count - 1))


@only_in_kernels
def prefetch_pose(data, source, n):
    """Prefetch what the pose that a character has come to is unpacked from, once `prefetch_playing` has run."""
    if is_packed(source):
        prefetch_knots(source, min(max(data.playing.frames[n], 0), source.frame_count - 1))


@only_in_kernels
def prefetch_offsets(data, n):
    """Prefetch what a character remembers of its last jump."""
    fetch(address(data.offsets.rotations, n), data.offsets.rotations.strides[0])
