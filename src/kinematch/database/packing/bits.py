"""Bytes of segments: heads and knots, bit by bit."""

import numpy as np

from kinematch.compile.bit_fields import WIDTH_BITS
from kinematch.database.packing.kernels import write_knots
from kinematch.database.packing.layout import STRIDES, UNIT
from kinematch.database.packing.quantise import Choice, find_knots
from kinematch.database.packing.segments import Segments


def write_segments(segments: Segments, choice: Choice) -> list[np.ndarray]:
    """The bytes of each segment, a whole number of words."""
    heads = make_heads(segments.centres, choice)
    knots = [find_knots(segments, choice, kind).astype(np.int64) for kind in range(len(STRIDES))]
    counts = np.stack([(segments.lengths - 2 + stride) // stride + 1 for stride in STRIDES], axis=-1)
    counts = np.take_along_axis(counts, choice.kinds, axis=1)  # (S, C)
    sizes = 8 * heads.shape[1] + ((counts * 3 * choice.widths + 7) >> 3).sum(axis=1)
    blocks = []
    for s in range(len(heads)):
        block = np.zeros(-(-int(sizes[s]) // UNIT) * UNIT, np.uint8)
        block[: 8 * heads.shape[1]] = heads[s].view(np.uint8)
        own = tuple(np.ascontiguousarray(part[s]) for part in knots)
        write_knots(block, own, choice.kinds[s], choice.widths[s], counts[s])
        blocks.append(block)
    return blocks


def make_heads(centres: np.ndarray, choice: Choice) -> np.ndarray:
    """(S, C) uint64: see compile.bit_fields."""
    heads = choice.widths.astype(np.uint64) | (choice.kinds.astype(np.uint64) << np.uint64(WIDTH_BITS))
    for i in range(3):
        heads |= choice.codes[..., i].astype(np.uint64) << np.uint64(8 * (i + 1))
    for i in range(4):
        heads |= centres[..., i].view(np.uint8).astype(np.uint64) << np.uint64(32 + 8 * i)
    return heads
