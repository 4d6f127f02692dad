"""Building the wide tree: leaves of 16 consecutive frames, groups of 16 leaves that lie near each other, their boxes."""

from dataclasses import dataclass

import numpy as np

from kinematch.math.jit import kernel
from kinematch.search.space import SearchSpace

LANES = 16
LEVELS = 4095  # of a quantised column: 12 bits, so that 128 squares add up within 31
ROUNDING = 1e-6  # of a step, as in the kernels
WIDEST = 8.0  # times the middle column's range; what lies beyond is clamped, which keeps bounds true but loose


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which frames make up which leaf, in the order of the groups; it may be old, the search stays exact."""

    frames: np.ndarray  # (L,) int32, the first frame of each leaf; L is a multiple of 16
    counts: np.ndarray  # (L,) int32, frames in it; 0 where a group has a leaf less


@dataclass(frozen=True, eq=False)
class Weighted:
    """Everything that depends on the weights."""

    roots: np.ndarray  # (D,) float32, square roots of the weights
    values: np.ndarray  # (F, D) float32
    leaves: np.ndarray  # (L, D, 16) float32
    groups: np.ndarray  # (G, P, 2, 16, 2) uint16, boxes of the leaves of each group
    tops: np.ndarray  # (T, P, 2, 16, 2) uint16, boxes of the groups
    offsets: np.ndarray  # (D,) float64, where each column's quantisation begins
    numbers: np.ndarray  # (3,) float64, steps per unit, quantised per squared distance, least cost factor


def group_leaves(space: SearchSpace, roots: np.ndarray) -> Grouping:
    """Leaves never cross clips or frames that are no targets; groups come from splitting along the widest direction."""
    edges = np.zeros(space.frame_count + 1, bool)
    edges[space.clip_starts] = edges[-1] = True
    edges[1:-1] |= space.targets[1:] != space.targets[:-1]
    cuts = np.flatnonzero(edges)
    starts, stops = [], []
    for a, b in zip(cuts[:-1], cuts[1:]):
        if space.targets[a]:
            first = np.arange(a, b, LANES)
            starts.append(first)
            stops.append(np.minimum(first + LANES, b))
    if not starts:
        return Grouping(np.zeros(LANES, np.int32), np.zeros(LANES, np.int32))
    first, last = np.concatenate(starts), np.concatenate(stops)
    centres = (space.values[first] + space.values[last - 1]) / 2 * roots
    order = _split(centres.astype(np.float32))
    size = -(-len(order) // LANES) * LANES
    frames, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
    frames[: len(order)], counts[: len(order)] = first[order], (last - first)[order]
    return Grouping(frames, counts)


def _split(points: np.ndarray) -> np.ndarray:
    """An order in which every 16 points lie near each other: halved again and again across the widest direction."""
    order, waiting = [], [np.arange(len(points))]
    while waiting:
        part = waiting.pop()
        if len(part) <= LANES:
            order.append(part)
            continue
        centred = points[part] - points[part].mean(axis=0)
        _, directions = np.linalg.eigh(centred.T @ centred)
        half = -(-len(part) // LANES) // 2 * LANES
        along = np.argpartition(centred @ directions[:, -1], half)
        waiting += [part[along[half:]], part[along[:half]]]
    return np.concatenate(order)


def weigh(space: SearchSpace, grouping: Grouping, roots: np.ndarray) -> Weighted:
    """Leaves and boxes under other weights, for a grouping that stays."""
    columns, leaf_count = space.column_count, len(grouping.frames)
    values = np.empty((space.frame_count, columns), np.float32)
    leaves = np.empty((leaf_count, columns, LANES), np.float32)
    lows, highs = np.empty((leaf_count, columns), np.float32), np.empty((leaf_count, columns), np.float32)
    fill_leaves(space.values, roots, grouping.frames, grouping.counts, values, leaves, lows, highs)
    used = grouping.counts > 0
    offsets, step = _quantisation(lows[used], highs[used])
    groups = _boxes(lows, highs, offsets, step)
    group_lows = np.where(used[:, None], lows, np.inf).reshape(-1, LANES, columns).min(axis=1)
    group_highs = np.where(used[:, None], highs, -np.inf).reshape(-1, LANES, columns).max(axis=1)
    tops = _boxes(*(_padded(a) for a in (group_lows, group_highs)), offsets, step)
    least = min(1.0, float(space.cost_factor.min()))
    # 1 + 2e-5 outweighs the rounding of 128 float32 sums and of the division by the least factor
    numbers = np.array([1 / step, (1 + 2e-5) / (step * step) / least, least])
    return Weighted(roots, values, leaves, groups, tops, offsets, numbers)


@kernel
def fill_leaves(plain, roots, frames, counts, values, leaves, lows, highs):
    """Weighted values by frame and, sixteen abreast, by leaf, with each leaf's box; spare lanes repeat the first frame."""
    columns = plain.shape[1]
    for f in range(len(plain)):
        for d in range(columns):
            values[f, d] = plain[f, d] * roots[d]
    for leaf in range(len(frames)):
        for d in range(columns):
            low = high = values[frames[leaf], d]
            for k in range(LANES):
                v = values[frames[leaf] + k, d] if k < counts[leaf] else values[frames[leaf], d]
                leaves[leaf, d, k] = v
                low, high = min(low, v), max(high, v)
            lows[leaf, d], highs[leaf, d] = low, high


def _quantisation(lows: np.ndarray, highs: np.ndarray) -> tuple[np.ndarray, float]:
    """Where each column begins, and one step for all; a single wide column is clamped rather than spoiling the rest."""
    if not len(lows):
        return np.zeros(lows.shape[1]), 1.0
    low, high = lows.min(axis=0).astype(np.float64), highs.max(axis=0).astype(np.float64)
    ranges = high - low
    middle = float(np.median(ranges[ranges > 0])) if (ranges > 0).any() else 0.0
    reach = min(float(ranges.max()), WIDEST * middle)
    step = max(reach / (LEVELS - 2), 1e-12)  # squares of smaller steps would underflow
    centre = np.clip(
        np.median((lows + highs) / 2, axis=0), low + reach / 2, np.maximum(high - reach / 2, low + reach / 2)
    )
    return np.where(ranges > reach, centre - reach / 2, low) - step, step


def _boxes(lows: np.ndarray, highs: np.ndarray, offsets: np.ndarray, step: float) -> np.ndarray:
    """Quantised outwards and laid out [node][pair of columns][low, high][16 boxes][2 columns]."""
    count, columns = len(lows) // LANES, lows.shape[1]
    pairs = (columns + 1) // 2
    out = np.zeros((count, pairs, 2, LANES, 2), np.uint16)
    rounded = (np.floor((lows - offsets) / step - ROUNDING), np.ceil((highs - offsets) / step + ROUNDING))
    for side, edges in enumerate(rounded):
        whole = np.zeros((count, LANES, 2 * pairs))
        whole[:, :, :columns] = np.clip(np.nan_to_num(edges, posinf=LEVELS, neginf=0), 0, LEVELS).reshape(
            count, LANES, -1
        )
        out[:, :, side] = whole.reshape(count, LANES, pairs, 2).transpose(0, 2, 1, 3)
    return out


def _padded(rows: np.ndarray) -> np.ndarray:
    """Up to a multiple of 16 rows; what is added is never admitted."""
    spare = -len(rows) % LANES
    return np.concatenate([rows, np.zeros((spare, rows.shape[1]), rows.dtype)])


def masks(admitted: np.ndarray, grouping: Grouping) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bits of the lanes that hold an admitted frame: for each leaf, each group and each top node."""
    lanes = np.arange(LANES)
    frames = np.minimum(grouping.frames[:, None] + lanes, len(admitted) - 1)
    inside = (lanes < grouping.counts[:, None]) & admitted[frames]
    leaf = _bits(inside)
    group = _bits((leaf > 0).reshape(-1, LANES))
    spare = np.zeros(-len(group) % LANES, np.uint16)
    return leaf, group, _bits((np.concatenate([group, spare]) > 0).reshape(-1, LANES))


def _bits(flags: np.ndarray) -> np.ndarray:
    return (flags.astype(np.uint32) << np.arange(LANES, dtype=np.uint32)).sum(axis=1).astype(np.uint16)
