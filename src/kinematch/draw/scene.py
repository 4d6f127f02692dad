"""From solids and a camera to pixels."""

import numpy as np

from kinematch.draw import kernels, shading_kernels
from kinematch.draw.camera import UP, Camera
from kinematch.draw.solid import Solids
from kinematch.draw.theme import Theme, encoding_table, linear
from kinematch.errors import KinematchError

_TABLE = encoding_table()
_LARGEST = 16384  # pixels a side
_SHADOW_CELLS = 200_000  # beyond, a wide scene gets coarser shadows instead of slower ones
_SOFTNESS = 0.16  # half the width of the light, as a slope: wide, so that no limb draws a hard line on the floor


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height in pixels, or an error that names them."""
    if len(size) != 2 or not all(int(n) == n and 8 <= n <= _LARGEST for n in size):
        raise KinematchError(f"picture size {tuple(size)}, expected (width, height) between 8 and {_LARGEST} pixels")
    return int(size[0]), int(size[1])


def light_of(camera: Camera) -> np.ndarray:
    """Towards a light above the viewer's left shoulder, unit (3,)."""
    right, _, forward = camera.axes
    level = np.array([forward[0], 0.0, forward[2]])
    light = 1.0 * UP - 0.45 * right - 0.4 * level
    return light / np.linalg.norm(light)


def render_scene(
    solids: Solids,
    camera: Camera,
    *,
    size: tuple[int, int],
    theme: Theme,
    floor_height: float = 0.0,
    light: np.ndarray | None = None,
) -> np.ndarray:
    """Pixels (height, width, 3) uint8 of solids standing on a floor."""
    width, height = check_size(size)
    light = light_of(camera) if light is None else np.asarray(light, np.float64)
    below = np.array([0.0, floor_height, 0.0])
    eye, centre = camera.position - below, camera.target - below
    origins = np.ascontiguousarray(solids.origins - below)
    frames, scales = np.ascontiguousarray(solids.frames), np.ascontiguousarray(solids.scales)
    lengths, radii = np.ascontiguousarray(solids.lengths), np.ascontiguousarray(solids.radii)
    depth = np.full((2 * height, 2 * width), np.inf, np.float32)
    normals = np.empty((2 * height, 2 * width, 3), np.float32)
    owners = np.full((2 * height, 2 * width), -1, np.int32)
    focal = camera.focal(height)
    kernels.cast(origins, frames, scales, lengths, radii, eye, camera.axes, 2 * focal, depth, normals, owners)

    ends = origins + frames[:, :, 1] * lengths[:, None]
    round_radii = radii * np.sqrt(scales.prod(axis=-1, keepdims=True))  # of the circle of equal area
    shadow, corner, cell = _shadow(origins, ends, round_radii, solids.lit, light)
    out = np.empty((height, width, 3), np.uint8)
    paint = np.array([linear(c) for c in (theme.background_top, theme.background_bottom, theme.floor, theme.grid)])
    # the pool of light on the floor is as wide as the view
    reach = 0.75 * np.linalg.norm(centre - eye) * np.tan(camera.field_of_view / 2) * max(1.0, width / height) * 2
    shading_kernels.shade(
        depth, normals, owners, origins, ends, round_radii, np.ascontiguousarray(solids.colours), solids.lit, eye,
        camera.axes, focal, light, centre, reach, shadow, corner, cell, paint, _TABLE, out,
    )  # fmt: skip
    return out


def _shadow(
    starts: np.ndarray, ends: np.ndarray, radii: np.ndarray, lit: np.ndarray, light: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Light left on the floor (rows, columns, sky and sun), the map's corner (x, z) and its cell in metres."""
    casters = np.flatnonzero(lit)
    if not len(casters):
        return np.ones((2, 2, 2), np.float32), np.zeros(2), 1.0
    slope = light[[0, 2]] / light[1]
    points = np.concatenate([starts[casters], ends[casters]])
    spots = np.concatenate([points[:, [0, 2]], points[:, [0, 2]] - slope * points[:, 1:2]])
    margin = 4 * radii.max() + 0.3
    corner, far = spots.min(axis=0) - margin, spots.max(axis=0) + margin
    cell = max(0.015, float(np.sqrt(np.prod(far - corner) / _SHADOW_CELLS)))
    columns, rows = (np.ceil((far - corner) / cell)).astype(int)
    shadow = np.ones((rows, columns, 2), np.float32)
    kernels.floor_shadow(starts[casters], ends[casters], radii[casters], light, corner, cell, _SOFTNESS, shadow)
    return shadow, corner, cell
