"""Two levels of axis-aligned boxes over 16 and 64 consecutive frames: the exact search of the source works."""

import numpy as np

from kinematch.search.kernels import scan_boxes
from kinematch.search.matcher import IGNORE, Admission, Matches, admission, checked, window
from kinematch.search.space import SearchSpace, check_weights

SMALL, LARGE = 16, 64  # frames


class BoxMatcher:
    """The rival to beat: as in thesis 3.5.3, after Holden et al. 2020."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self._least = np.float32(min(1.0, float(space.cost_factor.min())))
        self._filters: dict[str, tuple[Admission, np.ndarray, np.ndarray]] = {}
        self.set_weights(space.weights)

    def set_weights(self, weights: np.ndarray) -> None:
        roots = np.sqrt(check_weights(weights, self.space.column_count))
        values = np.ascontiguousarray(self.space.values * roots)
        small, large = np.arange(0, len(values), SMALL), np.arange(0, len(values), LARGE)
        boxes = [op.reduceat(values, at) for at in (large, small) for op in (np.minimum, np.maximum)]
        self._weighted = roots, values, boxes

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        roots, values, boxes = self._weighted
        queries, current = checked(self.space, queries, current, stay_bias)
        if filter not in self._filters:
            self._filters[filter] = self._admit(filter)
        admitted, small_any, large_any = self._filters[filter]
        first, last = window(self.space, current, ignore)
        frames, costs = scan_boxes(
            values, self.space.cost_factor, self._least, queries * roots, current, first, last,
            admitted.targets, admitted.stays, stay_bias, *boxes, SMALL, LARGE, small_any, large_any,
        )  # fmt: skip
        return Matches(frames, costs)

    def _admit(self, expression: str) -> tuple[Admission, np.ndarray, np.ndarray]:
        admitted = admission(self.space, expression)
        any_in = [
            np.logical_or.reduceat(admitted.targets, np.arange(0, self.space.frame_count, n)) for n in (SMALL, LARGE)
        ]
        return admitted, any_in[0], any_in[1]
