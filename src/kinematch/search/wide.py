"""WideMatcher, the default: a shallow tree sixteen abreast, exact, in a few microseconds."""

import threading
from dataclasses import dataclass, field

import numpy as np

from kinematch.errors import KinematchError
from kinematch.search import wide_kernels as k
from kinematch.search.matcher import IGNORE, Matches, admission, checked
from kinematch.search.space import SearchSpace, check_weights
from kinematch.search.wide_tree import Grouping, Weighted, group_leaves, masks, weigh

MANY = 64  # queries from which all cores are worth waking


@dataclass(frozen=True, eq=False)
class _Handle:
    """Addresses for the kernels, and the arrays they point into, which live as long."""

    addresses: np.ndarray  # (HANDLE_SIZE,) int64
    arrays: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class _Tree:
    """One consistent state: replaced whole when weights or groups change, so a search never sees a mixture."""

    grouping: Grouping
    weighted: Weighted
    factors: np.ndarray  # (L, 16) float32
    handles: dict[str, _Handle] = field(default_factory=dict)  # by filter


class WideMatcher:
    """Exact search through quantised boxes over groups of leaves of 16 consecutive frames.

    Safe to use from several threads. A change of weights takes effect at once, with the old groups; better ones are
    found in the background.
    """

    def __init__(self, space: SearchSpace):
        self.space = space
        self._clip_of = np.repeat(
            np.arange(len(space.clip_starts), dtype=np.int32), space.clip_stops - space.clip_starts
        )
        self._starts, self._stops = (np.ascontiguousarray(a, np.int32) for a in (space.clip_starts, space.clip_stops))
        roots = np.sqrt(check_weights(space.weights, space.column_count))
        self._changes = threading.Lock()
        self._regrouping: threading.Thread | None = None
        self._tree = self._grown(group_leaves(space, roots), roots)

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        queries, current = checked(self.space, queries, current, stay_bias)
        handle = self._handle(filter)
        frames, costs = np.empty(len(queries), np.int32), np.empty(len(queries), np.float32)
        search = k.find_many if len(queries) >= MANY else k.find_some
        search(queries, current, ignore, stay_bias, handle.addresses, frames, costs)
        return Matches(frames, costs)

    def find_one(
        self, query: np.ndarray, current: int = -1, *, filter: str = "", stay_bias: float = 0.0, ignore: int = IGNORE
    ) -> tuple[int, float]:
        """Frame and cost for one query (D,) float32: the quickest way in, for a single character."""
        handle = self._tree.handles.get(filter) or self._handle(filter)
        if query.shape != (self.space.column_count,) or query.dtype != np.float32 or not query.flags.c_contiguous:
            raise KinematchError(
                f"query of shape {query.shape} and {query.dtype}, expected ({self.space.column_count},) float32"
            )
        if not -1 <= current < self.space.frame_count:
            raise KinematchError(f"current frame {current}, expected -1 to {self.space.frame_count - 1}")
        frame, cost = k.find_one(query, current, ignore, stay_bias, handle.addresses)
        if frame == k.NOT_FINITE:
            raise KinematchError("the query is not finite")
        return frame, cost

    def set_weights(self, weights: np.ndarray) -> None:
        roots = np.sqrt(check_weights(weights, self.space.column_count))
        with self._changes:
            self._tree = self._grown(self._tree.grouping, roots)
        if self._regrouping is None or not self._regrouping.is_alive():
            self._regrouping = threading.Thread(target=self._regroup, daemon=True)
            self._regrouping.start()

    def settle(self) -> None:
        """Wait until groups made for the present weights are in use; only speed depends on it."""
        if self._regrouping is not None:
            self._regrouping.join()

    def _regroup(self) -> None:
        while True:
            roots = self._tree.weighted.roots
            tree = self._grown(group_leaves(self.space, roots), roots)
            with self._changes:
                if self._tree.weighted.roots is roots:
                    self._tree = tree
                    return

    def _grown(self, grouping: Grouping, roots: np.ndarray) -> _Tree:
        lanes = np.minimum(grouping.frames[:, None] + np.arange(16), self.space.frame_count - 1)
        factors = np.ascontiguousarray(self.space.cost_factor[lanes], np.float32)
        return _Tree(grouping, weigh(self.space, grouping, roots), factors)

    def _handle(self, expression: str) -> _Handle:
        tree = self._tree
        if expression not in tree.handles:
            tree.handles[expression] = self._compiled(tree, expression)
        return tree.handles[expression]

    def _compiled(self, tree: _Tree, expression: str) -> _Handle:
        admitted = admission(self.space, expression)
        leaf, group, top = masks(admitted.targets, tree.grouping)
        w = tree.weighted
        arrays = {
            k.TOPS: w.tops, k.GROUPS: w.groups, k.LEAVES: w.leaves, k.LEAF_FRAMES: tree.grouping.frames,
            k.LEAF_FACTORS: tree.factors, k.VALUES: w.values, k.ROOTS: w.roots, k.OFFSETS: w.offsets,
            k.NUMBERS: w.numbers, k.CLIP_OF: self._clip_of, k.CLIP_STARTS: self._starts, k.CLIP_STOPS: self._stops,
            k.TOP_MASKS: top, k.GROUP_MASKS: group, k.LEAF_MASKS: leaf, k.STAYS: admitted.stays,
        }  # fmt: skip
        addresses = np.zeros(k.HANDLE_SIZE, np.int64)
        for place, array in arrays.items():
            assert array.flags.c_contiguous
            addresses[place] = array.ctypes.data
        addresses[k.TOP_COUNT], addresses[k.PAIRS] = len(w.tops), w.tops.shape[1]
        addresses[k.COLUMNS] = self.space.column_count
        return _Handle(addresses, tuple(arrays.values()))
