"""Convex regions of the ground that a crowd stays in: a circle or a rectangle."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.control.steering import limit_lengths
from kinematch.errors import KinematchError


class Region(Protocol):
    """A convex part of the ground; points are (N, 2): x and z in metres."""

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The nearest points (N, 2) inside the region."""

    def inward(self, points: np.ndarray, margin: float) -> np.ndarray:
        """Directions (N, 2) back inside: zero farther than `margin` from the edge, growing to length 1 at the edge."""

    def spread(self, count: int) -> np.ndarray:
        """`count` points (N, 2) spread evenly over the region."""


@dataclass(frozen=True)
class Circle:
    radius: float  # m
    centre: tuple[float, float]  # m, x and z

    def nearest(self, points: np.ndarray) -> np.ndarray:
        return self.centre + limit_lengths(points - self.centre, self.radius)

    def inward(self, points: np.ndarray, margin: float) -> np.ndarray:
        margin = min(margin, self.radius)
        away = points - self.centre
        far = np.hypot(away[:, 0], away[:, 1])
        depth = np.clip((far - self.radius) / margin + 1, 0, 1)
        return -away * np.divide(depth, far, out=np.zeros_like(far), where=far > 0)[:, None]

    def spread(self, count: int) -> np.ndarray:
        across, around = _spread_evenly(count).T
        angle = 2 * np.pi * around
        return self.centre + self.radius * np.sqrt(across)[:, None] * np.stack([np.sin(angle), np.cos(angle)], axis=-1)


@dataclass(frozen=True)
class Rectangle:
    size: tuple[float, float]  # m, along x and z
    centre: tuple[float, float]  # m, x and z

    def nearest(self, points: np.ndarray) -> np.ndarray:
        half = 0.5 * np.array(self.size)
        return np.clip(points, self.centre - half, self.centre + half)

    def inward(self, points: np.ndarray, margin: float) -> np.ndarray:
        half = 0.5 * np.array(self.size)
        away = points - self.centre
        depth = np.clip((np.abs(away) - half) / np.minimum(margin, half) + 1, 0, 1)
        return limit_lengths(-np.sign(away) * depth, 1.0)

    def spread(self, count: int) -> np.ndarray:
        return self.centre + (_spread_evenly(count) - 0.5) * self.size


def make_region(inside: float | tuple[float, float], centre: tuple[float, float] = (0.0, 0.0)) -> Region:
    """A circle, if `inside` is a radius, or a rectangle, if it is a width (x) and a depth (z); all in metres."""
    size = np.asarray(inside, np.float64)
    if size.shape not in ((), (2,)) or not (size > 0).all() or not np.isfinite(size).all():
        raise KinematchError(f"a region of {inside!r} m, expected a radius, or a width and a depth")
    if size.shape == ():
        return Circle(float(size), (float(centre[0]), float(centre[1])))
    return Rectangle((float(size[0]), float(size[1])), (float(centre[0]), float(centre[1])))


def _spread_evenly(count: int) -> np.ndarray:
    """Well separated points (N, 2) in the unit square: the additive sequence of the plastic number."""
    plastic = 1.3247179572447460
    return (0.5 + np.arange(count)[:, None] / np.array([plastic, plastic**2])) % 1.0
