"""Filters along time with windows given in seconds: Savitzky-Golay for positions and headings, median for contacts."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.errors import KinematchError
from kinematch.math.quaternion import Array, floating, normalize, unroll


def window_frames(seconds: float, frame_rate: float) -> int:
    """The odd number of frames nearest to a time; 31 and 61 frames at 60 fps are 0.5167 s and 1.0167 s."""
    return max(1, 2 * round((_frames(seconds, frame_rate) - 1) / 2) + 1)


def _frames(seconds: float, frame_rate: float) -> float:
    frames = seconds * frame_rate
    if not 0 <= frames < np.inf:
        raise KinematchError(f"a window or radius of {seconds} s, expected zero or more")
    return frames


def savitzky_golay(x: ArrayLike, *, seconds: float, frame_rate: float, order: int = 3) -> Array:
    """Local polynomial fit along the first axis; a clip shorter than the window is fitted whole."""
    from scipy.signal import savgol_filter  # here, since it takes longer to import than all else together

    x = floating(x)
    frames = len(x)
    window = min(window_frames(seconds, frame_rate), frames - 1 + frames % 2)
    if window <= order:  # too few frames for the fit to smooth anything
        return x.copy()
    return savgol_filter(x.astype(np.float64), window, order, axis=0, mode="interp").astype(x.dtype)


def smooth_rotations(q: ArrayLike, *, seconds: float, frame_rate: float, order: int = 3) -> Array:
    """Savitzky-Golay on sign-continuous quaternions, normalised again; for signals that turn little per window."""
    return normalize(savitzky_golay(unroll(q), seconds=seconds, frame_rate=frame_rate, order=order))


def median(x: ArrayLike, *, radius: float, frame_rate: float) -> Array:
    """Majority of a boolean (or median of a number) along the first axis within a radius in seconds."""
    from scipy.ndimage import median_filter

    x = np.asarray(x)
    # no wider than the clip, beyond which the filter would see nothing but its ends
    frames = 2 * min(round(_frames(radius, frame_rate)), len(x)) + 1
    size = (frames,) + (1,) * (x.ndim - 1)
    filtered = median_filter(x.astype(np.uint8) if x.dtype == bool else x, size=size, mode="nearest")
    return filtered.astype(x.dtype)
