"""Matcher: the one protocol of all searches, and what they share: checked queries, filters, the frame to beat."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.errors import KinematchError
from kinematch.search.filters import tag_mask
from kinematch.search.space import SearchSpace

IGNORE = 20  # frames around the current one: a third of a second at 60 fps


@dataclass(frozen=True, eq=False)
class Matches:
    frames: np.ndarray  # (N,) int32; -1 where no frame may be taken
    costs: np.ndarray  # (N,) float32, without the bias for staying; infinite where there is no frame


class Matcher(Protocol):
    """Finds the frames of least cost: the weighted squared distance times the frame's cost factor.

    `queries` (N, D) are normalised and without weights. `current` (N,) are the frames that play now, or -1: their cost,
    less `stay_bias`, is the bound that a jump must beat, and they win ties. There is no bound where the current frame
    fails the filter or ends its clip. The `ignore` frames around it in its own clip are no targets. Among equal costs
    the first frame wins, as in a scan from left to right.
    """

    space: SearchSpace

    def find(
        self,
        queries: np.ndarray,
        current: np.ndarray | None = None,
        *,
        filter: str = "",
        stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches: ...

    def set_weights(self, weights: np.ndarray) -> None:
        """Other factors of the squared differences (D,), exact from the next search on."""


@dataclass(frozen=True, eq=False)
class Admission:
    """A compiled filter: which frames may be jumped to, and which may go on playing."""

    targets: np.ndarray  # (F,) bool
    stays: np.ndarray  # (F,) bool


def admission(space: SearchSpace, expression: str) -> Admission:
    mask = tag_mask(expression, space.tag_names, space.tags)
    return Admission(np.ascontiguousarray(space.targets & mask), np.ascontiguousarray(mask & ~space.ends))


def checked(
    space: SearchSpace, queries: np.ndarray, current: np.ndarray | None, stay_bias: float
) -> tuple[np.ndarray, np.ndarray]:
    """Queries (N, D) float32 and current frames (N,) int32, contiguous; NaN and strangers are refused at the door."""
    queries = np.ascontiguousarray(queries, np.float32)
    if queries.ndim == 1:
        queries = queries[None]
    if queries.ndim != 2 or queries.shape[1] != space.column_count:
        raise KinematchError(f"queries of shape {queries.shape}, expected (N, {space.column_count})")
    if not np.isfinite(queries).all():
        raise KinematchError(f"query {int(np.argmax(~np.isfinite(queries).all(axis=1)))} is not finite")
    if current is None:
        current = np.full(len(queries), -1, np.int32)
    current = np.ascontiguousarray(np.atleast_1d(current), np.int32)
    if current.shape != (len(queries),) or (current < -1).any() or (current >= space.frame_count).any():
        raise KinematchError(f"current must be {len(queries)} frames from -1 to {space.frame_count - 1}")
    if not 0 <= stay_bias < np.inf:
        raise KinematchError(f"stay_bias {stay_bias}, expected zero or more")
    return queries, current


def window(space: SearchSpace, current: np.ndarray, ignore: int) -> tuple[np.ndarray, np.ndarray]:
    """The half-open ranges (N,) of frames to ignore around the current ones; empty without a current frame."""
    clip = np.searchsorted(space.clip_stops, np.maximum(current, 0), side="right")
    first = np.maximum(current - ignore, space.clip_starts[clip])
    last = np.minimum(current + ignore + 1, space.clip_stops[clip])
    none = current < 0
    return np.where(none, 0, first).astype(np.int32), np.where(none, 0, last).astype(np.int32)
