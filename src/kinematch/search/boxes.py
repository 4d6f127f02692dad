"""Two levels of axis-aligned boxes over 16 and 64 consecutive frames: the exact search of the source works."""

import numpy as np

from kinematch.search.compiling import telling
from kinematch.search.kernels import scan_boxes
from kinematch.search.matcher import IGNORE, Admission, Matches, admission, question, weigh_queries, window
from kinematch.search.space import SearchSpace, roots_of
from kinematch.search.threads import in_pieces

SMALL, LARGE = 16, 64  # frames
MANY = 16  # queries from which all cores are worth waking


class BoxMatcher:
    """The rival to beat: as in thesis 3.5.3, after Holden et al. 2020."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self._least = np.float32(min(1.0, float(space.cost_factor.min())))
        self._filters: dict[str, tuple[Admission, np.ndarray, np.ndarray]] = {}
        self.set_weights(space.weights)
        with telling():
            self.find(space.values[:1])

    @property
    def weights(self) -> np.ndarray:
        return self._weighted[0]

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        values = self.space.values * roots
        small, large = np.arange(0, len(values), SMALL), np.arange(0, len(values), LARGE)
        boxes = [op.reduceat(values, at) for at in (large, small) for op in (np.minimum, np.maximum)]
        self._weighted = np.array(weights, np.float32), roots, values, boxes

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        space, (_, roots, values, boxes) = self.space, self._weighted
        asked = question(space, queries, current, stay_bias=stay_bias, ignore=ignore)
        if filter not in self._filters:
            self._filters[filter] = self._admit(filter)
        admitted, small_any, large_any = self._filters[filter]
        weighted, (first, last) = weigh_queries(asked.queries, roots), window(space, asked.current, asked.ignore)
        found = Matches(np.empty(len(asked), np.int32), np.empty(len(asked), np.float32))

        def search(own: slice) -> None:
            found.frames[own], found.costs[own] = scan_boxes(
                values, space.cost_factor, self._least, weighted[own], asked.current[own], first[own], last[own],
                admitted.targets, admitted.stays, asked.stay_bias, *boxes, SMALL, LARGE, small_any, large_any,
            )  # fmt: skip

        in_pieces(len(asked), search, worth=MANY)
        return found

    def _admit(self, expression: str) -> tuple[Admission, np.ndarray, np.ndarray]:
        admitted = admission(self.space, expression)
        any_in = [
            np.logical_or.reduceat(admitted.targets, np.arange(0, self.space.frame_count, n)) for n in (SMALL, LARGE)
        ]
        return admitted, any_in[0], any_in[1]
