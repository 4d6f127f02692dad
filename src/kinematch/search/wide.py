"""WideMatcher, the default: a shallow tree sixteen abreast, exact, in a few microseconds."""

import threading
from dataclasses import dataclass, field

import numpy as np

from kinematch.compile.announce import telling
from kinematch.compile.threads import run_in_pieces
from kinematch.search import wide_kernels as k
from kinematch.search.matcher import (
    IGNORE,
    Admission,
    Matches,
    admission,
    not_finite,
    one_question,
    question,
    too_large,
)
from kinematch.search.space import SearchSpace, roots_of
from kinematch.search.wide_tree import Grouping, Masks, Weighted, group_leaves, masks, weigh

MANY = 128  # queries from which all cores are worth waking


@dataclass(frozen=True, eq=False)
class _Handle:
    """Addresses for the kernels, and the arrays they point into, which live as long."""

    addresses: np.ndarray  # (HANDLE_SIZE,) int64
    arrays: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class _Tree:
    """One consistent state: replaced whole when weights or groups change, so a search never sees a mixture."""

    grouping: Grouping
    weights: np.ndarray  # (D,) float32
    weighted: Weighted
    masks: dict[str, Masks]  # by filter; they outlive a change of weights
    handles: dict[str, _Handle] = field(default_factory=dict)  # by filter


class WideMatcher:
    """Exact search through quantised boxes over groups of leaves of 16 consecutive frames.

    Safe to use from several threads. A change of weights takes effect at once, with the old groups; better ones are
    found in the background.
    """

    def __init__(self, space: SearchSpace):
        self.space = space
        clips = np.arange(len(space.clip_starts), dtype=np.int32)
        self._clip_of = np.repeat(clips, space.clip_stops - space.clip_starts)
        self._admitted: dict[str, Admission] = {}
        self._changes = threading.Lock()
        self._regrouping: threading.Thread | None = None
        with telling():
            roots = roots_of(space, space.weights)
            grouping = group_leaves(space, roots)
            self._tree = _Tree(grouping, space.weights, weigh(space, grouping, roots), {})
            self.find(space.values[:1])
            self.find_one(np.array(space.values[0]))
            k.find_one.disable_compile()

    @property
    def weights(self) -> np.ndarray:
        return self._tree.weights

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        asked = question(self.space, queries, current, stay_bias=stay_bias, ignore=ignore)
        handle = self._handle(filter)
        found = Matches(np.empty(len(asked), np.int32), np.empty(len(asked), np.float32))

        def search(own: slice) -> None:
            k.find_some(
                asked.queries[own], asked.current[own], asked.ignore, asked.stay_bias, handle.addresses,
                found.frames[own], found.costs[own],
            )  # fmt: skip

        run_in_pieces(len(asked), search, worth=MANY)
        if (found.frames == k.REFUSED).any():
            raise too_large(int(np.argmax(found.frames == k.REFUSED)))
        return found

    def find_one(
        self, query: np.ndarray, current: int = -1, *, filter: str = "", stay_bias: float = 0.0, ignore: int = IGNORE
    ) -> tuple[int, float]:
        """Frame and cost for one query (D,) float32: the quickest way in, for a single character."""
        handle = self._tree.handles.get(filter) or self._handle(filter)
        frame = k.REFUSED
        try:
            if type(current) is int:
                frame, cost = k.find_one(query, current, ignore, stay_bias, handle.addresses)
        except (TypeError, OverflowError):  # not the types that were compiled
            pass
        if frame == k.REFUSED:
            asked = one_question(self.space, query, current, stay_bias=stay_bias, ignore=ignore)
            frame, cost = k.find_one(*asked, handle.addresses)
            if frame == k.REFUSED:
                raise not_finite()
        return frame, cost

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        with self._changes:
            old = self._tree
            self._tree = self._grown(old.grouping, np.array(weights, np.float32), roots, old.masks)
            if self._regrouping is None:
                self._regrouping = threading.Thread(target=self._regroup, daemon=True)
                self._regrouping.start()

    def settle(self) -> None:
        """Wait until groups made for the present weights are in use; only speed depends on it."""
        while (thread := self._regrouping) is not None:
            thread.join()

    def _regroup(self) -> None:
        while True:
            seen = self._tree
            roots = seen.weighted.roots
            tree = self._grown(group_leaves(self.space, roots), seen.weights, roots, {})
            with self._changes:
                if self._tree is seen:
                    self._tree, self._regrouping = tree, None
                    return

    def _grown(self, grouping: Grouping, weights: np.ndarray, roots: np.ndarray, known: dict[str, Masks]) -> _Tree:
        """A tree with the filters of the present one already compiled, so that no search waits for them."""
        tree = _Tree(grouping, weights, weigh(self.space, grouping, roots), known)
        tree.handles.update({filter: self._compiled(tree, filter) for filter in list(self._tree.handles)})
        return tree

    def _handle(self, filter: str) -> _Handle:
        tree = self._tree
        return tree.handles.get(filter) or tree.handles.setdefault(filter, self._compiled(tree, filter))

    def _compiled(self, tree: _Tree, filter: str) -> _Handle:
        admitted = self._admitted.get(filter) or self._admitted.setdefault(filter, admission(self.space, filter))
        bits = tree.masks.get(filter) or tree.masks.setdefault(filter, masks(admitted.targets, tree.grouping))
        w, space = tree.weighted, self.space
        arrays = {
            k.TOPS: w.tops, k.GROUPS: w.groups, k.LEAVES: w.leaves, k.LEAF_FRAMES: tree.grouping.frames,
            k.VALUES: space.values, k.ROOTS: w.roots, k.FACTORS: space.cost_factor, k.ORDER: w.order,
            k.FINE_OFFSETS: w.fine_offsets, k.COARSE_OFFSETS: w.coarse_offsets, k.NUMBERS: w.numbers,
            k.CLIP_OF: self._clip_of, k.CLIP_STARTS: space.clip_starts, k.CLIP_STOPS: space.clip_stops,
            k.TOP_MASKS: bits.tops, k.GROUP_MASKS: bits.groups, k.LEAF_MASKS: bits.leaves, k.STAYS: admitted.stays,
        }  # fmt: skip
        sizes = {
            k.TOP_COUNT: len(w.tops), k.PAIRS: w.leaves.shape[1], k.QUADS: w.tops.shape[1],
            k.COLUMNS: space.column_count, k.FRAMES: space.frame_count,
        }  # fmt: skip
        addresses = np.zeros(k.HANDLE_SIZE, np.int64)
        for place, array in arrays.items():
            assert array.flags.c_contiguous
            addresses[place] = array.ctypes.data
        for place, size in sizes.items():
            addresses[place] = size
        if (space.cost_factor == 1).all():
            addresses[k.FACTORS] = 0
        return _Handle(addresses, tuple(arrays.values()))
