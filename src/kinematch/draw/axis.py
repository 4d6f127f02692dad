"""The scale of a chart's axis: where values stand between its ends, and round numbers to mark it with."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError

ROUNDING_TOLERANCE = 1e-9  # by which quotients and logarithms of round numbers may miss whole ones


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise KinematchError(f"axis from {self.low} to {self.high}, expected two finite numbers, low before high")
        if self.log and self.low <= 0:
            raise KinematchError(f"logarithmic axis from {self.low}, expected positive values only")

    def share(self, values: np.ndarray | float) -> np.ndarray:
        """0 at the low end, 1 at the high one."""
        if self.log:
            # values that are not positive lie below every logarithmic axis
            safe = np.maximum(np.asarray(values, np.float64), np.finfo(np.float64).tiny)
            return np.log(safe / self.low) / np.log(self.high / self.low)
        return (np.asarray(values, np.float64) - self.low) / (self.high - self.low)

    def ticks(self, count: int = 6) -> list[tuple[float, str]]:
        """Round values within the axis, about as many as asked for, with their labels."""
        if self.log:
            values = _log_ticks(self.low, self.high, count)
        else:
            step = _round_step((self.high - self.low) / max(count, 1))
            first, last = np.ceil(self.low / step - ROUNDING_TOLERANCE), np.floor(self.high / step + ROUNDING_TOLERANCE)
            values = [float(k * step) for k in np.arange(first, last + 1)]
        return [(value, label(value, values)) for value in values]


def axis_for(values: np.ndarray, *, log: bool = False, from_zero: bool = False) -> Axis:
    """An axis that holds all finite values, its ends on round numbers."""
    finite = np.asarray(values, np.float64)
    finite = finite[np.isfinite(finite) & ((finite > 0) if log else True)]
    if not finite.size:
        raise KinematchError("nothing to draw: no finite values" + (" above zero" if log else ""))
    low, high = float(finite.min()), float(finite.max())
    if log:
        first, last = np.floor(np.log10(low) + ROUNDING_TOLERANCE), np.ceil(np.log10(high) - ROUNDING_TOLERANCE)
        return Axis(10.0**first, 10.0 ** max(last, first + 1), log=True)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    largest = max(abs(low), abs(high))
    if largest < 1e-300:  # steps between denormal numbers cannot be resolved
        low, high = -0.5, 0.5
    elif high - low <= 1e-12 * largest:  # as good as one value
        low, high = low - 0.5 * largest, high + 0.5 * largest
    step = _round_step((high - low) / 6)
    return Axis(step * np.floor(low / step + ROUNDING_TOLERANCE), step * np.ceil(high / step - ROUNDING_TOLERANCE))


def label(value: float, values: list[float]) -> str:
    """A number with no more digits than its neighbours need."""
    if value == 0:
        return "0"
    largest = max(abs(v) for v in values)
    if largest < 1e-3 or largest >= 1e12:
        return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    if largest >= 1e6 and abs(value) >= 1e3:
        for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(value) >= size:
                return f"{value / size:.10g}{letter}"
    return f"{value:,.10g}" if abs(value) >= 1 else f"{value:.10f}".rstrip("0").rstrip(".")


def _round_step(step: float) -> float:
    """1, 2 or 5 times a power of ten, not below step."""
    power = 10.0 ** np.floor(np.log10(step))
    return next(float(m * power) for m in (1, 2, 5, 10) if m * power >= step * (1 - ROUNDING_TOLERANCE))


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    decades = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= count // 2 else (1,)
    values = [m * 10.0**d for d in decades for m in steps]
    inside = [v for v in values if low * (1 - ROUNDING_TOLERANCE) <= v <= high * (1 + ROUNDING_TOLERANCE)]
    return inside[:: max(1, -(-len(inside) // (2 * count)))]
