"""Compiled parts of building the wide tree: filling leaves, sixteen frames abreast, and quantising boxes outwards."""

import numpy as np

from kinematch.math.jit import kernel

LANES = 16
LEVELS = 4095  # of a quantised column: 12 bits, so that 128 squares add up within 31
ROUNDING = 1e-6  # of a step; far above float64's error at 12 bits


@kernel
def fill_leaves(values, roots, frames, counts, leaves, lows, highs):
    """Weighted values by leaf, with each leaf's box; spare lanes repeat the first frame."""
    for leaf in range(len(frames)):
        for d in range(values.shape[1]):
            low = high = values[frames[leaf], d] * roots[d]
            for lane in range(LANES):
                v = values[frames[leaf] + lane, d] * roots[d] if lane < counts[leaf] else leaves[leaf, d, 0]
                leaves[leaf, d, lane] = v
                low, high = min(low, v), max(high, v)
            lows[leaf, d], highs[leaf, d] = low, high


@kernel
def quantise(lows, highs, offsets, step, boxes):
    """Boxes (B, D), rounded outwards, laid out [node][pair of columns][low, high][16 boxes][2 columns]."""
    for box in range(len(lows)):
        for d in range(lows.shape[1]):
            low = np.floor((lows[box, d] - offsets[d]) / step - ROUNDING)
            high = np.ceil((highs[box, d] - offsets[d]) / step + ROUNDING)
            boxes[box // LANES, d // 2, 0, box % LANES, d % 2] = np.uint16(min(max(low, 0.0), float(LEVELS)))
            boxes[box // LANES, d // 2, 1, box % LANES, d % 2] = np.uint16(min(max(high, 0.0), float(LEVELS)))
