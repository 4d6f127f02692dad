"""Regions of the ground that a crowd stays in: a circle or a rectangle, both convex."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinematch.control.steering import shortened
from kinematch.errors import KinematchError


class Region(Protocol):
    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The points (N, 2) of the region nearest to these."""

    def inward(self, points: np.ndarray, margin: float) -> np.ndarray:
        """Ways (N, 2) back inside: zero farther than a margin from the edge, 1 long at the edge or beyond."""

    def spread(self, count: int) -> np.ndarray:
        """So many points (N, 2) spread evenly."""


@dataclass(frozen=True)
class Circle:
    radius: float  # m
    centre: tuple[float, float]  # m, x and z

    def nearest(self, points: np.ndarray) -> np.ndarray:
        return self.centre + shortened(points - self.centre, self.radius)

    def inward(self, points: np.ndarray, margin: float) -> np.ndarray:
        margin = min(margin, self.radius)
        away = points - self.centre
        far = np.hypot(away[:, 0], away[:, 1])
        depth = np.clip((far - self.radius) / margin + 1, 0, 1)
        return -away * np.divide(depth, far, out=np.zeros_like(far), where=far > 0)[:, None]

    def spread(self, count: int) -> np.ndarray:
        across, around = _even(count).T
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
        return shortened(-np.sign(away) * depth, 1.0)

    def spread(self, count: int) -> np.ndarray:
        return self.centre + (_even(count) - 0.5) * self.size


def region(inside: float | tuple[float, float], centre: tuple[float, float] = (0.0, 0.0)) -> Region:
    """A circle of a radius, or a rectangle of a width and a depth, around a centre; all in metres."""
    size = np.asarray(inside, np.float64)
    if size.shape not in ((), (2,)) or not (size > 0).all() or not np.isfinite(size).all():
        raise KinematchError(f"a region of {inside!r} m, expected a radius, or a width and a depth")
    if size.shape == ():
        return Circle(float(size), (float(centre[0]), float(centre[1])))
    return Rectangle((float(size[0]), float(size[1])), (float(centre[0]), float(centre[1])))


def _even(count: int) -> np.ndarray:
    """Points (N, 2) in the unit square that keep apart: the additive sequence of the plastic number."""
    plastic = 1.3247179572447460
    return (0.5 + np.arange(count)[:, None] / np.array([plastic, plastic**2])) % 1.0
