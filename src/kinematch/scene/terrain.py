"""Terrain: height and normal of the ground, from a function, a grid of heights or an image."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image, UnidentifiedImageError

from kinematch.copies import Unchanging
from kinematch.errors import FileError, KinematchError, call_own
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.scene.terrain_kernels import grid_heights, grid_normals

LOOK_AHEAD = 0.5  # m, limit of how far ahead of a moving toe the ground is looked up
FARTHEST_POINT = 1e9  # m; points farther away are invalid
LARGEST_IMAGE = 1 << 28  # pixels: 16,384 a side


class Terrain(Protocol):
    """Ground with one height at each point. Points are (M, 2): x and z in metres."""

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Heights (M,) in metres."""

    def normals(self, points: np.ndarray) -> np.ndarray:
        """Unit normals (M, 3), pointing up out of the ground."""


def check_points(points: np.ndarray) -> np.ndarray:
    """Points as kernels take them: finite, float64, contiguous."""
    points = np.ascontiguousarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise KinematchError(f"points on terrain of shape {points.shape}, expected (M, 2) finite numbers: x and z")
    return points


def find_ground(
    terrain: Terrain, roots: np.ndarray, toes: np.ndarray, before: np.ndarray, locked: np.ndarray, places: np.ndarray,
    halflife: float, dt: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Heights (N, 1 + K) under roots (N, 3) and toes (N, K, 3), and normals (N, K, 3) under the toes.

    Under locked toes the ground is looked up at their locked places. Under others it is looked up ahead, to make up for
    the lag of the spring with this half-life that follows it; `before` are the toes one step earlier (NaN: unknown).
    """
    toes = predict_points(toes, before, halflife / HALFLIFE_FACTOR, dt)
    toes = np.where(locked[..., None], places, toes)
    points = np.concatenate([roots[:, None], toes], axis=1)[..., [0, 2]]
    points = np.where(np.abs(points) <= FARTHEST_POINT, points, 0.0)  # invalid characters are restarted after the step
    heights = _ask_terrain("heights", terrain, points, ())
    return heights, _ask_terrain("normals", terrain, points[:, 1:], (3,))


def _ask_terrain(name: str, terrain: Terrain, points: np.ndarray, each: tuple[int, ...]) -> np.ndarray:
    """Call a terrain, which may be a user's own, for points (N, P, 2), and check its answer (N, P, *each)."""
    flat = points.reshape(-1, 2)
    shape = (len(flat), *each)
    own = f"terrain {type(terrain).__name__}: {name}"
    found = call_own(own, lambda: np.asarray(getattr(terrain, name)(flat), np.float64))
    if found.shape != shape:
        raise KinematchError(f"terrain: {name} of shape {found.shape}, expected {shape}")
    if not np.isfinite(found).all():
        worst = int(np.argmin(np.isfinite(found).reshape(len(flat), -1).all(axis=1)))
        raise KinematchError(f"terrain: {name} at x, z = {flat[worst].round(3).tolist()} are {found[worst]}")
    return np.ascontiguousarray(found.reshape(*points.shape[:2], *each))  # kernels know no strides


@dataclass(frozen=True, eq=False)
class HeightFunction:
    """Ground from a formula: `function(x, z)` takes arrays (M,) in metres and returns heights (M,) in metres."""

    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    reach: float = 0.01  # m, step of the differences that give the slope

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Heights (M,) m under points (M, 2) of x and z."""
        return self._at(check_points(points), 0.0, 0.0)

    def normals(self, points: np.ndarray) -> np.ndarray:
        """Unit normals (M, 3) under points (M, 2) of x and z."""
        points, h = check_points(points), self.reach
        slope_x = (self._at(points, h, 0.0) - self._at(points, -h, 0.0)) / (2 * h)
        slope_z = (self._at(points, 0.0, h) - self._at(points, 0.0, -h)) / (2 * h)
        normals = np.stack([-slope_x, np.ones(len(points)), -slope_z], axis=-1)
        return normals / np.linalg.norm(normals, axis=-1, keepdims=True)

    def _at(self, points: np.ndarray, x: float, z: float) -> np.ndarray:
        heights = np.asarray(self.function(points[:, 0] + x, points[:, 1] + z), np.float64)
        if heights.shape not in ((), (len(points),)):
            raise KinematchError(f"a terrain function gave shape {heights.shape}, expected ({len(points)},)")
        return np.broadcast_to(heights, len(points))


@dataclass(frozen=True, eq=False)
class HeightGrid(Unchanging):
    """Ground from evenly spaced height samples, bilinear between; outside, the height at the nearest edge.

    One that `repeats` goes on without end, like tiles; its last row and column are its first.
    """

    values: np.ndarray  # (X, Z) m, heights at origin + (i, j) * cell
    cell: float  # m between samples
    origin: tuple[float, float] = (0.0, 0.0)  # m, x and z of the first sample
    repeats: bool = False

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, np.float32)
        if values.ndim != 2 or min(values.shape) < 2:
            raise KinematchError(f"a grid of heights of shape {values.shape}, expected (X, Z) with 2 or more each way")
        if not np.isfinite(values).all():
            raise KinematchError("a grid of heights has values that are not finite")
        if not (0 < self.cell < np.inf and np.isfinite(self.origin).all()):
            raise KinematchError(
                f"a grid of heights with cells of {self.cell} m at {self.origin}, expected a positive cell and a point"
            )
        if self.repeats and not (np.array_equal(values[0], values[-1]) and np.array_equal(values[:, 0], values[:, -1])):
            raise KinematchError("a grid of heights that repeats, expected a last row and column equal to the first")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "origin", (float(self.origin[0]), float(self.origin[1])))

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Heights (M,) m under points (M, 2) of x and z."""
        return grid_heights(self.values, self.origin, float(self.cell), bool(self.repeats), check_points(points))

    def normals(self, points: np.ndarray) -> np.ndarray:
        """Unit normals (M, 3) under points (M, 2) of x and z."""
        return grid_normals(self.values, self.origin, float(self.cell), bool(self.repeats), check_points(points))


def centre_grid(values: np.ndarray, cell: float, *, repeats: bool = False) -> HeightGrid:
    """A grid centred on the origin, from heights (X, Z) m, `cell` metres apart."""
    shape = np.shape(values)
    if len(shape) != 2:
        raise KinematchError(f"a grid of heights of shape {shape}, expected (X, Z)")
    return HeightGrid(values, cell, (-0.5 * (shape[0] - 1) * cell, -0.5 * (shape[1] - 1) * cell), repeats)


def read_height_image(path: str | Path, *, cell: float, height: float) -> HeightGrid:
    """A grid centred on the origin from an image, seen from above with +Z up and +X left; white is `height` metres.

    Colours are converted to grey; 16-bit images keep their precision. Pixels are `cell` metres apart.
    """
    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST_IMAGE:
                raise FileError(path, f"is {image.width} x {image.height} pixels, expected at most {LARGEST_IMAGE}")
            deep = image.mode.startswith("I")
            grey = np.asarray(image if deep else image.convert("L"), np.float64) / (65535 if deep else 255)
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except UnidentifiedImageError:
        raise FileError(path, "is not an image that can be read, expected PNG or similar") from None
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise FileError(path, f"cannot be read: {error}") from None
    return centre_grid(height * grey[::-1, ::-1].T, cell)


def predict_points(points: np.ndarray, before: np.ndarray, lag: float, dt: float) -> np.ndarray:
    """Where points will be `lag` s after the beginning of a step, at their velocity in it; NaN in `before`: unmoved."""
    points = points.astype(np.float64)
    if dt <= 0:
        return points
    with np.errstate(invalid="ignore"):
        return points + np.clip(np.nan_to_num(points - before) * (lag / dt - 1), -LOOK_AHEAD, LOOK_AHEAD)
