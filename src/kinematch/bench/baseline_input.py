"""What every matcher of the search benchmark gets: weighted features, targets, and the frames to ignore."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kinematch.search.matcher import IGNORE, admission
from kinematch.search.space import SearchSpace, roots_of

Search = Callable[[np.ndarray, int], int]  # query (D,) float32 and current frame to the frame found


class BaselineInput:
    """The weighted space and the frames that may not be found, prepared once for all baselines."""

    def __init__(self, space: SearchSpace):
        self.space, self.roots = space, roots_of(space, space.weights)
        self.values = np.ascontiguousarray(space.values * self.roots)
        self.admitted = admission(space, "")
        self.rows = np.flatnonzero(self.admitted.targets).astype(np.int32)
        self.row_values = np.ascontiguousarray(self.values[self.rows])
        clip = np.repeat(np.arange(len(space.clip_starts)), space.clip_stops - space.clip_starts)
        frames = np.arange(space.frame_count)
        self.first = np.maximum(frames - IGNORE, space.clip_starts[clip]).tolist()
        self.last = np.minimum(frames + IGNORE + 1, space.clip_stops[clip]).tolist()

    def stay_cost(self, query: np.ndarray, current: int) -> float:
        """Cost of staying with the current frame, for a weighted query."""
        gap = query - self.values[current]
        return float(gap @ gap) if self.admitted.stays[current] else np.inf


def first_clip(space: SearchSpace) -> SearchSpace:
    """The first clip alone."""
    own = slice(0, int(space.clip_stops[0]))
    cut = {name: getattr(space, name)[own] for name in ("values", "targets", "ends", "cost_factor", "tags")}
    return replace(space, clip_starts=space.clip_starts[:1], clip_stops=space.clip_stops[:1], **cut)
