"""A circular filter: how far an estimate that drifts is off, corrected by others that are noisy, late and rare."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.math.angles import wrap_angle

MAX_HALFLIVES = 30.0  # half-lives after which nothing is remembered
RESTART_SECONDS = 1.0  # s by which time may go back; beyond, the clock has restarted
# states: bias, slow and swaying error of the first source, a quarter of a sway later, hips, shoulders, twist
OWN_ERROR = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])  # error of the first source
HIPS_ERROR = OWN_ERROR - [0, 0, 0, 0, 1, 0, 0]  # its difference to the hips that were observed
SHOULDERS_ERROR = OWN_ERROR - [0, 0, 0, 0, 0, 1, 1]  # and to the shoulders, which are also twisted against the hips


@dataclass(frozen=True)
class ErrorModel:
    """How the errors of the sources behave. Fitted to people of CMU and of a third rig (docs/camera.md)."""

    bias: float = 0.08  # share of the first source's variance that hardly changes
    bias_halflife: float = 3.0  # s
    slow: float = 0.84  # share that changes
    halflife: float = 0.44  # s in which it does
    sway_halflife: float = 0.6  # s; the rest of the variance sways, as hips do when people walk
    frequency: float = 1.4  # Hz, of what sways
    observed_halflife: float = 0.12  # s in which errors of observed hips and shoulders forget themselves
    twist: float = float(np.radians(19))  # rad, standard deviation of shoulders against hips
    twist_halflife: float = 0.22  # s
    white: float = float(np.radians(0.5))  # rad of noise that each observation has on its own
    outlier: float = 1.0  # standard deviations beyond which an observation counts less the farther it is off


class CircularFilter:
    """A Kalman filter of the errors of several sources of one angle. It sees the differences between the first source
    and the hips and shoulders that a camera observed, as they were in the picture, shares them out between the errors,
    and predicts the first source's error to now.

    That error has a part that stays, one that changes, and one that sways as hips do when people walk, which is why it
    can be predicted over the delay of a camera. Without observations all fade, so that the first source takes over.
    """

    def __init__(self, model: ErrorModel | None = None):
        self.model = ErrorModel() if model is None else model
        self.errors = np.zeros(len(OWN_ERROR))  # rad
        self.covariance = np.zeros((len(OWN_ERROR), len(OWN_ERROR)))  # rad^2
        self.time = -np.inf  # s, of the last observation

    def observe(
        self, differences: Sequence[float], time: float, *, spread: float, observed_spreads: Sequence[float]
    ) -> None:
        """The first source minus observed hips and, if given, shoulders (rad) at a time (s), and standard deviations
        (rad) of the first source's error and of each observation; an infinite one says that it was not seen."""
        known = np.where(np.isfinite(observed_spreads), np.minimum(observed_spreads, np.pi), np.pi)
        step, fresh = self._advance(time, spread, known)
        self.errors, self.covariance = step @ self.errors, step @ self.covariance @ step.T + np.diag(fresh)
        for row, difference, own in zip((HIPS_ERROR, SHOULDERS_ERROR), differences, observed_spreads):
            if np.isfinite(own):
                self._correct(row, difference)
        self.time = time if time < self.time - RESTART_SECONDS else max(time, self.time)

    def _correct(self, row: np.ndarray, difference: float) -> None:
        shared = self.covariance @ row
        gap = float(wrap_angle(np.asarray(difference - row @ self.errors)))
        total = float(row @ shared) + self.model.white**2
        total *= max(1.0, gap * gap / total / self.model.outlier**2)
        gain = shared / total
        self.errors = wrap_angle(self.errors + gain * gap)
        self.covariance = self.covariance - np.outer(gain, shared)

    def predict(self, time: float, spread: float) -> tuple[float, float]:
        """What the first source is off by (rad) at a time, to be subtracted, and the standard deviation of that."""
        step, fresh = self._advance(time, spread, np.zeros(2))
        seen = OWN_ERROR @ step
        variance = seen @ self.covariance @ seen + OWN_ERROR @ fresh
        return float(seen @ self.errors), float(np.sqrt(max(variance, 0.0)))

    def _advance(self, time: float, spread: float, observed_spreads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What becomes of the errors until a time (S, S), and the variances (S,) that come in meanwhile."""
        model, dt = self.model, time - self.time
        dt = max(dt, 0.0) if dt > -RESTART_SECONDS else np.inf
        lives = np.array([model.bias_halflife, model.halflife, model.sway_halflife, model.sway_halflife,
                          model.observed_halflife, model.observed_halflife, model.twist_halflife])  # fmt: skip
        kept = 0.5 ** np.minimum(dt / lives, MAX_HALFLIVES)
        angle = 2 * np.pi * model.frequency * min(dt, MAX_HALFLIVES)
        step = np.diag(kept)
        step[2:4, 2:4] = kept[2] * np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        sways = 1 - model.bias - model.slow
        variances = np.array([model.bias, model.slow, sways, sways, 0.0, 0.0, 0.0]) * spread**2
        variances[4 : 4 + len(observed_spreads)] = np.square(observed_spreads)
        variances[6] = model.twist**2
        return step, (1 - kept * kept) * variances
