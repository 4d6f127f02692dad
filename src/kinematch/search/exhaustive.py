"""The plain reference: every frame is looked at, and nothing can go wrong."""

import numpy as np

from kinematch.search.kernels import scan
from kinematch.search.matcher import IGNORE, Admission, Matches, admission, checked, window
from kinematch.search.space import SearchSpace, check_weights


class ExhaustiveMatcher:
    """A linear scan with early out; other matchers are right when they agree with it to the last bit."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self._filters: dict[str, Admission] = {}
        self.set_weights(space.weights)

    def set_weights(self, weights: np.ndarray) -> None:
        roots = np.sqrt(check_weights(weights, self.space.column_count))
        self._weighted = roots, np.ascontiguousarray(self.space.values * roots)

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        roots, values = self._weighted
        queries, current = checked(self.space, queries, current, stay_bias)
        admitted = self._filters.get(filter) or self._filters.setdefault(filter, admission(self.space, filter))
        first, last = window(self.space, current, ignore)
        frames, costs = scan(
            values,
            self.space.cost_factor,
            queries * roots,
            current,
            first,
            last,
            admitted.targets,
            admitted.stays,
            stay_bias,
        )
        return Matches(frames, costs)
