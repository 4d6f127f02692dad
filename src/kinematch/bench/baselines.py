"""The baselines of the search benchmark, each called from Python in the quickest way it has."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from kinematch.bench import kernels
from kinematch.bench import libraries as lib
from kinematch.bench.baseline_input import BaselineInput, Search, first_clip
from kinematch.search import BoxMatcher, WideMatcher
from kinematch.search.kernels import LARGE_BOX, SMALL_BOX, scan
from kinematch.search.space import SearchSpace

BOXES, LINEAR, WIDE = "boxes", "linear, 8 columns", "wide (default)"


@dataclass(frozen=True, eq=False)
class Baseline:
    name: str
    exact: bool
    slow: bool  # visits every frame, or takes as long: gets fewer queries
    search: Search
    build: float  # s
    memory: float  # bytes; NaN where unknown


def list_baselines(space: SearchSpace) -> Iterator[Baseline]:
    """Every baseline that is installed here."""
    p = BaselineInput(space)
    for name, exact, slow, make in (
        ("numpy", True, True, _numpy_plain),
        ("numpy BLAS", False, True, _numpy_blas),  # rounding decides near ties
        ("exhaustive", True, True, _exhaustive),
        (LINEAR, True, True, _linear),
        ("cKDTree", True, True, lib.kd_tree),
        ("faiss flat", False, True, lib.faiss_flat),  # likewise
        ("faiss HNSW", False, False, lib.faiss_graph),
        ("usearch HNSW", False, False, lib.usearch),
        ("hnswlib", False, False, lib.hnswlib),
        ("annoy", False, False, lib.annoy),
        ("boxes by column", True, False, _boxes_by_column),
        (BOXES, True, False, _boxes),
        (WIDE, True, False, _wide),
    ):
        if name.split()[0] not in lib.missing():
            # compile and import before the build is timed
            make(BaselineInput(first_clip(space)))[0](np.array(space.values[0]), 0)
            began = perf_counter()
            search, memory = make(p)
            yield Baseline(name, exact, slow, search, perf_counter() - began, memory)


def _numpy_plain(p: BaselineInput) -> tuple[Search, int]:
    def search(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        return _least(p, query, current, ((p.row_values - query) ** 2).sum(axis=1))

    return search, p.row_values.nbytes


def _numpy_blas(p: BaselineInput) -> tuple[Search, int]:
    """|v - q|^2 = |v|^2 - 2 v.q + |q|^2, relative to the mean of the data, which keeps the rounding error small."""
    middle = p.row_values.mean(axis=0)
    doubled = (p.row_values - middle) * np.float32(-2)
    squares = np.sum(doubled * doubled, axis=1) / 4
    costs = np.empty_like(squares)

    def search(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        centred = query - middle
        np.dot(doubled, centred, out=costs)
        np.add(costs, squares, out=costs)
        return _least(p, query, current, costs, base=float(centred @ centred))

    return search, doubled.nbytes + squares.nbytes + costs.nbytes


def _least(p: BaselineInput, query: np.ndarray, current: int, costs: np.ndarray, base: float = 0.0) -> int:
    a, b = np.searchsorted(p.rows, (p.first[current], p.last[current]))
    costs[a:b] = np.inf
    best = int(costs.argmin())
    return int(p.rows[best]) if costs[best] + base < p.stay_cost(query, current) else current


def _exhaustive(p: BaselineInput) -> tuple[Search, int]:
    def search(query: np.ndarray, current: int) -> int:
        first, last = (np.array([edge[current]]) for edge in (p.first, p.last))
        frames, _ = scan(
            p.values, p.space.cost_factor, (query * p.roots)[None], np.array([current], np.int32), first, last,
            p.admitted.targets, p.admitted.stays, 0.0,
        )  # fmt: skip
        return frames[0]

    return search, p.values.nbytes


def _linear(p: BaselineInput) -> tuple[Search, int]:
    values = _padded(p.values)
    arguments = values, p.admitted.targets, p.admitted.stays

    def search(query: np.ndarray, current: int) -> int:
        padded = np.zeros(values.shape[1], np.float32)
        padded[: len(query)] = query * p.roots
        return kernels.linear(padded, current, p.first[current], p.last[current], *arguments)

    return search, values.nbytes


def _boxes_by_column(p: BaselineInput) -> tuple[Search, int]:
    edges = [np.arange(0, len(p.values), size) for size in (LARGE_BOX, SMALL_BOX)]
    boxes = [np.stack([op.reduceat(p.values, at) for op in (np.minimum, np.maximum)], axis=1) for at in edges]
    arguments = p.values, p.admitted.targets, p.admitted.stays, *boxes

    def search(query: np.ndarray, current: int) -> int:
        return kernels.boxes_by_column(query * p.roots, current, p.first[current], p.last[current], *arguments)

    return search, p.values.nbytes + sum(box.nbytes for box in boxes)


def _boxes(p: BaselineInput) -> tuple[Search, int]:
    matcher = BoxMatcher(p.space)
    state = matcher._weighted
    return lambda query, current: matcher.find_one(query, current)[0], sum(
        a.nbytes for a in (state.values, state.large, state.small)
    )


def _wide(p: BaselineInput) -> tuple[Search, int]:
    matcher = WideMatcher(p.space)
    (handle,) = matcher._tree.handles.values()
    return lambda query, current: matcher.find_one(query, current)[0], sum(a.nbytes for a in handle.arrays)


def _padded(values: np.ndarray) -> np.ndarray:
    padded = np.zeros((len(values), -(-values.shape[1] // 8) * 8), np.float32)
    padded[:, : values.shape[1]] = values
    return padded
