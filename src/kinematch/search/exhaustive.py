"""ExhaustiveMatcher, the plain reference: every frame is visited."""

import numpy as np

from kinematch.search.announce import telling
from kinematch.search.kernels import scan
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
from kinematch.threads import run_in_pieces

MANY_QUERIES = 2  # from here on, threads save more time than they cost


class ExhaustiveMatcher:
    """A linear scan with early out; other matchers must agree with it to the last bit."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self._filters: dict[str, Admission] = {}
        self.set_weights(space.weights)
        with telling():
            self.find(space.values[:1])

    @property
    def weights(self) -> np.ndarray:
        return self._weighted[0]

    def set_weights(self, weights: np.ndarray) -> None:
        roots = roots_of(self.space, weights)
        self._weighted = np.array(weights, np.float32), roots, self.space.values * roots

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        space, (_, roots, values) = self.space, self._weighted
        queries, current = check_queries(space, queries, current)
        bias, ignore = check_limits(space, stay_bias, ignore)
        admitted = self._filters.get(filter) or self._filters.setdefault(filter, admission(space, filter))
        weighted, (first, last) = weigh_queries(queries, roots), window(space, current, ignore)
        found = Matches(np.empty(len(queries), np.int32), np.empty(len(queries), np.float32))

        def search(own: slice) -> None:
            found.frames[own], found.costs[own] = scan(
                values, space.cost_factor, weighted[own], current[own], first[own], last[own],
                admitted.targets, admitted.stays, bias,
            )  # fmt: skip

        run_in_pieces(len(queries), search, worth=MANY_QUERIES)
        return found
