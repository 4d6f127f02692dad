"""Small fields of a packed database: bits, bytes, whole numbers in steps, runs of equal values."""

from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError

MOST_SHORT = 65535


class Steps(NamedTuple):
    """Numbers in whole steps from a base, for each column."""

    codes: np.ndarray  # (F, D) uint16
    bases: np.ndarray  # (D,) float32
    steps: np.ndarray  # (D,) float32


def quantise_columns(values: np.ndarray) -> Steps:
    low, high = values.min(axis=0).astype(np.float32), values.max(axis=0).astype(np.float64)
    steps = ((high - low) / MOST_SHORT).astype(np.float32)
    steps[:] = np.nextafter(steps, np.float32(np.inf)) if len(steps) else steps
    codes = np.round((values - low.astype(np.float64)) / steps.astype(np.float64))
    return Steps(np.clip(codes, 0, MOST_SHORT).astype(np.uint16), low, steps)


def restore_columns(codes: np.ndarray, bases: np.ndarray, steps: np.ndarray) -> np.ndarray:
    return (codes * steps.astype(np.float64) + bases.astype(np.float64)).astype(np.float32)


def pack_flags(flags: np.ndarray) -> np.ndarray:
    """Bits (F, G) uint8 of flags (F, N), the first lowest."""
    return np.packbits(flags, axis=1, bitorder="little")


def read_flag(packed: np.ndarray, index: int) -> np.ndarray:
    return (packed[:, index >> 3] >> (index & 7) & 1).astype(bool)


def read_flags(packed: np.ndarray, first: int, count: int) -> np.ndarray:
    return np.unpackbits(packed, axis=1, bitorder="little")[:, first : first + count].astype(bool)


def find_runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where runs of equal values begin (R,) int32, and the values (R,)."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return starts.astype(np.int32), np.asarray(values[starts])


def check_runs(starts: np.ndarray) -> None:
    """Raise unless the first run begins at frame 0, and each behind the one before."""
    if not len(starts) or starts[0] != 0 or (starts[1:] <= starts[:-1]).any():
        raise KinematchError("runs of cost factors must begin at frame 0 and ascend")


def read_runs(starts: np.ndarray, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    return values[np.searchsorted(starts, frames, side="right") - 1]
