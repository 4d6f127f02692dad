"""BoxMatcher: exact search with two levels of axis-aligned boxes, over 16 and 64 consecutive frames."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinematch.search.announce import telling
from kinematch.search.kernels import LARGE_BOX, REFUSED, SMALL_BOX, find_in_boxes, scan_boxes
from kinematch.search.matcher import (
    IGNORE,
    Admission,
    Matches,
    admission,
    check_limits,
    check_one_query,
    check_queries,
    not_finite,
    weigh_queries,
    window,
)
from kinematch.search.space import SearchSpace, roots_of
from kinematch.threads import run_in_pieces

MANY_QUERIES = 16  # from here on, threads save more time than they cost
COLUMN_BLOCK = 8  # rows are padded with zeros to a multiple, so that no vector is part empty


@dataclass(frozen=True, eq=False)
class _Weighted:
    """One consistent state, replaced as a whole when weights change."""

    weights: np.ndarray  # (D,) float32
    roots: np.ndarray  # (D,) float32
    values: np.ndarray  # (F, W) float32
    large: np.ndarray  # (B, 2, W) float32, lows and highs
    small: np.ndarray  # (B, 2, W) float32
    arguments: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # of the kernels, by filter


class BoxMatcher:
    """The method of thesis 3.5.3 after Holden et al. 2020, eight columns at a time."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self._least = np.float32(min(1.0, float(space.cost_factor.min())))
        self._admitted: dict[str, Admission] = {}
        self.set_weights(space.weights)
        with telling():
            self.find(space.values[:1])
            self.find_one(np.array(space.values[0]))
            find_in_boxes.disable_compile()

    @property
    def weights(self) -> np.ndarray:
        return self._weighted.weights

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        values = _padded(self.space.values * roots)
        self._weighted = _Weighted(
            np.array(weights, np.float32), roots, values, _boxes(values, LARGE_BOX), _boxes(values, SMALL_BOX)
        )

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        queries, current = check_queries(self.space, queries, current)
        bias, ignore = check_limits(self.space, stay_bias, ignore)
        state = self._weighted
        arguments = self._arguments(state, filter)
        weighted = _padded(weigh_queries(queries, state.roots))
        first, last = window(self.space, current, ignore)
        found = Matches(np.empty(len(queries), np.int32), np.empty(len(queries), np.float32))

        def search(own: slice) -> None:
            scan_boxes(
                weighted[own], current[own], first[own], last[own], bias,
                found.frames[own], found.costs[own], *arguments,
            )  # fmt: skip

        run_in_pieces(len(queries), search, worth=MANY_QUERIES)
        return found

    def find_one(
        self, query: np.ndarray, current: int = -1, *, filter: str = "", stay_bias: float = 0.0, ignore: int = IGNORE
    ) -> tuple[int, float]:
        """Frame and cost for one query (D,) float32: the quickest call, for a single character."""
        state = self._weighted
        arguments = state.arguments.get(filter) or self._arguments(state, filter)
        clips = self.space.clip_starts, self.space.clip_stops
        frame = REFUSED
        try:
            if type(current) is int:
                frame, cost = find_in_boxes(query, current, ignore, stay_bias, state.roots, *clips, *arguments)
        except (TypeError, OverflowError):  # not the types that were compiled
            pass
        if frame == REFUSED:
            checked = check_one_query(self.space, query, current, stay_bias=stay_bias, ignore=ignore)
            frame, cost = find_in_boxes(*checked, state.roots, *clips, *arguments)
            if frame == REFUSED:
                raise not_finite()
        return frame, cost

    def _arguments(self, state: _Weighted, filter: str) -> tuple[Any, ...]:
        """The arguments of the kernels after the query, under a filter."""
        if filter not in state.arguments:
            admitted = self._admitted.get(filter) or self._admitted.setdefault(filter, admission(self.space, filter))
            any_target = [
                np.logical_or.reduceat(admitted.targets, np.arange(0, len(state.values), n))
                for n in (LARGE_BOX, SMALL_BOX)
            ]
            state.arguments[filter] = (
                *(state.values, self.space.cost_factor, self._least, admitted.targets, admitted.stays),
                *(state.large, state.small, *any_target),
            )
        return state.arguments[filter]


def _padded(rows: np.ndarray) -> np.ndarray:
    padded = np.zeros((len(rows), -(-rows.shape[1] // COLUMN_BLOCK) * COLUMN_BLOCK), np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


def _boxes(values: np.ndarray, size: int) -> np.ndarray:
    at = np.arange(0, len(values), size)
    return np.stack([np.minimum.reduceat(values, at), np.maximum.reduceat(values, at)], axis=1)
