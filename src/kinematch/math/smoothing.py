"""Filters along time with windows given in seconds: Savitzky-Golay for positions and headings, median for contacts."""

from functools import cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
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
    """Local polynomial fit along the first axis; a clip shorter than the window is fitted whole.

    The same numbers as scipy.signal.savgol_filter, whose import takes a second.
    """
    x = floating(x)
    frames = len(x)
    window = min(window_frames(seconds, frame_rate), frames - 1 + frames % 2)
    if window <= order:  # too few frames for the fit to smooth anything
        return x.copy()
    values = x.reshape(frames, -1).astype(np.float64)
    half, weights = window // 2, _fit_weights(window, order)
    middle = frames - 2 * half
    smooth = np.empty_like(values)
    inner = smooth[half : frames - half]
    inner[:] = values[half : frames - half] * weights[0]
    for k in range(half, 0, -1):
        inner += (values[half - k : half - k + middle] + values[half + k : half + k + middle]) * weights[k]
    # the first and last half windows lie on the polynomials of the first and last whole ones
    times = np.arange(window, dtype=np.float64)
    smooth[:half] = np.polyval(np.polyfit(times, values[:window], order), times[:half, None])
    smooth[frames - half :] = np.polyval(np.polyfit(times, values[-window:], order), times[window - half :, None])
    return smooth.reshape(x.shape).astype(x.dtype)


@cache
def _fit_weights(window: int, order: int) -> Array:
    """Weights of the middle frame of a window and of those 1, 2 ... frames to either side, which are symmetric."""
    half = window // 2
    powers = np.arange(half, -half - 1, -1.0) ** np.arange(order + 1.0)[:, None]
    value_at_middle = (np.arange(order + 1) == 0).astype(np.float64)
    weights = np.linalg.lstsq(powers, value_at_middle, rcond=None)[0]
    return weights[half:]


def smooth_rotations(q: ArrayLike, *, seconds: float, frame_rate: float, order: int = 3) -> Array:
    """Savitzky-Golay on sign-continuous quaternions, normalised again; for signals that turn little per window."""
    return normalize(savitzky_golay(unroll(q), seconds=seconds, frame_rate=frame_rate, order=order))


def median(x: ArrayLike, *, radius: float, frame_rate: float) -> Array:
    """Majority of a boolean (or median of a number) along the first axis within a radius in seconds."""
    x = np.asarray(x)
    # no wider than the clip, beyond which the filter would see nothing but its ends
    reach = min(round(_frames(radius, frame_rate)), len(x))
    padded = np.pad(x, [(reach, reach)] + [(0, 0)] * (x.ndim - 1), mode="edge")
    if x.dtype != bool:
        return np.median(sliding_window_view(padded, 2 * reach + 1, axis=0), axis=-1).astype(x.dtype)
    counts = np.cumsum(np.concatenate([np.zeros_like(padded[:1]), padded]), axis=0, dtype=np.int64)
    return counts[2 * reach + 1 :] - counts[: len(x)] > reach
