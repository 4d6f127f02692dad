"""Random uneven ground, smooth hills and low steps, to try characters on."""

import numpy as np

from kinematch.errors import KinematchError
from kinematch.terrain.terrain import HeightGrid, centre_grid


def uneven_ground(
    random: np.random.Generator,
    *,
    size: float = 40.0,
    cell: float = 0.05,
    hills: float = 0.6,
    width: float = 4.0,
    step: float = 0.12,
    steps: int = 24,
    clearing: float = 1.5,
) -> HeightGrid:
    """A square of random ground around the origin, `size` metres a side, flat within `clearing` metres of the centre.

    `hills` (m) is the height difference between the highest and the lowest point, `width` (m) the typical distance
    between hills, `steps` the number of platforms, each 1.5 to 4 m a side and up to `step` metres high.
    """
    if not (0 < cell <= size / 8 and size / cell <= 8192) or min(hills, width, step, steps, clearing) < 0:
        raise KinematchError(
            f"ground of {size} m in cells of {cell} m, hills of {hills} m and {width} m, {steps} steps of {step} m,"
            " expected positive numbers and 8 to 8192 cells a side"
        )
    count = round(size / cell) + 1
    place = (np.arange(count) - 0.5 * (count - 1)) * cell
    coarse = max(1, round(0.125 * width / cell))  # hills need few samples, and smoothing fewer is faster
    heights = _make_noise(random, count, coarse, 0.25 * width / (coarse * cell))
    heights = hills * (heights - heights.min()) / max(np.ptp(heights), np.finfo(float).tiny)
    for x, z, wide, deep, rise in zip(
        *random.uniform(-0.5 * size, 0.5 * size, (2, steps)),
        *random.uniform(0.75, 2.0, (2, steps)),
        random.uniform(0.3, 1.0, steps) * step,
    ):
        inside = np.ix_(np.abs(place - x) < wide, np.abs(place - z) < deep)
        heights[inside] += rise
    middle = heights[count // 2, count // 2]
    away = np.hypot(place[:, None], place[None, :])
    share = np.clip(away / clearing - 1, 0, 1) if clearing > 0 else np.ones_like(away)
    eased = share * share * (3 - 2 * share)
    return centre_grid((heights - middle) * eased, cell)


def _make_noise(random: np.random.Generator, count: int, coarse: int, blur: float) -> np.ndarray:
    """Smooth noise (count, count), generated at every `coarse`-th sample and bilinear between."""
    from scipy.ndimage import gaussian_filter  # here, since it is slow to import

    few = count // coarse + 2
    noise = gaussian_filter(random.standard_normal((few, few)), blur, mode="wrap")
    along = np.arange(count) / coarse
    low = along.astype(int)
    part = along - low
    rows = noise[low] * (1 - part)[:, None] + noise[low + 1] * part[:, None]
    return rows[:, low] * (1 - part) + rows[:, low + 1] * part
