"""Build the wide tree: leaves of 16 consecutive frames, groups of 16 leaves near each other, and boxes of both."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinematch.compile.memory import CACHE_LINE
from kinematch.search.space import SearchSpace
from kinematch.search.tree_kernels import COARSE, FINE, LANES, leaf_boxes, quantise_boxes, quantise_leaves
from kinematch.search.vector_kernels import QUERY_BLOCK

# The levels cover this many times the upper quartile of the columns' ranges; values beyond are clamped, which keeps
# bounds valid but loose. Boxes have few levels, and small steps for most columns skip more than the rest loses.
WIDEST_FINE, WIDEST_COARSE = 8.0, 1.5
RARE = 0.01  # share of boxes beyond either end of a column's coarse levels
FAR_STEPS = 10  # coarse steps beyond the reach of quantised bounds, from which on float32 boxes are quicker
BOXED_VARIANCE = 0.98  # share of the variance that the columns of the boxes must hold
SMALLEST_STEP = 1e-12  # its square is still a normal float32


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which frames make up which leaf, in the order of the groups; the search is exact with any grouping."""

    frames: np.ndarray  # (L,) int32, the first frame of each leaf; L is a multiple of 16
    counts: np.ndarray  # (L,) int32, frames of each leaf; 0 in groups of fewer than 16 leaves


@dataclass(frozen=True, eq=False)
class Weighted:
    """Everything that depends on the weights."""

    roots: np.ndarray  # (D,) float32, square roots of the weights
    leaves: np.ndarray  # (L, P, 16, 2) uint16, the frames of each leaf
    groups: np.ndarray  # (G, Q, 2, 16, 4) uint8, boxes of the leaves of each group
    tops: np.ndarray  # (T, Q, 2, 16, 4) uint8, boxes of the groups
    exact_groups: np.ndarray  # (G, D, 2, 16) float32, boxes of the leaves of each group, for queries far from the data
    exact_tops: np.ndarray  # (T, D, 2, 16) float32, boxes of the groups
    order: np.ndarray  # (D,) int32, the columns by variance, the largest first; boxes have the first B of them
    fine_offsets: np.ndarray  # (D, padded) float64, the value of level 0 in each column of a leaf
    coarse_offsets: np.ndarray  # (B, padded) float64, the value of level 0 in each column of a box
    fine_reach: np.ndarray  # (D, 2) float64, the interval of each column in `order` beyond which frames are clamped
    reach: np.ndarray  # (D / 8, 2, 8) float32, the interval of each column in `order` that quantised bounds resolve
    numbers: np.ndarray  # (6,) float64, in the order of `layout_kernels`
    steps: tuple[float, float]  # of the levels of leaves and of boxes


@dataclass(frozen=True, eq=False)
class Masks:
    """Under a filter, one bit for each lane that holds an admitted frame."""

    leaves: np.ndarray  # (L,) uint16
    groups: np.ndarray  # (G,) uint16
    tops: np.ndarray  # (T,) uint16


def group_leaves(space: SearchSpace, roots: np.ndarray) -> Grouping:
    """Cut runs of targets within clips into leaves; group leaves by splitting them along their widest direction."""
    edges = np.zeros(space.frame_count + 1, bool)
    edges[space.clip_starts] = edges[-1] = True
    edges[1:-1] |= space.targets[1:] != space.targets[:-1]
    cuts = np.flatnonzero(edges)
    pieces = [(a, b) for a, b in pairwise(cuts) if space.targets[a]]
    first = np.concatenate([np.arange(a, b, LANES) for a, b in pieces] or [np.empty(0, int)])
    last = np.concatenate([np.minimum(np.arange(a, b, LANES) + LANES, b) for a, b in pieces] or [np.empty(0, int)])
    # float64, since squares of float32 may overflow
    centres = (space.values[first].astype(np.float64) + space.values[last - 1]) / 2 * roots
    order = _split(centres)
    size = max(LANES, -(-len(order) // LANES) * LANES)
    frames, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
    frames[: len(order)], counts[: len(order)] = first[order], (last - first)[order]
    return Grouping(frames, counts)


def _split(points: np.ndarray) -> np.ndarray:
    """An order in which every 16 points are near each other: bisect recursively across the widest direction."""
    order, waiting = [], [np.arange(len(points))]
    while waiting:
        part = waiting.pop()
        if len(part) <= LANES:
            order.append(part)
            continue
        centred = points[part] - points[part].mean(axis=0)
        places = centred @ _widest(centred)
        along = np.argsort(places)
        cut = _best_cut(places[along])
        waiting += [part[along[cut:]], part[along[:cut]]]
    return np.concatenate(order)


def _best_cut(places: np.ndarray) -> int:
    """Where to cut sorted numbers around zero into the two most compact parts: a multiple of 16, neither part tiny."""
    cuts = np.arange(LANES, len(places), LANES)
    margin = len(cuts) // 10
    cuts = cuts[margin : len(cuts) - margin]
    between = np.square(np.cumsum(places)[cuts - 1]) / (cuts * (len(places) - cuts))  # explained variance
    return int(cuts[np.argmax(between)])


def _widest(centred: np.ndarray) -> np.ndarray:
    """Approximately the direction of largest variance: some steps of power iteration from the outermost point."""
    direction = centred[np.argmax(np.square(centred).sum(axis=1))]
    for _ in range(8):  # the exact direction gave no better groups and took thirty times as long
        longer = (centred @ direction) @ centred
        length = np.linalg.norm(longer)
        if length == 0:  # all points are equal
            break
        direction = longer / length
    return direction


def weigh(space: SearchSpace, grouping: Grouping, roots: np.ndarray) -> Weighted:
    """Leaves and boxes under given weights, for a given grouping."""
    columns, leaf_count = space.column_count, len(grouping.frames)
    lows, highs = np.empty((leaf_count, columns), np.float32), np.empty((leaf_count, columns), np.float32)
    leaf_boxes(space.values, roots, grouping.frames, grouping.counts, lows, highs)
    used = grouping.counts > 0
    order, box_columns = _order_columns(lows[used], highs[used])
    ordered = lows[used][:, order], highs[used][:, order]
    fine_offsets, fine = _quantisation(*ordered, levels=FINE, rare=0.0, widest=WIDEST_FINE)
    leaves = _on_lines((leaf_count, -(-columns // 2), LANES, 2), np.uint16)
    quantise_leaves(space.values, roots, grouping.frames, grouping.counts, order, fine_offsets, fine, leaves)
    boxed = order[:box_columns]
    coarse_offsets, coarse = _quantisation(
        lows[used][:, boxed], highs[used][:, boxed], levels=COARSE, rare=RARE, widest=WIDEST_COARSE
    )
    group_lows = np.where(used[:, None], lows, np.inf).reshape(-1, LANES, columns).min(axis=1)
    group_highs = np.where(used[:, None], highs, -np.inf).reshape(-1, LANES, columns).max(axis=1)
    groups = _boxes(lows, highs, boxed, offsets=coarse_offsets, step=coarse)
    tops = _boxes(group_lows, group_highs, boxed, offsets=coarse_offsets, step=coarse)
    least = float(space.cost_factor.min())
    # 1 + 2e-5 exceeds the rounding of 128 float32 squares, of their sum and of the product with the cost factor
    numbers = [number for step in (fine, coarse) for number in (1 / step, (1 + 2e-5) / (step * step) / least)]
    return Weighted(
        roots=roots,
        leaves=leaves,
        groups=groups,
        tops=tops,
        exact_groups=_exact_boxes(lows, highs),
        exact_tops=_exact_boxes(group_lows, group_highs),
        order=order,
        fine_offsets=_pad_offsets(fine_offsets),
        coarse_offsets=_pad_offsets(coarse_offsets),
        fine_reach=_fine_reach(*ordered, fine_offsets, fine),
        reach=_reach(*ordered, coarse_offsets, coarse),
        numbers=np.array([*numbers, least, (FAR_STEPS * coarse) ** 2]),
        steps=(fine, coarse),
    )


def _order_columns(lows: np.ndarray, highs: np.ndarray) -> tuple[np.ndarray, int]:
    """The columns by variance, the largest first, and how many of them the boxes have."""
    if not len(lows):
        return np.arange(lows.shape[1], dtype=np.int32), 1
    centres = (lows.astype(np.float64) + highs) / 2
    spread = np.clip(centres, *np.quantile(centres, [RARE, 1 - RARE], axis=0)).var(axis=0)
    order = np.argsort(-spread, kind="stable").astype(np.int32)
    share = np.cumsum(spread[order]) / max(spread.sum(), np.finfo(float).tiny)
    count = int(np.searchsorted(share, BOXED_VARIANCE)) + 1
    return order, min(-(-count // 4) * 4, len(order))


def _quantisation(
    lows: np.ndarray, highs: np.ndarray, *, levels: int, rare: float, widest: float
) -> tuple[np.ndarray, float]:
    """The value of level 0 in each column, and one step for all; rare values and single wide columns are clamped."""
    if not len(lows):
        return np.zeros(lows.shape[1]), 1.0
    low, high = _usual_range(lows, highs, rare)
    ranges = high - low
    some = ranges[ranges > 0]
    reach = min(float(ranges.max()), widest * float(np.quantile(some, 0.75))) if len(some) else 0.0
    middle = (low + high) / 2
    for d in np.flatnonzero(ranges > reach):
        usual = float(np.median((lows[:, d].astype(np.float64) + highs[:, d]) / 2))
        middle[d] = min(max(usual, low[d] + reach / 2), high[d] - reach / 2)
    step = max(reach / (levels - 2), SMALLEST_STEP)
    return middle - reach / 2 - step, step


def _fine_reach(lows: np.ndarray, highs: np.ndarray, offsets: np.ndarray, step: float) -> np.ndarray:
    """Where the levels of the leaves end in columns that exceed them; elsewhere there is no end."""
    reach = np.full((len(offsets), 2), (-np.inf, np.inf))
    if len(lows):
        low, high = offsets, offsets + FINE * step
        clamped = (lows.min(axis=0) < low) | (highs.max(axis=0) > high)
        reach[clamped] = np.stack([low, high], axis=1)[clamped]
    return reach


def _reach(lows: np.ndarray, highs: np.ndarray, offsets: np.ndarray, step: float) -> np.ndarray:
    """The intervals within which quantised bounds resolve distances: the levels of the boxes, and most of the data in
    columns that the boxes leave out."""
    columns = lows.shape[1]
    reach = np.zeros((2, -(-columns // QUERY_BLOCK) * QUERY_BLOCK), np.float32)
    with np.errstate(over="ignore"):  # infinite ends are fine
        reach[0, :columns], reach[1, :columns] = _usual_range(lows, highs, RARE)
        reach[:, : len(offsets)] = offsets, offsets + COARSE * step
    return np.ascontiguousarray(reach.reshape(2, -1, QUERY_BLOCK).swapaxes(0, 1))


def _usual_range(lows: np.ndarray, highs: np.ndarray, rare: float) -> tuple[np.ndarray, np.ndarray]:
    """The range of boxes in each column, without a rare share at either end; zero without boxes."""
    if not len(lows):
        return np.zeros(lows.shape[1]), np.zeros(lows.shape[1])
    return np.quantile(lows.astype(np.float64), rare, axis=0), np.quantile(highs.astype(np.float64), 1 - rare, axis=0)


def _on_lines(shape: tuple[int, ...], kind: type[np.number]) -> np.ndarray:
    """Zeros aligned to cache lines, since vectors that cross lines take twice as long to read."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + size].view(kind).reshape(shape)


def _pad_offsets(offsets: np.ndarray) -> np.ndarray:
    """Offsets and zeros up to a whole number of blocks."""
    return np.concatenate([offsets, np.zeros(-len(offsets) % QUERY_BLOCK)])


def _boxes(lows: np.ndarray, highs: np.ndarray, order: np.ndarray, *, offsets: np.ndarray, step: float) -> np.ndarray:
    boxes = _on_lines((-(-len(lows) // LANES), -(-len(order) // 4), 2, LANES, 4), np.uint8)
    quantise_boxes(lows, highs, order, offsets, step, boxes)
    return boxes


def _exact_boxes(lows: np.ndarray, highs: np.ndarray) -> np.ndarray:
    """Boxes (B, D) as they are, sixteen to a node."""
    nodes, columns = -(-len(lows) // LANES), lows.shape[1]
    boxes = _on_lines((nodes, columns, 2, LANES), np.float32)
    for side, edges in enumerate((lows, highs)):
        padded = np.zeros((nodes * LANES, columns), np.float32)
        padded[: len(edges)] = edges
        boxes[:, :, side] = padded.reshape(nodes, LANES, columns).swapaxes(1, 2)
    return boxes


def masks(admitted: np.ndarray, grouping: Grouping) -> Masks:
    """The lanes of each leaf, group and top node that hold an admitted frame."""
    held = np.arange(LANES) < grouping.counts[:, None]
    leaves = _bits(held & admitted[_lanes(grouping.frames, len(admitted))])
    groups = _bits((leaves > 0).reshape(-1, LANES))
    spare = np.zeros(-len(groups) % LANES, np.uint16)
    return Masks(leaves, groups, _bits((np.concatenate([groups, spare]) > 0).reshape(-1, LANES)))


def _lanes(frames: np.ndarray, frame_count: int) -> np.ndarray:
    """The frames (L, 16) of each leaf; unused lanes hold any valid frame."""
    return np.minimum(frames[:, None] + np.arange(LANES), frame_count - 1)


def _bits(flags: np.ndarray) -> np.ndarray:
    return (flags.astype(np.uint32) << np.arange(LANES, dtype=np.uint32)).sum(axis=1).astype(np.uint16)
