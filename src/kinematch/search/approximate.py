"""ApproximateMatcher: nearest neighbours in a graph (HNSW, Malkov and Yashunin 2018), to compare with exact search.

It misses some of the best frames, more of them under narrow filters. It needs the extra `approximate`.
"""

from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.search.matcher import (
    IGNORE,
    Admission,
    Matches,
    admission,
    check_limits,
    check_queries,
    weigh_queries,
    window,
)
from kinematch.search.space import SearchSpace, roots_of

LINKS = 32  # neighbours of each frame in the graph
EFFORT = 64  # candidates kept during a search: more find better frames and take longer
SPARE = 16  # frames fetched in addition to those to ignore, so that cost factors can change the order


class ApproximateMatcher:
    """The same protocol as the exact matchers; the costs it returns are exact, the frames need not be the best.

    New weights rebuild the whole index, which takes seconds.
    """

    def __init__(self, space: SearchSpace, *, links: int = LINKS, effort: int = EFFORT):
        self.space, self._links, self._effort = space, links, effort
        self._faiss = _faiss()
        self._frames = np.flatnonzero(space.targets).astype(np.int32)
        self._filters: dict[str, tuple[Admission, Any]] = {}
        self.set_weights(space.weights)

    @property
    def weights(self) -> np.ndarray:
        return self._weighted[0]

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        values = self.space.values * roots
        index = self._faiss.IndexHNSWFlat(self.space.column_count, self._links)
        index.add(values[self._frames])
        self._weighted = np.array(weights, np.float32), roots, values, index

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        space, (_, roots, values, index) = self.space, self._weighted
        queries, current = check_queries(space, queries, current)
        bias, ignore = check_limits(space, stay_bias, ignore)
        admitted, chosen = self._filters.get(filter) or self._filters.setdefault(filter, self._admit(filter))
        weighted, (first, last) = weigh_queries(queries, roots), window(space, current, ignore)
        fetched = min(SPARE + int((last - first).max(initial=0)), len(self._frames))
        frames = np.full((len(queries), 1), -1)
        if fetched and len(queries):
            effort = max(self._effort, fetched)
            parameters = self._faiss.SearchParametersHNSW(efSearch=effort, sel=chosen)
            _, places = index.search(weighted, fetched, params=parameters)
            frames = np.sort(np.where(places >= 0, self._frames[places], -1), axis=1)  # the first of equals wins
        costs = _costs(weighted, values, frames) * space.cost_factor[frames]
        costs[(frames < 0) | ((frames >= first[:, None]) & (frames < last[:, None]))] = np.inf
        best = costs.argmin(axis=1)[:, None]
        frame, cost = (np.take_along_axis(a, best, axis=1)[:, 0] for a in (frames, costs))
        stays = (current >= 0) & admitted.stays[current]
        staying = np.where(stays, _costs(weighted, values, current[:, None])[:, 0], np.float32(np.inf))
        jump = cost < staying - np.float32(bias)
        stay = np.where(staying < np.inf, current, -1)
        return Matches(np.where(jump, frame, stay).astype(np.int32), np.where(jump, cost, staying))

    def _admit(self, expression: str) -> tuple[Admission, Any]:
        admitted = admission(self.space, expression)
        bits = np.packbits(admitted.targets[self._frames], bitorder="little")
        return admitted, self._faiss.IDSelectorBitmap(bits)


def _costs(queries: np.ndarray, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Squared distances (N, K), summed in column order as in every matcher."""
    total = np.zeros(frames.shape, np.float32)
    with np.errstate(over="ignore"):
        for d in range(values.shape[1]):
            total += np.square(queries[:, d, None] - values[frames, d])
    return total


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise KinematchError("approximate search needs faiss: pip install 'kinematch[approximate]'") from None
    return faiss
