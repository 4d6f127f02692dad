"""Compiled parts of building the wide tree: quantised leaves of sixteen frames, and boxes rounded outwards."""

import numpy as np

from kinematch.compile.jit import kernel, part

LANES = 16
COARSE = 255  # levels of a quantised column of a box
FINE = 4095  # of a frame: 12 bits, so that 128 squares add up within 31
# typed: numba would compile a function again for a literal
FINE_LEVELS, COARSE_LEVELS, DOWN, UP = np.float64(FINE), np.float64(COARSE), np.float64(-1), np.float64(1)
ROUNDING = 1e-6  # of a step: far above the error of float64 at 12 bits


@kernel
def leaf_boxes(values, roots, frames, counts, lows, highs):
    """The box (L, D) of each leaf's weighted values."""
    for leaf in range(len(frames)):
        for d in range(values.shape[1]):
            low = high = values[frames[leaf], d] * roots[d]
            for lane in range(1, counts[leaf]):
                v = values[frames[leaf] + lane, d] * roots[d]
                low, high = min(low, v), max(high, v)
            lows[leaf, d], highs[leaf, d] = low, high


@part
def whole(value, offset, step, side, levels):
    """A value in steps, rounded down (side -1) or up (side 1), within 0 and levels."""
    steps = (value - offset) / step + side * ROUNDING
    return min(max(np.floor(steps) if side < 0 else np.ceil(steps), 0.0), levels)


@kernel
def quantise_boxes(lows, highs, order, offsets, step, boxes):
    """Boxes (B, D), rounded outwards, laid out [node][four columns][low, high][16 boxes][4 columns]."""
    for box in range(len(lows)):
        node, lane = box // LANES, box % LANES
        for place in range(len(order)):
            d = order[place]
            boxes[node, place // 4, 0, lane, place % 4] = np.uint8(
                whole(lows[box, d], offsets[place], step, DOWN, COARSE_LEVELS)
            )
            boxes[node, place // 4, 1, lane, place % 4] = np.uint8(
                whole(highs[box, d], offsets[place], step, UP, COARSE_LEVELS)
            )


@kernel
def quantise_leaves(values, roots, frames, counts, order, offsets, step, leaves):
    """Frames, rounded down, laid out [leaf][pair of columns][16 frames][2 columns]."""
    for leaf in range(len(frames)):
        for lane in range(counts[leaf]):
            for place in range(len(order)):
                d = order[place]
                v = values[frames[leaf] + lane, d] * roots[d]
                leaves[leaf, place // 2, lane, place % 2] = np.uint16(whole(v, offsets[place], step, DOWN, FINE_LEVELS))
