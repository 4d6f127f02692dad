"""The one-euro filter: smooth what is still, follow what moves (Casiez et al. 2012)."""

import numpy as np

SLOWEST = 0.8  # Hz, cut-off of a point that is still
BETA = 4.0  # Hz per m/s by which a moving one is followed sooner
DERIVATIVE = 1.0  # Hz, cut-off of speeds
LONGEST_GAP = 0.5  # s after which a point is taken as it is


def smooth_one_euro(
    times: np.ndarray, values: np.ndarray, *, slowest: float = SLOWEST, beta: float = BETA
) -> np.ndarray:
    """Values (F, ...) at times (F,) s, each smoothed from the past alone."""
    smoothed = np.array(values, np.float64)
    speeds = np.zeros_like(smoothed[0])
    for frame in range(1, len(times)):
        dt = times[frame] - times[frame - 1]
        if not 0 < dt < LONGEST_GAP:
            speeds = np.zeros_like(speeds)
            continue
        speeds += _find_share(DERIVATIVE, dt) * ((values[frame] - smoothed[frame - 1]) / dt - speeds)
        cutoffs = slowest + beta * np.linalg.norm(speeds, axis=-1, keepdims=True)
        share = _find_share(cutoffs, dt)
        smoothed[frame] = smoothed[frame - 1] + share * (values[frame] - smoothed[frame - 1])
    return smoothed


def _find_share(cutoff, dt: float):
    """The share of a new value that a low-pass filter of a cut-off (Hz) takes over."""
    rate = 2 * np.pi * cutoff * dt
    return rate / (rate + 1)
