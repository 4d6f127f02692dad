"""Bytes of segments: heads and knots, bit by bit."""

import numpy as np

from kinematch.compile.bit_fields import WIDTH_BITS
from kinematch.database.packing.kernels import write_knots
from kinematch.database.packing.layout import ROW_MASK, STRIDES, UNIT, count_knots
from kinematch.database.packing.quantise import Choice, find_knots
from kinematch.database.packing.segments import Segments
from kinematch.errors import KinematchError


def write_segments(segments: Segments, choice: Choice) -> list[np.ndarray]:
    """The bytes of each segment, a whole number of words."""
    heads = make_heads(segments.centres, choice)
    knots = [find_knots(segments, choice, kind).astype(np.int64) for kind in range(len(STRIDES))]
    counts = np.stack([count_knots(segments.lengths, stride) for stride in STRIDES], axis=-1)  # (S, 4)
    rows = measure_rows(choice.kinds, choice.widths)
    sizes = 8 * (heads.shape[1] + 1) + ((counts * rows + 7) >> 3).sum(axis=1)
    blocks = []
    for s in range(len(heads)):
        block = np.zeros(-(-int(sizes[s]) // UNIT) * UNIT, np.uint8)
        front = np.append(heads[s], rows[s].astype(np.uint16).view(np.uint64)).view(np.uint8)
        block[: len(front)] = front
        own = tuple(np.ascontiguousarray(part[s]) for part in knots)
        write_knots(block, own, choice.kinds[s], choice.widths[s], counts[s])
        blocks.append(block)
    return blocks


def measure_rows(kinds: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """(S, 4) bits of a knot of all channels (S, C) with each stride."""
    rows = np.stack([np.where(kinds == kind, 3 * widths, 0).sum(axis=1) for kind in range(len(STRIDES))], axis=-1)
    if rows.max(initial=0) > ROW_MASK:
        raise KinematchError(f"{kinds.shape[1]} channels are too many to be packed")
    return rows


def make_heads(centres: np.ndarray, choice: Choice) -> np.ndarray:
    """(S, C) uint64: see compile.bit_fields."""
    heads = choice.widths.astype(np.uint64) | (choice.kinds.astype(np.uint64) << np.uint64(WIDTH_BITS))
    for i in range(3):
        heads |= choice.codes[..., i].astype(np.uint64) << np.uint64(8 * (i + 1))
    for i in range(4):
        heads |= centres[..., i].view(np.uint8).astype(np.uint64) << np.uint64(32 + 8 * i)
    return heads
