"""Candidates: the best few frames for a query, the cost of each by feature, and why one was taken; for debugging."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError
from kinematch.search.matcher import IGNORE, Matcher, admission, check_limits, check_queries, weigh_queries, window
from kinematch.search.space import SearchSpace, roots_of

APART = 0.3  # s, the least distance in time between candidates of a clip


@dataclass(frozen=True, eq=False)
class Candidates:
    frames: np.ndarray  # (K,) int32, the cheapest first
    costs: np.ndarray  # (K,) float32, to the bit what an exact search says
    feature_costs: np.ndarray  # (K, B) float32, the share of each feature; a row adds up to its cost
    features: tuple[str, ...]  # (B,) names
    staying: int  # the frame that plays, or -1
    staying_cost: float  # infinite where it sets no bound
    staying_feature_costs: np.ndarray  # (B,) float32; zero without a frame
    chosen: int  # what a search returns: a candidate, the staying frame, or -1
    reason: str  # why that one
    returns: bool  # whether the best frame was left a moment ago, and is not taken for that


def candidates(
    matcher: Matcher,
    query: np.ndarray,
    current: int = -1,
    *,
    count: int = 8,
    apart: float = APART,
    filter: str = "",
    stay_bias: float = 0.0,
    ignore: int = IGNORE,
    left: int = -1,
) -> Candidates:
    """The best frames for one query (D,) under the matcher's weights, at least `apart` seconds from each other within a
    clip.

    A character does not go back to the `ignore` frames on either side of `left`, which its last jump left a moment ago.
    """
    space, roots = matcher.space, roots_of(matcher.space, matcher.weights)
    if count < 1 or not 0 <= apart < np.inf:
        raise KinematchError(f"{count} candidates {apart} s apart: expected one or more, zero or more seconds apart")
    queries, currents = check_queries(space, query, np.array([current]))
    bias, ignore = check_limits(space, stay_bias, ignore)
    admitted = admission(space, filter)
    with np.errstate(over="ignore"):
        squares = np.square(weigh_queries(queries, roots)[0] - space.values * roots)
        plain = _in_order(squares)
        costs = np.where(admitted.targets, plain * space.cost_factor, np.float32(np.inf))
    first, last = (int(edge[0]) for edge in window(space, currents, ignore))
    costs[first:last] = np.inf
    frames = _best(space, costs, count, round(apart * space.frame_rate))
    stays = current >= 0 and bool(admitted.stays[current])
    staying_cost = float(plain[current]) if stays else np.inf
    chosen, reason = _choose(frames, costs[frames], current, staying_cost=staying_cost, bias=bias)
    returns = left >= 0 and stays and chosen != current and abs(chosen - left) <= ignore
    if returns:
        chosen, reason = current, f"frame {current} plays on: frame {chosen} was left a moment ago"
    if current >= 0 and not stays:
        why = "ends its clip" if space.ends[current] else "fails the filter"
        reason += f"; frame {current} sets no bound, since it {why}"
    return Candidates(
        frames=frames,
        costs=costs[frames],
        feature_costs=_shares(space, squares[frames] * space.cost_factor[frames, None]),
        features=tuple(space.features),
        staying=int(current),
        staying_cost=staying_cost,
        staying_feature_costs=_shares(space, squares[[current]] if current >= 0 else np.zeros_like(squares[:1]))[0],
        chosen=chosen,
        reason=reason,
        returns=returns,
    )


def _in_order(squares: np.ndarray) -> np.ndarray:
    """Sums (F,) in column order, rounded as in the searches."""
    total = np.zeros(len(squares), np.float32)
    for column in squares.T:
        total += column
    return total


def _shares(space: SearchSpace, squares: np.ndarray) -> np.ndarray:
    """The share (K, B) of each feature in the cost."""
    sums = [squares[:, columns].sum(axis=1, dtype=np.float64) for columns in space.features.values()]
    with np.errstate(over="ignore"):
        return np.array(sums, np.float32).reshape(len(sums), len(squares)).T


def _best(space: SearchSpace, costs: np.ndarray, count: int, apart: int) -> np.ndarray:
    left = costs.copy()
    found: list[int] = []
    while len(found) < count and np.isfinite(left[best := int(np.argmin(left))]):
        found.append(best)
        first, last = window(space, np.array([best]), max(apart - 1, 0))
        left[first[0] : last[0]] = np.inf
    return np.array(found, np.int32)


def _choose(
    frames: np.ndarray, costs: np.ndarray, current: int, *, staying_cost: float, bias: float
) -> tuple[int, str]:
    """The choice of the searches, and the reason."""
    staying = np.float32(staying_cost)
    less = f" less {bias:g} for staying" if bias else ""
    if len(frames) and costs[0] < staying - np.float32(bias):
        against = f", and playing on costs {staying:g}{less}" if staying < np.inf else ""
        return int(frames[0]), f"frame {frames[0]} is taken: it costs {costs[0]:g}{against}"
    if not staying < np.inf:
        return -1, "no frame may be taken"
    if not len(frames):
        return current, f"frame {current} plays on: no other frame may be taken"
    return current, f"frame {current} plays on: it costs {staying:g}{less}, and the best other {costs[0]:g}"
