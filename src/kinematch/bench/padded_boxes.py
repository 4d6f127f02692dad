"""The baseline in C++: two levels of boxes over padded rows, timed inside a compiled loop against the wide search."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.bench.baseline_input import BaselineInput
from kinematch.bench.machine import find_processor
from kinematch.compile.memory import CACHE_LINE
from kinematch.errors import KinematchError
from kinematch.folders import find_cache_folder
from kinematch.search.kernels import LARGE_BOX, SMALL_BOX
from kinematch.search.space import SearchSpace

SOURCE = Path(__file__).with_name("padded_boxes.cpp")
COMPILER = "g++"
# sums in any order, so that they are vectorised; infinities stay infinities
FLAGS = ("-O3", "-march=native", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-shared", "-fPIC")
PADDED_COLUMNS = 32  # of a padded row


class _Data(ctypes.Structure):
    """As `Data` in the source."""

    _fields_ = (
        ("frames", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("values", "stays", "small", "large", "first", "last")),
    )


@dataclass(frozen=True, eq=False)
class Timed:
    """What a compiled loop over queries found, and when."""

    frames: np.ndarray  # (N,) int32
    costs: np.ndarray  # (N,) float32
    times: np.ndarray  # (N,) int64 ns


def new_timed(count: int) -> Timed:
    return Timed(np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.int64))


def compile_boxes() -> ctypes.CDLL | None:
    """The compiled source, kept in the cache; None without a compiler."""
    compiler = shutil.which(COMPILER)
    if compiler is None:
        return None
    made_of = " ".join([*FLAGS, find_processor()]).encode() + SOURCE.read_bytes()
    library = find_cache_folder() / "bench" / f"padded-boxes-{hashlib.sha256(made_of).hexdigest()[:16]}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        beside = library.with_suffix(f".{os.getpid()}")  # another process may compile at the same time
        done = subprocess.run([compiler, *FLAGS, "-o", beside, SOURCE], capture_output=True, text=True, check=False)
        if done.returncode:
            raise KinematchError(f"{COMPILER} failed on {SOURCE.name}: {done.stderr.strip()[:500]}")
        beside.replace(library)
    return ctypes.CDLL(str(library))


class PaddedBoxes:
    """The arrays of the baseline, on cache lines."""

    def __init__(self, space: SearchSpace, library: ctypes.CDLL):
        if space.column_count > PADDED_COLUMNS:
            raise KinematchError(f"{space.column_count} columns, expected {PADDED_COLUMNS} or fewer")
        given = BaselineInput(space)
        rows = np.zeros((space.frame_count, PADDED_COLUMNS), np.float32)
        rows[:, : space.column_count] = given.values
        targets, stays = (
            np.where(mask[:, None], rows, np.inf) for mask in (given.admitted.targets, given.admitted.stays)
        )
        lows, highs = targets, np.where(given.admitted.targets[:, None], rows, -np.inf)
        boxes = [_bound_rows(lows, highs, size) for size in (SMALL_BOX, LARGE_BOX)]
        edges = np.array(given.first, np.int32), np.array(given.last, np.int32)
        self.roots, self.library = given.roots, library
        self.arrays = [_put_on_lines(a) for a in (targets, stays, *boxes, *edges)]
        self.data = _Data(space.frame_count, *(a.ctypes.data for a in self.arrays))

    def time_searches(self, queries: np.ndarray, current: np.ndarray, flush: np.ndarray) -> Timed:
        """One search after the other, caches flushed before each if there is something to flush them with."""
        padded = np.zeros((len(queries), PADDED_COLUMNS), np.float32)
        padded[:, : queries.shape[1]] = queries * self.roots
        padded, timed = _put_on_lines(padded), new_timed(len(queries))
        numbers = len(queries), flush.ctypes.data, len(flush)
        arrays = (a.ctypes.data for a in (padded, current))
        results = (a.ctypes.data for a in (timed.frames, timed.costs, timed.times))
        given = (ctypes.c_int64(n) for n in (*arrays, *numbers, *results))
        self.library.time_searches(ctypes.byref(self.data), *given)
        return timed


def _bound_rows(lows: np.ndarray, highs: np.ndarray, size: int) -> np.ndarray:
    """Boxes (B, 2, PADDED_COLUMNS) over groups of rows."""
    at = np.arange(0, len(lows), size)
    return np.stack([np.minimum.reduceat(lows, at), np.maximum.reduceat(highs, at)], axis=1)


def _put_on_lines(array: np.ndarray) -> np.ndarray:
    """A copy aligned to cache lines."""
    memory = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
