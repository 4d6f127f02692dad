"""Searches timed inside compiled loops: the wide search against its strongest simple competitor, boxes in C++."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np

from kinematch.bench.kernels import time_wide
from kinematch.bench.padded_boxes import COMPILER, PADDED_COLUMNS, PaddedBoxes, Timed, compile_boxes, new_timed
from kinematch.bench.queries import QuerySet
from kinematch.search import WideMatcher
from kinematch.search.matcher import IGNORE
from kinematch.search.space import SearchSpace

COMPETITOR, OURS, FROM_PYTHON = "padded boxes, C++", "wide", "wide, from Python"
COLD_BYTES = 2**26  # written before each search to flush the caches
WARM_UP_QUERIES = 100  # queries that are not counted at the start of a turn, unless caches are meant to be cold
COST_TOLERANCE = 1e-5  # relative: sums in another order round differently


@dataclass(frozen=True)
class TimedSearch:
    """One search on one query set, in a loop; times are the medians over rounds for each query."""

    database: str
    frames: int
    queries: str
    search: str
    median: float  # us, over queries
    p99: float  # us
    agreement: float  # share of costs equal to those of the competitor
    ratio: float  # how many times faster than the competitor: of the medians
    ratio_p99: float


def explain_absence(space: SearchSpace) -> str:
    """Why the competitor cannot run here; empty where it can."""
    if space.column_count > PADDED_COLUMNS:
        return f"{space.column_count} columns, and rows of the competitor in C++ have {PADDED_COLUMNS}"
    return "" if compile_boxes() else f"no {COMPILER}, so the competitor in C++ was not compiled"


def measure_loops(
    name: str, space: SearchSpace, query_sets: list[QuerySet], *, queries: int, rounds: int, cold: bool
) -> list[TimedSearch]:
    """Competitors alternate on the same queries with the same bound; empty without a compiler."""
    library = compile_boxes()
    if library is None or explain_absence(space):
        return []
    boxes, matcher = PaddedBoxes(space, library), WideMatcher(space)
    handle = matcher._handle("").address
    clock, flush = (ctypes.cast(f, ctypes.c_void_p).value for f in (library.read_clock, library.flush_caches))

    def time_ours(queries: np.ndarray, current: np.ndarray, block: np.ndarray) -> Timed:
        timed = new_timed(len(queries))
        results = timed.frames, timed.costs, timed.times
        time_wide(queries, current, IGNORE, handle, clock, flush, block.ctypes.data, len(block), *results)
        return timed

    def time_calls(queries: np.ndarray, current: np.ndarray, block: np.ndarray) -> Timed:
        timed = new_timed(len(queries))
        for n, (query, frame) in enumerate(zip(list(queries), current.tolist())):
            library.flush_caches(ctypes.c_int64(block.ctypes.data), ctypes.c_int64(len(block)))
            began = perf_counter_ns()
            found = matcher.find_one(query, frame)
            timed.times[n] = perf_counter_ns() - began
            timed.frames[n], timed.costs[n] = found
        return timed

    competitors = {COMPETITOR: boxes.time_searches, OURS: time_ours, FROM_PYTHON: time_calls}
    block = np.zeros(COLD_BYTES if cold else 0, np.uint8)
    made = []
    for one in query_sets:
        own = QuerySet(f"{one.name}, cold" if cold else one.name, one.queries[:queries], one.current[:queries])
        made += _measure(name, space.frame_count, own, competitors, block, rounds)
    return made


def _measure(
    name: str, frames: int, query_set: QuerySet, competitors: dict[str, Callable[..., Timed]], block: np.ndarray,
    rounds: int,
) -> list[TimedSearch]:  # fmt: skip
    times: dict[str, list[np.ndarray]] = {search: [] for search in competitors}
    costs: dict[str, np.ndarray] = {}
    for _ in range(rounds):
        for search, time_searches in competitors.items():
            if not len(block):  # the one before has used the caches
                time_searches(query_set.queries[-WARM_UP_QUERIES:], query_set.current[-WARM_UP_QUERIES:], block)
            timed = time_searches(query_set.queries, query_set.current, block)
            times[search].append(timed.times)
            costs[search] = timed.costs
    shares = {search: np.percentile(np.median(own, axis=0), [50, 99]) / 1000 for search, own in times.items()}
    made = []
    for search, (median, p99) in shares.items():
        equal = np.isclose(costs[search], costs[COMPETITOR], rtol=COST_TOLERANCE, atol=0)
        ratio, ratio_p99 = shares[COMPETITOR] / (median, p99)
        made.append(
            TimedSearch(
                name, frames, query_set.name, search, *map(float, (median, p99, equal.mean(), ratio, ratio_p99))
            )
        )
    return made
