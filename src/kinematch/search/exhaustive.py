"""The plain reference: every frame is looked at, and nothing can go wrong."""

import numpy as np

from kinematch.compile.announce import telling
from kinematch.compile.threads import run_in_pieces
from kinematch.search.kernels import scan
from kinematch.search.matcher import IGNORE, Admission, Matches, admission, question, weigh_queries, window
from kinematch.search.space import SearchSpace, roots_of

MANY = 2  # queries from which all cores are worth waking


class ExhaustiveMatcher:
    """A linear scan with early out; other matchers are right when they agree with it to the last bit."""

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
        asked = question(space, queries, current, stay_bias=stay_bias, ignore=ignore)
        admitted = self._filters.get(filter) or self._filters.setdefault(filter, admission(space, filter))
        weighted, (first, last) = weigh_queries(asked.queries, roots), window(space, asked.current, asked.ignore)
        found = Matches(np.empty(len(asked), np.int32), np.empty(len(asked), np.float32))

        def search(own: slice) -> None:
            found.frames[own], found.costs[own] = scan(
                values, space.cost_factor, weighted[own], asked.current[own], first[own], last[own],
                admitted.targets, admitted.stays, asked.stay_bias,
            )  # fmt: skip

        run_in_pieces(len(asked), search, worth=MANY)
        return found
