"""Ground to try characters on: random hills with low steps, slopes, and flights of stairs."""

import numpy as np

from kinematch.errors import KinematchError
from kinematch.scene.terrain import HeightGrid, centre_grid


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
    repeats: bool = False,
) -> HeightGrid:
    """A square of random ground around the origin, `size` metres a side, flat within `clearing` metres of the centre.

    `hills` (m) is the height difference between the highest and the lowest point, `width` (m) the typical distance
    between hills, `steps` the number of platforms, each 1.5 to 4 m a side and up to `step` metres high. Ground that
    `repeats` has no end.
    """
    if not (0 < cell <= size / 8 and size / cell <= 8192) or min(hills, width, step, steps, clearing) < 0:
        raise KinematchError(
            f"ground of {size} m in cells of {cell} m, hills of {hills} m and {width} m, {steps} steps of {step} m,"
            " expected positive numbers and 8 to 8192 cells a side"
        )
    count = round(size / cell) + 1
    place = (np.arange(count) - 0.5 * (count - 1)) * cell
    coarse = max(1, round(0.125 * width / cell))  # hills need few samples, and smoothing fewer is faster
    heights = _make_noise(random, count, coarse, 0.25 * width / (coarse * cell), repeats)
    heights = hills * (heights - heights.min()) / max(np.ptp(heights), np.finfo(float).tiny)
    for x, z, wide, deep, rise in zip(
        *random.uniform(-0.5 * size, 0.5 * size, (2, steps)),
        *random.uniform(0.75, 2.0, (2, steps)),
        random.uniform(0.3, 1.0, steps) * step,
    ):
        away_x, away_z = (_wrap(place - middle, size) if repeats else place - middle for middle in (x, z))
        inside = np.ix_(np.abs(away_x) < wide, np.abs(away_z) < deep)
        heights[inside] += rise
    middle = heights[count // 2, count // 2]
    away = np.hypot(place[:, None], place[None, :])
    share = np.clip(away / clearing - 1, 0, 1) if clearing > 0 else np.ones_like(away)
    eased = share * share * (3 - 2 * share)
    return _centre((heights - middle) * eased, cell, repeats)


def make_slopes(*, steepest: float = 0.25, cell: float = 0.2) -> HeightGrid:
    """Ramps without end, flat at the origin: along z of up to `steepest` (m of height per m), along x of a third."""
    if not (0 <= steepest <= 2 and 0.02 <= cell <= 2):
        raise KinematchError(f"slopes of {steepest} in cells of {cell} m, expected 0 to 2, and 0.02 to 2 m")
    from scipy.ndimage import gaussian_filter1d  # here, since it is slow to import

    # metres along, and height in units of the steepest slope: up gently, flat, down steeply
    ramps = {-12: 0.0, -9: 0.0, -3: -4.0, 3: -4.0, 7: 0.0, 12: 0.0}
    count = round(24 / cell) + 1
    along = np.linspace(-12, 12, count)
    profile = gaussian_filter1d(np.interp(along, [*ramps], [*ramps.values()])[:-1], 0.4 / cell, mode="wrap")
    heights = steepest * (np.append(profile, profile[0]) - profile[count // 2])
    return _centre(heights[:, None] / 3 + heights, 24 / (count - 1), True)


def make_stairs(*, rise: float = 0.16, tread: float = 0.32, steps: int = 8, landing: float = 2.4) -> HeightGrid:
    """Flights of stairs along z without end, up and down in turn, with landings between; the first is at the origin."""
    if not (0 <= rise <= 1 and 0.1 <= tread <= 4 and 1 <= steps <= 100 and 0.1 <= landing <= 100):
        raise KinematchError(
            f"{steps} steps of {rise} m by {tread} m and landings of {landing} m, expected 1 to 100 steps of 0 to 1 m"
            " by 0.1 to 4 m, and landings of 0.1 to 100 m"
        )
    cell = tread / 8
    flat, flight = np.zeros(round(landing / cell)), np.repeat(np.arange(1, steps + 1), 8)
    half = len(flat) // 2
    profile = np.concatenate([flat[half:], flight[:-8], flat + steps, flight[:-8][::-1], flat[:half]])
    heights = rise * np.append(profile, profile[0])
    heights = np.broadcast_to(heights, (2, len(heights)))
    return HeightGrid(heights, cell, (0.0, 0.0), repeats=True)


def _centre(heights: np.ndarray, cell: float, repeats: bool) -> HeightGrid:
    if repeats:  # to the last bit
        heights[-1], heights[:, -1] = heights[0], heights[:, 0]
    return centre_grid(heights, cell, repeats=repeats)


def _wrap(away: np.ndarray, size: float) -> np.ndarray:
    """Distances on ground that repeats, to the nearest copy."""
    return away - size * np.round(away / size)


def _make_noise(random: np.random.Generator, count: int, coarse: int, blur: float, repeats: bool) -> np.ndarray:
    """Smooth noise (count, count), generated at every `coarse`-th sample and bilinear between."""
    from scipy.ndimage import gaussian_filter  # here, since it is slow to import

    few = max(2, round((count - 1) / coarse)) if repeats else count // coarse + 2
    noise = gaussian_filter(random.standard_normal((few, few)), blur, mode="wrap")
    along = np.arange(count) * (few / (count - 1)) if repeats else np.arange(count) / coarse
    low = along.astype(int)
    part = along - low
    low, high = low % few, (low + 1) % few
    rows = noise[low] * (1 - part)[:, None] + noise[high] * part[:, None]
    return rows[:, low] * (1 - part) + rows[:, high] * part
