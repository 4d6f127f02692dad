"""Matcher: the protocol of all searches, and what they share: checked arguments, filters, the frames to ignore."""

import operator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from kinematch.database.filters import tag_mask
from kinematch.errors import KinematchError
from kinematch.motion.clip import true_ranges
from kinematch.search.kernels import LARGEST_BIAS
from kinematch.search.space import SearchSpace

IGNORE = 20  # frames around the current one: a third of a second at 60 fps
FLOAT32, INT32 = np.dtype(np.float32), np.dtype(np.int32)


class Matches(NamedTuple):
    frames: np.ndarray  # (N,) int32; -1 where no frame may be taken, or all are too far for a finite cost
    costs: np.ndarray  # (N,) float32, without the bias for staying; infinite where there is no frame


class Matcher(Protocol):
    """Finds the frames of least cost: the weighted squared distance times the frame's cost factor.

    `queries` (N, D) are normalised and without weights. `current` (N,) are the frames that play now, or -1: their cost,
    less `stay_bias`, is the bound that a jump must beat, and they win ties. There is no bound where the current frame
    fails the filter or ends its clip. It and the `ignore` frames on either side in its own clip are no targets. Among
    equal costs the first frame wins, as in a scan from left to right. `filter` is a boolean expression over tags.
    """

    space: SearchSpace

    @property
    def weights(self) -> np.ndarray:
        """The weights in use (D,) float32."""

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
        """Use other factors of the squared differences (D,), exactly from the next search on."""


@dataclass(frozen=True, eq=False)
class Admission:
    """A compiled filter: which frames may be jumped to, and which may keep playing."""

    targets: np.ndarray  # (F,) bool
    stays: np.ndarray  # (F,) bool


def admission(space: SearchSpace, expression: str) -> Admission:
    """The filter's frames, less the tails of its stretches: a jump there would need another one at once.

    Playback leaves a stretch half a tail before it ends, at the last search before what the filter shuts out.
    """
    mask = tag_mask(expression, space.tag_names, space.tags)
    into, on = (mask & ~_find_tails(space, mask, frames) for frames in (space.tail, space.tail // 2))
    return Admission(space.targets & into, on & ~space.ends)


def _find_tails(space: SearchSpace, mask: np.ndarray, frames: int) -> np.ndarray:
    """The last frames (F,) of each stretch of a mask, but at most half of it; where a clip ends, `targets` has them."""
    tails = np.zeros(len(mask), bool)
    if mask.all():
        return tails
    for first, stop in zip(space.clip_starts.tolist(), space.clip_stops.tolist()):
        for a, b in true_ranges(mask[first:stop]):
            if first + b < stop:
                tails[first + b - min(frames, (b - a) // 2) : first + b] = True
    return tails


def fit_kernels(space: SearchSpace, queries: Any, current: Any) -> bool:
    """Whether two arrays are of the types and layout that kernels are compiled for: a quick test of the usual case."""
    return (
        type(queries) is np.ndarray
        and type(current) is np.ndarray
        and queries.dtype is FLOAT32
        and current.dtype is INT32
        and current.ndim == 1
        and queries.shape == (len(current), space.column_count)
        and queries.flags.carray
        and current.flags.carray
    )


def check_queries(space: SearchSpace, queries: Any, current: Any) -> tuple[np.ndarray, np.ndarray]:
    """Queries (N, D) float32 and current frames (N,) int32 as kernels take them; NaN, unknown frames and wrong shapes
    are refused."""
    queries = _numbers("queries", queries, "fiu")
    if queries.ndim == 1:
        queries = queries[None]
    if queries.ndim != 2 or queries.shape[1] != space.column_count:
        raise KinematchError(f"queries of shape {queries.shape}, expected (N, {space.column_count})")
    with np.errstate(over="ignore"):
        queries = np.require(queries, np.float32, ["C", "A", "W"])
    if not np.isfinite(queries).all():
        raise KinematchError(f"query {int(np.argmin(np.isfinite(queries).all(axis=1)))} is not finite")
    if current is None:
        return queries, np.full(len(queries), -1, np.int32)
    current = np.atleast_1d(_numbers("current", current, "iu"))
    if current.shape != (len(queries),) or (current < -1).any() or (current >= space.frame_count).any():
        raise KinematchError(
            f"current: expected {len(queries)} frames from -1 to {space.frame_count - 1}, found {_brief(current)}"
        )
    return queries, np.require(current, np.int32, ["C", "A", "W"])


def check_limits(space: SearchSpace, stay_bias: float, ignore: int) -> tuple[float, int]:
    """The bias and the frames to ignore as kernels take them; no more frames are ignored than there are."""
    if not 0 <= stay_bias <= LARGEST_BIAS:
        raise KinematchError(f"stay_bias is {stay_bias}, expected a number from zero to {LARGEST_BIAS:g}")
    if ignore < 0:
        raise KinematchError(f"ignore is {ignore}, expected frames, zero or more")
    return float(stay_bias), int(min(ignore, space.frame_count))


def check_one_query(
    space: SearchSpace, query: np.ndarray, current: int, *, stay_bias: float, ignore: int
) -> tuple[np.ndarray, int, int, float]:
    """The arguments of a kernel for one query: query, current frame, frames to ignore, bias.

    Kernels check their arguments and answer REFUSED; only what they refuse is checked again here, for the message.
    """
    if query.shape != space.weights.shape or query.dtype != np.float32:
        raise KinematchError(
            f"query is {query.dtype} of shape {query.shape}, expected float32 of {space.weights.shape}"
        )
    current = operator.index(current)
    if not -1 <= current < space.frame_count:
        raise KinematchError(f"current frame {current}, expected -1 to {space.frame_count - 1}")
    stay_bias, ignore = check_limits(space, stay_bias, ignore)
    return np.require(query, requirements=["C", "A", "W"]), current, ignore, stay_bias


def weigh_queries(queries: np.ndarray, roots: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        weighted = queries * roots
    if not np.isfinite(weighted).all():
        raise too_large(int(np.argmin(np.isfinite(weighted).all(axis=1))))
    return weighted


def not_finite() -> KinematchError:
    return KinematchError("the query, or its product with the weights, is not finite")


def too_large(query: int) -> KinematchError:
    return KinematchError(f"query {query} is too large for the weights: their product is not finite")


def window(space: SearchSpace, current: np.ndarray, ignore: int) -> tuple[np.ndarray, np.ndarray]:
    """The half-open ranges (N,) of frames to ignore around the current ones; empty without a current frame."""
    clip = np.searchsorted(space.clip_stops, np.maximum(current, 0), side="right")
    first = np.maximum(current - ignore, space.clip_starts[clip])
    last = np.minimum(current + ignore + 1, space.clip_stops[clip])
    none = current < 0
    return np.where(none, 0, first).astype(np.int32), np.where(none, 0, last).astype(np.int32)


def _numbers(name: str, given: Any, kinds: str) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype.kind not in kinds and array.size:
        raise KinematchError(f"{name}: expected {'whole ' if kinds == 'iu' else ''}numbers, found {array.dtype}")
    return array


def _brief(array: np.ndarray) -> str:
    return np.array2string(array, threshold=6, edgeitems=2) if array.ndim == 1 else f"shape {array.shape}"
