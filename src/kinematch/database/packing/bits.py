"""Bytes of segments: heads and knots, bit by bit."""

import numpy as np

from kinematch.database.packing.field_kernels import DESCRIPTION, describe_rows, measure_rows
from kinematch.database.packing.kernels import write_knots
from kinematch.database.packing.layout import FARTHEST_KNOTS, HEAD, LANES, RANGES, STRIDES, UNIT, count_knots
from kinematch.database.packing.quantise import Choice, find_knots
from kinematch.database.packing.segments import Segments
from kinematch.errors import KinematchError


def write_segments(segments: Segments, choice: Choice) -> list[np.ndarray]:
    """The bytes of each segment, a whole number of words."""
    heads = make_heads(choice.kinds, choice.widths, choice.codes, segments.centres, segments.lengths)
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


def measure_knots(kinds: np.ndarray, widths: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """(S, G) bytes of all knots of groups of some kinds (S, G), whose channels have widths (S, C, 3)."""
    counts = np.stack([count_knots(lengths, stride) for stride in STRIDES], axis=-1)
    return np.take_along_axis(counts, kinds, axis=1) * measure_rows(widths.reshape(*kinds.shape, LANES, 3))


def measure_segments(kinds: np.ndarray, widths: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """(S,) bytes."""
    return HEAD * kinds.shape[1] + measure_knots(kinds, widths, lengths).sum(axis=1)


def make_heads(
    kinds: np.ndarray, widths: np.ndarray, codes: np.ndarray, centres: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """(S, G, HEAD) uint8; `codes` (S, C, 3) uint8 of ranges, `centres` (S, C, 4) int8."""
    groups = kinds.shape[1]
    sizes = measure_knots(kinds, widths, lengths)
    starts = HEAD * groups + np.cumsum(sizes, axis=1) - sizes
    if starts.max(initial=0) > FARTHEST_KNOTS:
        raise KinematchError(f"{LANES * groups} channels are too many to be packed")
    out = np.zeros((*kinds.shape, HEAD), np.uint8)
    out[..., :DESCRIPTION] = describe_rows(widths.reshape(*kinds.shape, LANES, 3), kinds)
    out[..., :2] = starts.astype(np.uint16)[..., None].view(np.uint8)
    numbers = np.concatenate([codes, centres.view(np.uint8)], axis=-1).reshape(*kinds.shape, LANES, 7)
    out[..., RANGES:] = numbers.swapaxes(-1, -2).reshape(*kinds.shape, -1)
    return out
