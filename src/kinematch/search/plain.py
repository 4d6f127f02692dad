"""The search in plain numpy: no compiled code, the definition of what every matcher finds."""

import numpy as np

from kinematch.search.candidates import candidates
from kinematch.search.matcher import IGNORE, Matches
from kinematch.search.space import SearchSpace


class NumpyMatcher:
    """Compares each query with every frame, one query after the other."""

    def __init__(self, space: SearchSpace):
        self.space = space
        self.weights = np.array(space.weights, np.float32)

    def set_weights(self, weights: np.ndarray) -> None:
        self.weights = np.array(weights, np.float32)

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:
        queries = np.atleast_2d(queries)
        frames, costs = np.full(len(queries), -1, np.int32), np.full(len(queries), np.inf, np.float32)
        for n, query in enumerate(queries):
            playing = -1 if current is None else int(np.atleast_1d(current)[n])
            found = candidates(self, query, playing, count=1, filter=filter, stay_bias=stay_bias, ignore=ignore)
            frames[n] = found.chosen
            if found.chosen >= 0:
                costs[n] = found.staying_cost if found.chosen == playing else found.costs[0]
        return Matches(frames, costs)
