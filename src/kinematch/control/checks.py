"""Checks of what callers say of characters: where they are, which are meant, and at which moments."""

from typing import Any

import numpy as np

from kinematch.control.body import WORLD_RADIUS
from kinematch.errors import KinematchError


def check_places(positions: Any, yaws: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where characters stand (count, 3), and their headings (count,)."""
    try:
        places, turns = np.empty((count, 3)), np.empty(count)
        places[:], turns[:] = positions, yaws
    except (TypeError, ValueError):
        shapes = np.shape(positions), np.shape(yaws)
        raise KinematchError(f"positions {shapes[0]} and yaws {shapes[1]} for {count} characters") from None
    largest = max(abs(places).max(initial=0.0), abs(turns).max(initial=0.0))
    if not largest <= WORLD_RADIUS:
        raise KinematchError(f"positions or yaws up to {largest}, expected at most {WORLD_RADIUS:g} m or rad")
    return places, turns


def check_characters(characters: Any, count: int) -> np.ndarray:
    """Indices (M,) of characters, below `count`."""
    chosen = np.atleast_1d(np.asarray(characters))
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not ((chosen >= 0) & (chosen < count)).all():
        raise KinematchError(f"characters {characters!r}, expected numbers from 0 to {count - 1}")
    return chosen


def check_moments(times: Any, characters: Any, ages: Any, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (H,), characters (M,) and ages (M,) as kernels take them."""
    chosen = check_characters(characters, count).astype(np.int32)
    moments, since = np.array(times, np.float64), np.array(ages, np.float64)
    if moments.ndim != 1 or since.shape != chosen.shape:
        raise KinematchError(f"times {moments.shape} and ages {since.shape} for {len(chosen)} characters")
    return moments, chosen, since
