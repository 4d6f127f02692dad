"""Bytes of segments: heads and knots, bit by bit."""

import numpy as np

from kinematch.database.packing.kernels import write_knots
from kinematch.database.packing.layout import HEAD, KIND_SHIFT, LANES, STRIDES, UNIT, count_knots
from kinematch.database.packing.quantise import Choice, find_knots
from kinematch.database.packing.segments import Segments


def write_segments(segments: Segments, choice: Choice) -> list[np.ndarray]:
    """The bytes of each segment, a whole number of words."""
    heads = make_heads(segments.centres, choice)
    knots = [find_knots(segments, choice, kind).astype(np.int64) for kind in range(len(STRIDES))]
    counts = np.stack([count_knots(segments.lengths, stride) for stride in STRIDES], axis=-1)  # (S, 4)
    sizes = measure_segments(choice.kinds, choice.widths, segments.lengths)
    blocks = []
    for s in range(len(heads)):
        block = np.zeros(-(-int(sizes[s]) // UNIT) * UNIT, np.uint8)
        block[: heads[s].size] = heads[s].reshape(-1)
        own = tuple(np.ascontiguousarray(part[s]) for part in knots)
        write_knots(block, own, choice.kinds[s], choice.widths[s], counts[s])
        blocks.append(block)
    return blocks


def measure_segments(kinds: np.ndarray, widths: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """(S,) bytes of segments whose groups have kinds (S, G), and channels widths (S, C, 3)."""
    counts = np.stack([count_knots(lengths, stride) for stride in STRIDES], axis=-1)
    bits = widths.reshape(*kinds.shape, 3 * LANES).sum(axis=-1)
    return HEAD * kinds.shape[1] + (np.take_along_axis(counts, kinds, axis=1) * ((bits + 7) >> 3)).sum(axis=1)


def make_heads(centres: np.ndarray, choice: Choice) -> np.ndarray:
    """(S, G, 10, 8) uint8."""
    count, groups = choice.kinds.shape
    numbers = [choice.widths.astype(np.uint8), choice.codes, centres.view(np.uint8)]
    heads = np.concatenate(numbers, axis=-1).reshape(count, groups, LANES, -1).swapaxes(2, 3).copy()
    heads[:, :, 0, 0] |= (choice.kinds << KIND_SHIFT).astype(np.uint8)
    return heads
