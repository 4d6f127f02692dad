"""Terrain: how high the ground is and which way it leans, as a function, a grid of heights or an image of one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image, UnidentifiedImageError

from kinematch.errors import FileError, KinematchError, failure
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.terrain.kernels import grid_heights, grid_normals

LOOK_AHEAD = 0.5  # m ahead of a moving point that the ground is looked at, at most
FARTHEST_POINT = 1e9  # m: no character is farther away
LARGEST_IMAGE = 1 << 28  # pixels: 16,384 a side


class Terrain(Protocol):
    """Ground that has one height everywhere; points are (M, 2): x and z in metres."""

    def heights(self, points: np.ndarray) -> np.ndarray:
        """(M,) m above zero."""

    def normals(self, points: np.ndarray) -> np.ndarray:
        """(M, 3) unit, out of the ground."""


def checked(points: np.ndarray) -> np.ndarray:
    """Points as kernels want them: NaN has no place on the ground."""
    points = np.ascontiguousarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise KinematchError(f"points on terrain of shape {points.shape}, expected (M, 2) finite numbers: x and z")
    return points


def find_ground(
    terrain: Terrain, roots: np.ndarray, toes: np.ndarray, before: np.ndarray, locked: np.ndarray, places: np.ndarray,
    halflife: float, dt: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Heights (N, 1 + K) under roots (N, 3) and toes (N, K, 3), and normals (N, K, 3) under the toes.

    Locked toes stand at their places. The ground of others is looked up where they will be by the time a spring of this
    half-life has followed it, as they moved since the step `before` (NaN for none).
    """
    toes = predict_points(toes, before, halflife / HALFLIFE_FACTOR, dt)
    toes = np.where(locked[..., None], places, toes)
    points = np.concatenate([roots[:, None], toes], axis=1)[..., [0, 2]]
    points = np.where(np.abs(points) <= FARTHEST_POINT, points, 0.0)  # who is nowhere begins anew after the step
    heights = _ask_terrain("heights", terrain, points, ())
    return heights, _ask_terrain("normals", terrain, points[:, 1:], (3,))


def _ask_terrain(name: str, terrain: Terrain, points: np.ndarray, each: tuple[int, ...]) -> np.ndarray:
    """What a terrain that anybody may have written says of points (N, P, 2), checked: (N, P, *each)."""
    flat = points.reshape(-1, 2)
    shape = (len(flat), *each)
    try:
        found = np.asarray(getattr(terrain, name)(flat), np.float64)
    except KinematchError:
        raise
    except Exception as error:
        raise KinematchError(f"terrain {type(terrain).__name__}: {name}: {failure(error)}") from error
    if found.shape != shape:
        raise KinematchError(f"terrain: {name} of shape {found.shape}, expected {shape}")
    if not np.isfinite(found).all():
        worst = int(np.argmin(np.isfinite(found).reshape(len(flat), -1).all(axis=1)))
        raise KinematchError(f"terrain: {name} at x, z = {flat[worst].round(3).tolist()} are {found[worst]}")
    return found.reshape(*points.shape[:2], *each)


@dataclass(frozen=True, eq=False)
class HeightFunction:
    """Ground from a formula: `function(x, z)` takes arrays (M,) and gives heights (M,)."""

    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    reach: float = 0.01  # m to either side over which its slope is taken

    def heights(self, points: np.ndarray) -> np.ndarray:
        return self._at(checked(points), 0.0, 0.0)

    def normals(self, points: np.ndarray) -> np.ndarray:
        points, h = checked(points), self.reach
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
class HeightGrid:
    """Ground between evenly spaced posts, bilinear; beyond the edge its height goes on."""

    values: np.ndarray  # (X, Z) m, of the posts at origin + (i, j) * cell
    cell: float  # m between posts
    origin: tuple[float, float] = (0.0, 0.0)  # m, x and z of the first post

    def __post_init__(self):
        values = np.ascontiguousarray(self.values, np.float32)
        if values.ndim != 2 or min(values.shape) < 2:
            raise KinematchError(f"a grid of heights of shape {values.shape}, expected (X, Z) with 2 or more each way")
        if not np.isfinite(values).all():
            raise KinematchError("a grid of heights has values that are not finite")
        if not (0 < self.cell < np.inf and np.isfinite(self.origin).all()):
            raise KinematchError(f"a grid of heights with cells of {self.cell} m at {self.origin}, expected a place")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "origin", (float(self.origin[0]), float(self.origin[1])))

    def heights(self, points: np.ndarray) -> np.ndarray:
        return grid_heights(self.values, self.origin, float(self.cell), checked(points))

    def normals(self, points: np.ndarray) -> np.ndarray:
        return grid_normals(self.values, self.origin, float(self.cell), checked(points))


def centred(values: np.ndarray, cell: float) -> HeightGrid:
    """A grid whose middle is at the origin."""
    shape = np.shape(values)
    if len(shape) != 2:
        raise KinematchError(f"a grid of heights of shape {shape}, expected (X, Z)")
    return HeightGrid(values, cell, (-0.5 * (shape[0] - 1) * cell, -0.5 * (shape[1] - 1) * cell))


def read_height_image(path: str | Path, *, cell: float, height: float) -> HeightGrid:
    """An image as seen from above, +Z up and +X left, centred; from black to white is `height` metres.

    Colours become grey; 16 bits are kept. Each pixel is a post, `cell` metres from the next.
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
        raise FileError(path, "is no image that can be read, expected PNG or the like") from None
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise FileError(path, f"cannot be read: {error}") from None
    return centred(height * grey[::-1, ::-1].T, cell)


def predict_points(points: np.ndarray, before: np.ndarray, lag: float, dt: float) -> np.ndarray:
    """Where points will be `lag` seconds after a step's beginning, as they moved in it; those of unknown past stay."""
    points = points.astype(np.float64)
    if dt <= 0:
        return points
    with np.errstate(invalid="ignore"):
        return points + np.clip(np.nan_to_num(points - before) * (lag / dt - 1), -LOOK_AHEAD, LOOK_AHEAD)
