"""Knots: the segments of a packed database as streams that compress: how they are stored, and how curves bend."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.packing.field_kernels import KIND_SHIFT, RUNS, SHIFTS, SIZE, SIZE_MASK, WIDTHS
from kinematch.database.packing.layout import CENTRES, HEAD, LANES, RANGES, UNIT

FIELDS = 3 * LANES  # of a row of knots
ORDER = [LANES * i + lane for i in range(3) for run in RUNS for lane in run]  # as they stand in a row, the last first


@dataclass(frozen=True, eq=False)
class KnotStreams:
    """S segments of G groups. Knots are second differences over time, by segment, group and field."""

    groups: int
    kinds: np.ndarray  # (G, S) uint8
    counts: np.ndarray  # (G, S) uint8, knots
    widths: np.ndarray  # (G * 24, S) uint8, bits
    ranges: np.ndarray  # (G * 24, S) uint8
    centres: np.ndarray  # (G * 32, S) uint8
    knots: np.ndarray  # (N,) int64


def read_segments(data: np.ndarray, offsets: np.ndarray, raw: np.ndarray, channels: int) -> KnotStreams | None:
    """None for segments stored as plain numbers, which these streams do not support."""
    groups, count = channels // LANES, len(offsets) - 1
    if raw.any() or not count:
        return None
    begins = offsets[:-1].astype(np.int64) * UNIT
    heads = data[begins[:, None] + np.arange(HEAD * groups)].reshape(count, groups, HEAD)
    starts = heads[..., 0].astype(np.int64) | heads[..., 1].astype(np.int64) << 8
    sizes = (heads[..., SIZE] & SIZE_MASK).astype(np.int64)
    ends = np.concatenate([starts[:, 1:], np.diff(offsets.astype(np.int64))[:, None] * UNIT], axis=1)
    counts = np.where(sizes > 0, (ends - starts) // np.maximum(sizes, 1), 0)
    knots = []
    for s in range(count):
        for g in range(groups):
            place = begins[s] + starts[s, g]
            rows = data[place : place + sizes[s, g] * counts[s, g]].reshape(-1, max(sizes[s, g], 1))
            knots.append(_bend(_read_rows(rows, heads[s, g, WIDTHS:SHIFTS].astype(int))))
    parts = [slice(WIDTHS, SHIFTS), slice(RANGES, CENTRES), slice(CENTRES, HEAD)]
    widths, ranges, centres = (heads[..., part].reshape(count, -1).T for part in parts)
    kinds = (heads[..., SIZE] >> KIND_SHIFT).T
    return KnotStreams(groups, kinds, counts.T.astype(np.uint8), widths, ranges, centres, np.concatenate(knots))


def _read_rows(rows: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Signed numbers (N, 24) of rows of bytes."""
    bits = np.unpackbits(rows, axis=1, bitorder="little").astype(np.int64)
    out, at = np.zeros((len(rows), FIELDS), np.int64), 0
    for run in range(0, FIELDS, LANES // 2):
        at += int(widths[ORDER[run : run + LANES // 2]].sum())
        top = at
        for one in ORDER[run : run + LANES // 2]:
            width = int(widths[one])
            top -= width
            if width:
                numbers = bits[:, top : top + width] @ (1 << np.arange(width))
                out[:, one] = numbers - ((numbers >> (width - 1)) << width)
    return out[:, widths > 0]


def _bend(numbers: np.ndarray) -> np.ndarray:
    """Second differences over time (N, W), one field after the other; the first of each as it is."""
    out = numbers.copy()
    out[1:] -= numbers[:-1]
    first = out.copy()
    out[2:] -= first[1:-1]
    return out.T.reshape(-1)
