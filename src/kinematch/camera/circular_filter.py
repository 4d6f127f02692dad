"""A circular filter: how far an estimate that drifts is off, corrected by a second one that is noisy, late and rare."""

from dataclasses import dataclass

import numpy as np

from kinematch.math.angles import wrap_angle

FARTHEST = 30.0  # half-lives after which nothing is remembered
RESTART = 1.0  # s by which time may go back; beyond, the clock has begun anew
SEEN = np.array([1.0, 1.0, 0.0, -1.0])  # the difference of the sources: error of the first less that of the second
OWN = np.array([1.0, 1.0, 0.0, 0.0])  # error of the first


@dataclass(frozen=True)
class ErrorModel:
    """How the errors of two sources behave. Fitted to people whom the network had not seen (docs/camera.md)."""

    halflife: float = 0.5  # s in which the first source's error forgets itself
    slow: float = 0.47  # share of its variance that does nothing else; the rest sways, as hips do when people walk
    frequency: float = 0.46  # Hz, of what sways
    observed_halflife: float = 0.09  # s in which the second source's error forgets itself
    white: float = float(np.radians(0.5))  # rad of noise that each observation has on its own
    outlier: float = 1.5  # standard deviations beyond which an observation counts less the farther it is off


class CircularFilter:
    """A Kalman filter of the errors of two sources of one angle. It sees the difference of the sources, as it was when
    the second one observed, shares it out between the errors, and predicts the first source's to now.

    The first source's error has a slow part, and one that sways as hips do when people walk, which is why it can be
    predicted over the delay of a camera. Without observations both fade, so that this source takes over smoothly.
    """

    def __init__(self, model: ErrorModel | None = None):
        self.model = ErrorModel() if model is None else model
        self.errors = np.zeros(4)  # rad: slow, swaying and a quarter of a sway later, of the second source
        self.covariance = np.zeros((4, 4))  # rad^2
        self.time = -np.inf  # s, of the last observation

    def observe(self, difference: float, time: float, *, spread: float, observed_spread: float) -> None:
        """The first source minus the second one (rad) at a time (s), and standard deviations (rad) of their errors."""
        step, fresh = self._advance(time, spread, observed_spread)
        errors, covariance = step @ self.errors, step @ self.covariance @ step.T + np.diag(fresh)
        shared = covariance @ SEEN
        gap = float(wrap_angle(np.asarray(difference - SEEN @ errors)))
        total = float(SEEN @ shared) + self.model.white**2
        total *= max(1.0, gap * gap / total / self.model.outlier**2)
        gain = shared / total
        self.errors = wrap_angle(errors + gain * gap)
        self.covariance = covariance - np.outer(gain, shared)
        self.time = time if time < self.time - RESTART else max(time, self.time)

    def predict(self, time: float, spread: float) -> tuple[float, float]:
        """What the first source is off by (rad) at a time, to be subtracted, and the standard deviation of that."""
        step, fresh = self._advance(time, spread, 0.0)
        seen = OWN @ step
        variance = seen @ self.covariance @ seen + fresh[:2].sum()
        return float(seen @ self.errors), float(np.sqrt(max(variance, 0.0)))

    def _advance(self, time: float, spread: float, observed_spread: float) -> tuple[np.ndarray, np.ndarray]:
        """What becomes of the errors until a time (4, 4), and the variances (4,) that come in meanwhile."""
        model, dt = self.model, time - self.time
        dt = max(dt, 0.0) if dt > -RESTART else np.inf
        kept, observed = (0.5 ** min(dt / life, FARTHEST) for life in (model.halflife, model.observed_halflife))
        angle = 2 * np.pi * model.frequency * min(dt, FARTHEST)
        c, s = kept * np.cos(angle), kept * np.sin(angle)
        step = np.array([[kept, 0, 0, 0], [0, c, s, 0], [0, -s, c, 0], [0, 0, 0, observed]])
        own, other = (1 - kept * kept) * spread**2, (1 - observed * observed) * observed_spread**2
        sways = (1 - model.slow) * own
        return step, np.array([model.slow * own, sways, sways, other])
