"""From solids and a camera to pixels."""

import numpy as np

from kinematch.draw import floor_kernels, kernels, shading_kernels
from kinematch.draw.camera import UP, ViewCamera
from kinematch.draw.solid import Solids
from kinematch.draw.theme import Theme, encoding_table, linear
from kinematch.errors import KinematchError

_TABLE = encoding_table()
_MAX_PIXELS = 16384  # pixels a side
_SHADOW_CELLS = 200_000  # beyond, a wide scene gets coarser shadows instead of slower ones
_SOFTNESS = 0.16  # half the width of the light, as a slope: wide, so that no limb draws a hard line on the floor


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height in pixels, or an error that names them."""
    if len(size) != 2 or not all(int(n) == n and 8 <= n <= _MAX_PIXELS for n in size):
        raise KinematchError(f"picture size {tuple(size)}, expected (width, height) between 8 and {_MAX_PIXELS} pixels")
    return int(size[0]), int(size[1])


def light_of(camera: ViewCamera) -> np.ndarray:
    """Towards a light above the viewer's left shoulder, unit (3,)."""
    right, _, forward = camera.axes
    level = np.array([forward[0], 0.0, forward[2]])
    light = 1.0 * UP - 0.45 * right - 0.4 * level
    return light / np.linalg.norm(light)


def render_scene(
    solids: Solids,
    camera: ViewCamera,
    *,
    size: tuple[int, int],
    theme: Theme,
    floor_height: float = 0.0,
    light: np.ndarray | None = None,
) -> np.ndarray:
    """Pixels (height, width, 3) uint8 of solids standing on a floor."""
    width, height = check_size(size)
    light = light_of(camera) if light is None else np.asarray(light, np.float64)
    if not light[1] > 0.05:
        raise KinematchError(f"light from {light.tolist()}, expected a direction from above")
    below = np.array([0.0, floor_height, 0.0])
    eye, centre = camera.position - below, camera.target - below
    origins = np.ascontiguousarray(solids.origins - below)
    frames, scales = np.ascontiguousarray(solids.frames), np.ascontiguousarray(solids.scales)
    lengths, radii = np.ascontiguousarray(solids.lengths), np.ascontiguousarray(solids.radii)
    axes, focal = camera.axes, camera.focal(height)

    ends = origins + frames[:, :, 1] * lengths[:, None]
    round_radii = radii * np.sqrt(scales.prod(axis=-1, keepdims=True))  # of the circle of equal area
    shadow, corner, cell = _shadow(origins, ends, round_radii, solids.lit, light)
    paint = np.array([linear(c) for c in (theme.background_top, theme.background_bottom, theme.floor, theme.grid)])
    # the pool of light on the floor is as wide as the view
    reach = 1.5 * np.linalg.norm(centre - eye) * np.tan(camera.field_of_view / 2) * max(1.0, width / height)
    image = np.empty((height, width, 3), np.float32)
    floor_kernels.paint_floor(eye, axes, focal, centre, reach, shadow, corner, cell, paint, image)

    # two by two samples in each pixel, within the part of the picture that the solids can touch
    bounds = kernels.outlines(origins, frames, scales, lengths, radii, eye, axes)
    left, top, right, bottom = _seen_box(bounds, focal, width, height)
    if left < right and top < bottom:
        shape = (2 * (bottom - top), 2 * (right - left))
        depth = np.full(shape, kernels.FAR_DISTANCE, np.float32)
        owners = np.full(shape, -1, np.int32)
        middle = np.array([width - 2.0 * left, height - 2.0 * top])
        stretch = np.stack([scales[:, 0], np.ones(len(scales)), scales[:, 1]], axis=-1)
        inverses = np.ascontiguousarray(frames.transpose(0, 2, 1)) / stretch[:, :, None]
        # the eye and the camera's axes in each solid's own space
        views = np.concatenate([(eye - origins)[:, None], np.broadcast_to(axes, (len(origins), 3, 3))], axis=1)
        views = views @ inverses.transpose(0, 2, 1)
        kernels.cast(views, lengths, radii, 2 * focal, middle, bounds, depth, owners)
        tapers = np.diff(round_radii)[:, 0] / np.where(lengths > 0, lengths, 1)  # growth of the radius along the axis
        near = shading_kernels.neighbours(origins, frames, lengths, round_radii, solids.lit, solids.groups)
        shading_kernels.paint_bodies(
            depth, owners, views, origins, frames, inverses, lengths, radii, round_radii, tapers, near,
            np.ascontiguousarray(solids.colours), solids.lit, eye, axes, focal, light, paint[1], np.array([left, top]),
            image,
        )  # fmt: skip
    out = np.empty((height, width, 3), np.uint8)
    shading_kernels.encode(image, _TABLE, out)
    return out


def _seen_box(bounds: np.ndarray, focal: float, width: int, height: int) -> tuple[int, int, int, int]:
    """The pixels [left, right) and [top, bottom) around all outlines (P, 2, 4), as left, top, right, bottom."""
    seen = bounds[bounds[..., 2] >= 0]
    if not len(seen):
        return 0, 0, 0, 0
    x, y, half_x, half_y = seen.T * focal
    box = [
        0.5 * width + (x - half_x).min(),
        0.5 * height - (y + half_y).max(),
        0.5 * width + (x + half_x).max() + 1,
        0.5 * height - (y - half_y).min() + 1,
    ]
    left, top, right, bottom = np.clip(box, 0, [width, height, width, height]).astype(int)
    if (bounds[..., 2] < 0).any():  # a solid that reaches behind the camera may cover anything
        return 0, 0, width, height
    return left, top, right, bottom


def _shadow(
    starts: np.ndarray, ends: np.ndarray, radii: np.ndarray, lit: np.ndarray, light: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Light left on the floor (rows, columns), the map's corner (x, z) and its cell in metres."""
    casters = np.flatnonzero(lit)
    if not len(casters):
        return np.ones((2, 2), np.float32), np.zeros(2), 1.0
    slope = light[[0, 2]] / light[1]
    points = np.concatenate([starts[casters], ends[casters]])
    spots = np.concatenate([points[:, [0, 2]], points[:, [0, 2]] - slope * points[:, 1:2]])
    margin = 4 * radii.max() + 0.3
    corner, far = spots.min(axis=0) - margin, spots.max(axis=0) + margin
    cell = max(0.02, float(np.sqrt(np.prod(far - corner) / _SHADOW_CELLS)))
    columns, rows = (np.ceil((far - corner) / cell)).astype(int)
    shadow = np.ones((rows, columns, 2), np.float32)
    floor_kernels.floor_shadow(starts[casters], ends[casters], radii[casters], light, corner, cell, _SOFTNESS, shadow)
    return 0.58 * shadow[..., 0] + 0.42 * shadow[..., 1], corner, cell
