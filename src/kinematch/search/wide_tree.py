"""Building the wide tree: leaves of 16 consecutive frames, groups of 16 leaves that lie near each other, and boxes."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinematch.search.space import SearchSpace
from kinematch.search.tree_kernels import LANES, LEVELS, fill_leaves, quantise

WIDEST = 8.0  # times the upper quartile of the columns' ranges; beyond that is clamped: bounds stay true but loose
SMALLEST_STEP = 1e-12  # whose square is still an ordinary float32


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which frames make up which leaf, in the order of the groups; it may be old, the search stays exact."""

    frames: np.ndarray  # (L,) int32, the first frame of each leaf; L is a multiple of 16
    counts: np.ndarray  # (L,) int32, frames in it; 0 where a group has a leaf less
    factors: np.ndarray  # (L, 16) float32, the cost factor of each lane


@dataclass(frozen=True, eq=False)
class Weighted:
    """Everything that depends on the weights."""

    roots: np.ndarray  # (D,) float32, square roots of the weights
    leaves: np.ndarray  # (L, D, 16) float32
    groups: np.ndarray  # (G, P, 2, 16, 2) uint16, boxes of the leaves of each group
    tops: np.ndarray  # (T, P, 2, 16, 2) uint16, boxes of the groups
    offsets: np.ndarray  # (D,) float64, where each column's quantisation begins
    numbers: np.ndarray  # (2,) float64, steps per unit; quantised distance per cost


@dataclass(frozen=True, eq=False)
class Masks:
    """Bits of the lanes that hold a frame that a filter admits."""

    leaves: np.ndarray  # (L,) uint16
    groups: np.ndarray  # (G,) uint16
    tops: np.ndarray  # (T,) uint16


def group_leaves(space: SearchSpace, roots: np.ndarray) -> Grouping:
    """Leaves never cross clips or frames that are no targets; groups come from splitting along the widest direction."""
    edges = np.zeros(space.frame_count + 1, bool)
    edges[space.clip_starts] = edges[-1] = True
    edges[1:-1] |= space.targets[1:] != space.targets[:-1]
    cuts = np.flatnonzero(edges)
    pieces = [(a, b) for a, b in pairwise(cuts) if space.targets[a]]
    first = np.concatenate([np.arange(a, b, LANES) for a, b in pieces] or [np.empty(0, int)])
    last = np.concatenate([np.minimum(np.arange(a, b, LANES) + LANES, b) for a, b in pieces] or [np.empty(0, int)])
    # float64, in which no square of a float32 overflows
    centres = (space.values[first].astype(np.float64) + space.values[last - 1]) / 2 * roots
    order = _split(centres)
    size = max(LANES, -(-len(order) // LANES) * LANES)
    frames, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
    frames[: len(order)], counts[: len(order)] = first[order], (last - first)[order]
    return Grouping(frames, counts, space.cost_factor[_lanes(frames, space.frame_count)])


def _split(points: np.ndarray) -> np.ndarray:
    """An order in which every 16 points lie near each other: halved again and again across the widest direction."""
    order, waiting = [], [np.arange(len(points))]
    while waiting:
        part = waiting.pop()
        if len(part) <= LANES:
            order.append(part)
            continue
        centred = points[part] - points[part].mean(axis=0)
        half = -(-len(part) // LANES) // 2 * LANES
        along = np.argpartition(centred @ _widest(centred), half)
        waiting += [part[along[half:]], part[along[:half]]]
    return np.concatenate(order)


def _widest(centred: np.ndarray) -> np.ndarray:
    """Roughly the direction of largest variance: some steps of power iteration from the outermost point."""
    direction = centred[np.argmax(np.square(centred).sum(axis=1))]
    for _ in range(8):  # groups from the exact direction were no better, and took thirty times as long
        longer = (centred @ direction) @ centred
        length = np.linalg.norm(longer)
        if length == 0:  # all points are one
            break
        direction = longer / length
    return direction


def weigh(space: SearchSpace, grouping: Grouping, roots: np.ndarray) -> Weighted:
    """Leaves and boxes under other weights, for a grouping that stays."""
    columns, leaf_count = space.column_count, len(grouping.frames)
    leaves = np.empty((leaf_count, columns, LANES), np.float32)
    lows, highs = np.empty((leaf_count, columns), np.float32), np.empty((leaf_count, columns), np.float32)
    fill_leaves(space.values, roots, grouping.frames, grouping.counts, leaves, lows, highs)
    used = grouping.counts > 0
    offsets, step = _quantisation(lows[used], highs[used])
    group_lows = np.where(used[:, None], lows, np.inf).reshape(-1, LANES, columns).min(axis=1)
    group_highs = np.where(used[:, None], highs, -np.inf).reshape(-1, LANES, columns).max(axis=1)
    groups, tops = _boxes(lows, highs, offsets, step), _boxes(group_lows, group_highs, offsets, step)
    least = float(space.cost_factor.min())
    # 1 + 2e-5 outweighs the rounding of 128 float32 squares, of their sum and of the product with the cost factor
    numbers = np.array([1 / step, (1 + 2e-5) / (step * step) / least])
    return Weighted(roots, leaves, groups, tops, offsets, numbers)


def _quantisation(lows: np.ndarray, highs: np.ndarray) -> tuple[np.ndarray, float]:
    """Where each column begins, and one step for all; a single wide column is clamped rather than spoiling the rest."""
    if not len(lows):
        return np.zeros(lows.shape[1]), 1.0
    offsets, high = lows.min(axis=0).astype(np.float64), highs.max(axis=0).astype(np.float64)
    ranges = high - offsets
    some = ranges[ranges > 0]
    reach = min(float(ranges.max()), WIDEST * float(np.quantile(some, 0.75))) if len(some) else 0.0
    for d in np.flatnonzero(ranges > reach):
        middle = float(np.median((lows[:, d].astype(np.float64) + highs[:, d]) / 2))
        offsets[d] = min(max(middle - reach / 2, offsets[d]), high[d] - reach)
    step = max(reach / (LEVELS - 2), SMALLEST_STEP)
    return offsets - step, step


def _boxes(lows: np.ndarray, highs: np.ndarray, offsets: np.ndarray, step: float) -> np.ndarray:
    nodes, columns = -(-len(lows) // LANES), lows.shape[1]
    boxes = np.zeros((nodes, (columns + 1) // 2, 2, LANES, 2), np.uint16)
    quantise(lows, highs, offsets, step, boxes)
    return boxes


def masks(admitted: np.ndarray, grouping: Grouping) -> Masks:
    """The lanes of each leaf, group and top node that hold an admitted frame."""
    held = np.arange(LANES) < grouping.counts[:, None]
    leaves = _bits(held & admitted[_lanes(grouping.frames, len(admitted))])
    groups = _bits((leaves > 0).reshape(-1, LANES))
    spare = np.zeros(-len(groups) % LANES, np.uint16)
    return Masks(leaves, groups, _bits((np.concatenate([groups, spare]) > 0).reshape(-1, LANES)))


def _lanes(frames: np.ndarray, frame_count: int) -> np.ndarray:
    """The frames (L, 16) of each leaf; spare lanes name any frame there is."""
    return np.minimum(frames[:, None] + np.arange(LANES), frame_count - 1)


def _bits(flags: np.ndarray) -> np.ndarray:
    return (flags.astype(np.uint32) << np.arange(LANES, dtype=np.uint32)).sum(axis=1).astype(np.uint16)
