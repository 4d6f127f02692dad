"""WideMatcher, the default: exact search in a few microseconds through a shallow tree with sixteen boxes to a node."""

import threading
from dataclasses import dataclass, field

import numpy as np

from kinematch.search import layout_kernels as at
from kinematch.search import wide_kernels as k
from kinematch.search.announce import telling
from kinematch.search.kernels import REFUSED
from kinematch.search.matcher import (
    IGNORE,
    Admission,
    Matches,
    admission,
    check_limits,
    check_one_query,
    check_queries,
    fit_kernels,
    not_finite,
    too_large,
)
from kinematch.search.space import SearchSpace, roots_of
from kinematch.search.wide_tree import Grouping, Masks, Weighted, group_leaves, masks, weigh
from kinematch.threads import run_in_pieces

MANY_QUERIES = 128  # from here on, threads save more time than they cost


@dataclass(frozen=True, eq=False)
class _Handle:
    """Addresses for the kernels, and the arrays they point to, which must live as long."""

    addresses: np.ndarray  # (HANDLE_SIZE,) int64
    arrays: tuple[np.ndarray, ...]
    address: int  # of the addresses


@dataclass(frozen=True, eq=False)
class _Tree:
    """One consistent state: replaced as a whole when weights or groups change, so a search never sees a mixture."""

    grouping: Grouping
    weights: np.ndarray  # (D,) float32
    weighted: Weighted
    masks: dict[str, Masks]  # by filter; independent of the weights
    handles: dict[str, _Handle] = field(default_factory=dict)  # by filter


class WideMatcher:
    """Exact search through boxes over groups of leaves of 16 consecutive frames.

    Safe to use from several threads. New weights take effect at once, with the old groups; better groups are found in
    the background.
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
            WideMatcher.find(self, space.values[:1])
            self.find_one(np.array(space.values[0]))
            for kernel in (k.find_one, k.find_some):
                kernel.disable_compile()  # arguments of other types are converted instead

    @property
    def tree(self) -> "_Tree":
        """What searches now; replaced as a whole when weights or groups change."""
        return self._tree

    def find_handle(self, tree: "_Tree", filter: str) -> _Handle:
        """What kernels need to search a tree; it lives as long as the tree."""
        return tree.handles.get(filter) or tree.handles.setdefault(filter, self._new_handle(tree, filter))

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
        space = self.space
        if current is None or not fit_kernels(space, queries, current):
            queries, current = check_queries(space, queries, current)
        bias, ignore = check_limits(space, stay_bias, ignore)
        return self.find_checked(queries, current, filter, bias, ignore)[0]

    def find_checked(
        self, queries: np.ndarray, current: np.ndarray, filter: str, bias: float, ignore: int
    ) -> tuple[Matches, int]:
        """What `find` does, with arguments of the very types that kernels take; also how many queries found nothing."""
        handle = self._tree.handles.get(filter) or self._handle(filter)
        count = len(queries)
        frames, costs = np.empty(count, np.int32), np.empty(count, np.float32)
        if count < MANY_QUERIES:
            missed = k.find_some(queries, current, ignore, bias, handle.address, frames, costs)
        else:
            missed = _find_many(queries, current, ignore, bias, handle, frames, costs)
        if missed and (frames == REFUSED).any():
            check_queries(self.space, queries, current)  # says what is wrong, or else it is the product with weights
            raise too_large(int(np.argmax(frames == REFUSED)))
        return Matches(frames, costs), missed

    def find_one(
        self, query: np.ndarray, current: int = -1, *, filter: str = "", stay_bias: float = 0.0, ignore: int = IGNORE
    ) -> tuple[int, float]:
        """Frame and cost for one query (D,) float32: the quickest call, for a single character."""
        handle = self._tree.handles.get(filter) or self._handle(filter)
        frame = REFUSED
        try:
            if type(current) is int:
                frame, cost = k.find_one(query, current, ignore, stay_bias, handle.address)
        except (TypeError, OverflowError):  # not the types that were compiled
            pass
        if frame == REFUSED:
            arguments = check_one_query(self.space, query, current, stay_bias=stay_bias, ignore=ignore)
            frame, cost = k.find_one(*arguments, handle.address)
            if frame == REFUSED:
                raise not_finite()
        return frame, cost

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        with self._changes:
            old = self._tree
            if np.array_equal(old.weights, np.asarray(weights, np.float32)):
                return  # another crowd that shares this matcher has set them
            self._tree = self._new_tree(old.grouping, np.array(weights, np.float32), roots, old.masks)
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
            tree = self._new_tree(group_leaves(self.space, roots), seen.weights, roots, {})
            with self._changes:
                if self._tree is seen:
                    self._tree, self._regrouping = tree, None
                    return

    def _new_tree(self, grouping: Grouping, weights: np.ndarray, roots: np.ndarray, known: dict[str, Masks]) -> _Tree:
        """A tree with handles for all filters of the present one, so that no search waits for them."""
        tree = _Tree(grouping, weights, weigh(self.space, grouping, roots), known)
        tree.handles.update({filter: self._new_handle(tree, filter) for filter in list(self._tree.handles)})
        return tree

    def _handle(self, filter: str) -> _Handle:
        return self.find_handle(self._tree, filter)

    def _new_handle(self, tree: _Tree, filter: str) -> _Handle:
        admitted = self._admitted.get(filter) or self._admitted.setdefault(filter, admission(self.space, filter))
        bits = tree.masks.get(filter) or tree.masks.setdefault(filter, masks(admitted.targets, tree.grouping))
        w, space = tree.weighted, self.space
        arrays = {
            at.TOPS: w.tops, at.GROUPS: w.groups, at.LEAVES: w.leaves, at.LEAF_FRAMES: tree.grouping.frames,
            at.EXACT_TOPS: w.exact_tops, at.EXACT_GROUPS: w.exact_groups,
            at.VALUES: space.values, at.ROOTS: w.roots, at.FACTORS: space.cost_factor, at.ORDER: w.order,
            at.FINE_OFFSETS: w.fine_offsets, at.COARSE_OFFSETS: w.coarse_offsets, at.NUMBERS: w.numbers,
            at.REACH: w.reach, at.FINE_REACH: w.fine_reach,
            at.CLIP_OF: self._clip_of, at.CLIP_STARTS: space.clip_starts, at.CLIP_STOPS: space.clip_stops,
            at.TOP_MASKS: bits.tops, at.GROUP_MASKS: bits.groups, at.LEAF_MASKS: bits.leaves, at.STAYS: admitted.stays,
        }  # fmt: skip
        sizes = {
            at.TOP_COUNT: len(w.tops), at.PAIRS: w.leaves.shape[1], at.QUADS: w.tops.shape[1],
            at.COLUMNS: space.column_count, at.FRAMES: space.frame_count,
        }  # fmt: skip
        addresses = np.zeros(at.HANDLE_SIZE, np.int64)
        for place, array in arrays.items():
            assert array.flags.c_contiguous
            addresses[place] = array.ctypes.data
        for place, size in sizes.items():
            addresses[place] = size
        if (space.cost_factor == 1).all():
            addresses[at.FACTORS] = 0
        return _Handle(addresses, tuple(arrays.values()), addresses.ctypes.data)


def _find_many(
    queries: np.ndarray, current: np.ndarray, ignore: int, bias: float, handle: _Handle, frames: np.ndarray,
    costs: np.ndarray,
) -> int:  # fmt: skip
    """Queries in slices on all threads; how many found nothing."""
    missed = []

    def search(own: slice) -> None:
        missed.append(k.find_some(queries[own], current[own], ignore, bias, handle.address, frames[own], costs[own]))

    run_in_pieces(len(queries), search, worth=MANY_QUERIES)
    return sum(missed)
