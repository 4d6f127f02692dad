"""The rivals of a search benchmark, each called from Python in its own leanest way."""

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from kinematch.search import BoxMatcher, WideMatcher
from kinematch.search.kernels import scan
from kinematch.search.matcher import IGNORE, admission
from kinematch.search.space import SearchSpace, roots_of

Ask = Callable[[np.ndarray, int], int]  # query (D,) float32 and current frame to the frame found


@dataclass(frozen=True, eq=False)
class Rival:
    name: str
    exact: bool
    ask: Ask
    build: float  # s
    memory: int  # bytes beside the features themselves


def rivals(space: SearchSpace) -> Iterator[Rival]:
    """All that can run here, the slowest kinds first."""
    problem = _Problem(space)
    yield _made("numpy", True, lambda: _numpy_plain(problem))
    yield _made("numpy BLAS", False, lambda: _numpy_blas(problem))  # rounds otherwise, so ties and near ties differ
    yield _made("exhaustive", True, lambda: _exhaustive(problem))
    yield _made("cKDTree", True, lambda: _kd_tree(problem))
    if importlib.util.find_spec("faiss"):
        yield _made("faiss HNSW", False, lambda: _faiss(problem))
    if importlib.util.find_spec("usearch"):
        yield _made("usearch HNSW", False, lambda: _usearch(problem))
    yield _made("boxes", True, lambda: _boxes(problem))
    yield _made("wide (default)", True, lambda: _wide(problem))


def missing() -> list[str]:
    """Approximate libraries that are not installed here."""
    return [name for name in ("faiss", "usearch", "hnswlib", "annoy") if not importlib.util.find_spec(name)]


def _made(name: str, exact: bool, make: Callable[[], tuple[Ask, int]]) -> Rival:
    began = perf_counter()
    ask, memory = make()
    return Rival(name, exact, ask, perf_counter() - began, memory)


class _Problem:
    """The weighted space and its exclusions, prepared once for all."""

    def __init__(self, space: SearchSpace):
        self.space, self.roots = space, roots_of(space, space.weights)
        self.values = np.ascontiguousarray(space.values * self.roots)
        self.admitted = admission(space, "")
        self.rows = np.flatnonzero(self.admitted.targets).astype(np.int32)
        self.row_values = np.ascontiguousarray(self.values[self.rows])
        clip = np.repeat(np.arange(len(space.clip_starts)), space.clip_stops - space.clip_starts)
        frames = np.arange(space.frame_count)
        self.first = np.maximum(frames - IGNORE, space.clip_starts[clip]).astype(np.int32)
        self.last = np.minimum(frames + IGNORE + 1, space.clip_stops[clip]).astype(np.int32)

    def better(self, query: np.ndarray, current: int, frames: np.ndarray, distances: np.ndarray) -> int:
        """The first of frames in order of distance that is no neighbour, unless going on is as good."""
        for frame, distance in zip(frames.tolist(), distances.tolist()):
            if frame >= 0 and not self.first[current] <= frame < self.last[current]:
                gap = query - self.values[current]
                staying = float(gap @ gap) if self.admitted.stays[current] else np.inf
                return frame if distance < staying else current
        return current


def _numpy_plain(p: _Problem) -> tuple[Ask, int]:
    def ask(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        gaps = p.row_values - query
        return _least(p, query, current, np.sum(gaps * gaps, axis=1))

    return ask, p.row_values.nbytes


def _numpy_blas(p: _Problem) -> tuple[Ask, int]:
    squares = np.sum(p.row_values * p.row_values, axis=1)

    def ask(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        return _least(p, query, current, squares - 2 * (p.row_values @ query) + query @ query)

    return ask, p.row_values.nbytes + squares.nbytes


def _least(p: _Problem, query: np.ndarray, current: int, costs: np.ndarray) -> int:
    a, b = np.searchsorted(p.rows, (p.first[current], p.last[current]))
    costs[a:b] = np.inf
    best = int(np.argmin(costs))
    return p.better(query, current, p.rows[best : best + 1], costs[best : best + 1])


def _exhaustive(p: _Problem) -> tuple[Ask, int]:
    factors, at = p.space.cost_factor, _one(p)

    def ask(query: np.ndarray, current: int) -> int:
        return scan(p.values, factors, *at(query, current), p.admitted.targets, p.admitted.stays, 0.0)[0][0]

    ask(p.space.values[0], 0)
    return ask, p.values.nbytes


def _boxes(p: _Problem) -> tuple[Ask, int]:
    matcher = BoxMatcher(p.space)

    def ask(query: np.ndarray, current: int) -> int:
        return matcher.find_one(query, current)[0]

    state = matcher._weighted
    return ask, sum(a.nbytes for a in (state.values, state.large, state.small))


def _one(p: _Problem) -> Callable[[np.ndarray, int], tuple[np.ndarray, ...]]:
    """A single question in the form of a batch."""

    def at(query: np.ndarray, current: int) -> tuple[np.ndarray, ...]:
        own = slice(current, current + 1)
        return (query * p.roots)[None], np.array([current], np.int32), p.first[own], p.last[own]

    return at


def _wide(p: _Problem) -> tuple[Ask, int]:
    matcher = WideMatcher(p.space)

    def ask(query: np.ndarray, current: int) -> int:
        return matcher.find_one(query, current)[0]

    weighted = matcher._tree.weighted
    return ask, sum(a.nbytes for a in (weighted.leaves, weighted.groups, weighted.tops))


def _kd_tree(p: _Problem) -> tuple[Ask, int]:
    tree = cKDTree(p.row_values)

    def ask(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        distances, rows = tree.query(query, k=min(2 * IGNORE + 2, len(p.rows)))
        return p.better(query, current, p.rows[rows], distances**2)

    return ask, p.row_values.nbytes


def _faiss(p: _Problem) -> tuple[Ask, int]:
    import faiss

    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexHNSWFlat(p.row_values.shape[1], 32)
    index.hnsw.efSearch = 64
    index.add(p.row_values)

    def ask(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        distances, rows = index.search(query[None], 2 * IGNORE + 2)
        return p.better(query, current, p.rows[rows[0]], distances[0])

    return ask, p.row_values.nbytes + len(p.rows) * 64 * 4


def _usearch(p: _Problem) -> tuple[Ask, int]:
    from usearch.index import Index

    index: Any = Index(ndim=p.row_values.shape[1], metric="l2sq", dtype="f32")
    index.add(np.arange(len(p.rows)), p.row_values)

    def ask(query: np.ndarray, current: int) -> int:
        query = query * p.roots
        found = index.search(query, 2 * IGNORE + 2)
        return p.better(query, current, p.rows[found.keys.astype(int)], found.distances)

    return ask, int(index.memory_usage)
