"""A circular filter: how far an estimate that drifts is off, corrected by a second one that is noisy, late and rare."""

import numpy as np

from kinematch.math.angles import wrap_angle

OUTLIER = 2.5  # standard deviations beyond which an observation counts less the farther it is off
WHITE = np.radians(1.5)  # rad of noise that each observation has on its own
FARTHEST = 10.0  # half-lives after which nothing is remembered


class CircularFilter:
    """A Kalman filter of the errors of two sources of one angle, each of which persists for a while and then forgets
    itself. It sees the difference of the sources, and shares it out between the two errors.

    Without observations the error of the first source fades to zero, so that this source takes over smoothly.
    """

    def __init__(self, halflife: float, observed_halflife: float):
        """Half-lives (s) of the errors of the first source and of the one that observes it."""
        self._halflives = np.array([halflife, observed_halflife])
        self.errors = np.zeros(2)  # rad, of both sources
        self.covariance = np.diag([np.pi**2, np.pi**2])  # rad^2

    @property
    def error(self) -> float:
        """Rad, what the first source is off by: subtract it."""
        return float(self.errors[0])

    @property
    def deviation(self) -> float:
        """Rad, standard deviation of that."""
        return float(np.sqrt(max(self.covariance[0, 0], 0.0)))

    def advance(self, dt: float, spread: float, observed_spread: float) -> None:
        """Time passes; the spreads (rad) are the standard deviations of both sources' errors."""
        keep = 0.5 ** np.minimum(dt / self._halflives, FARTHEST)
        self.errors = self.errors * keep
        fresh = (1 - keep * keep) * np.array([spread, observed_spread]) ** 2
        self.covariance = self.covariance * np.outer(keep, keep)
        self.covariance[[0, 1], [0, 1]] += fresh

    def correct(self, difference: float, *, late: float, spread: float) -> None:
        """The first source minus the second one (rad), as they were `late` seconds ago."""
        seen = np.array([1.0, -1.0])
        drift = (1 - 0.25 ** (late / self._halflives[0])) * spread * spread
        shared = self.covariance @ seen
        variance = float(seen @ shared)
        gap = float(wrap_angle(np.asarray(difference - seen @ self.errors)))
        noise = WHITE**2 + drift
        total = variance + noise
        total *= max(1.0, gap * gap / total / OUTLIER**2)
        gain = shared / total
        self.errors = wrap_angle(self.errors + gain * gap)
        self.covariance = self.covariance - np.outer(gain, shared)
