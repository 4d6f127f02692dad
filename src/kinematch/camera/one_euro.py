"""The one-euro filter: smooth at rest, follow in motion (Casiez et al. 2012)."""

from typing import Any

import numpy as np

MIN_CUTOFF_HZ = 0.8  # Hz, cut-off of a point that is still
CUTOFF_BY_SPEED = 4.0  # Hz per m/s by which a moving one is followed sooner
SPEED_CUTOFF_HZ = 1.0  # Hz, cut-off of speeds
MAX_GAP_SECONDS = 0.5  # s after which a point is taken as it is


class OneEuro:
    """Smooths points (..., C) that come in one after another."""

    def __init__(self, *, slowest: float = MIN_CUTOFF_HZ, beta: float = CUTOFF_BY_SPEED):
        self._slowest, self._beta = slowest, beta
        self._time, self._smoothed, self._speeds = -np.inf, np.zeros(0), np.zeros(0)

    def smooth(self, time: float, values: np.ndarray) -> np.ndarray:
        """Values at a time (s), smoothed from the past alone."""
        dt = time - self._time
        if 0 < dt < MAX_GAP_SECONDS and values.shape == self._smoothed.shape:
            self._speeds = self._speeds + _find_share(SPEED_CUTOFF_HZ, dt) * (
                (values - self._smoothed) / dt - self._speeds
            )
            cutoffs = self._slowest + self._beta * np.linalg.norm(self._speeds, axis=-1, keepdims=True)
            self._smoothed = self._smoothed + _find_share(cutoffs, dt) * (values - self._smoothed)
        else:
            self._smoothed, self._speeds = np.array(values, np.float64), np.zeros(values.shape)
        self._time = time
        return self._smoothed


def smooth_one_euro(
    times: np.ndarray, values: np.ndarray, *, slowest: float = MIN_CUTOFF_HZ, beta: float = CUTOFF_BY_SPEED
) -> np.ndarray:
    """Values (F, ..., C) at times (F,) s, each smoothed from the past alone."""
    smoother = OneEuro(slowest=slowest, beta=beta)
    return np.array([smoother.smooth(float(time), value) for time, value in zip(times, values)])


def _find_share(cutoff: Any, dt: float) -> Any:
    """The share of a new value that a low-pass filter of a cut-off (Hz) takes over."""
    rate = 2 * np.pi * cutoff * dt
    return rate / (rate + 1)
