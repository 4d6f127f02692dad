"""Filters: what they keep, what they remove, and clips shorter than their windows."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.math import quaternion as Q
from kinematch.math import smoothing as S
from kinematch.math.rotation import from_rotation_vector


def test_windows_are_times():
    assert [S.window_frames(31 / 60, rate) for rate in (60, 30, 20)] == [31, 15, 11]
    assert S.window_frames(0.0, 60) == 1


def test_savitzky_golay_keeps_cubics_and_removes_noise():
    t = np.linspace(0, 2, 121)[:, None]
    cubic = t**3 - 2 * t
    assert np.allclose(S.savitzky_golay(cubic, seconds=0.5, frame_rate=60), cubic, atol=1e-9)
    noise = np.random.default_rng(0).normal(size=(600, 1))
    assert S.savitzky_golay(noise, seconds=0.5, frame_rate=60).std() < 0.4 * noise.std()


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 30, 31])
def test_clips_shorter_than_the_window_are_survived(frames):
    x = np.random.default_rng(0).normal(size=(frames, 3)).astype(np.float32)
    smooth = S.savitzky_golay(x, seconds=31 / 60, frame_rate=60)
    assert smooth.shape == x.shape
    assert smooth.dtype == x.dtype
    assert np.isfinite(smooth).all()


def test_smoothed_rotations_stay_rotations_and_ignore_signs():
    q = from_rotation_vector(np.linspace([0, 0, 0], [0, 2, 0], 200))
    flipped = q * np.random.default_rng(0).choice([-1, 1], (200, 1))
    smooth = S.smooth_rotations(flipped, seconds=0.5, frame_rate=60)
    assert np.allclose(np.linalg.norm(smooth, axis=-1), 1)
    assert Q.angle(smooth, q).max() < 1e-3


def test_the_median_removes_flicker_and_keeps_steps():
    step = np.zeros((100, 2), bool)
    step[50:, 0] = True
    flicker = step.copy()
    flicker[[20, 70]] ^= True
    assert np.array_equal(S.median(flicker, radius=0.1, frame_rate=60), step)


@pytest.mark.parametrize("seconds", [1e9, 1e300])
def test_windows_far_longer_than_the_clip_take_no_memory(seconds):
    x = np.random.default_rng(0).normal(size=(40, 3))
    assert S.savitzky_golay(x, seconds=seconds, frame_rate=60).shape == x.shape
    assert S.median(x > 0, radius=seconds, frame_rate=60).shape == x.shape


@pytest.mark.parametrize("seconds", [-1.0, np.nan, np.inf])
def test_windows_that_are_no_times_are_refused(seconds):
    for smooth in (lambda x: S.savitzky_golay(x, seconds=seconds, frame_rate=60),
                   lambda x: S.median(x, radius=seconds, frame_rate=60)):  # fmt: skip
        with pytest.raises(KinematchError, match="expected zero or more"):
            smooth(np.zeros((40, 3)))


@pytest.mark.parametrize("frames", [5, 8, 31, 62, 400])
@pytest.mark.parametrize("window", [5, 7, 31, 61])
def test_savitzky_golay_is_that_of_scipy(frames, window):
    from scipy.signal import savgol_filter

    x = np.random.default_rng(frames).normal(size=(frames, 2, 3)).cumsum(axis=0)
    shorter = min(window, frames - 1 + frames % 2)
    expected = savgol_filter(x, shorter, 3, axis=0, mode="interp")
    np.testing.assert_allclose(S.savitzky_golay(x, seconds=window / 60, frame_rate=60), expected, atol=1e-12)


@pytest.mark.parametrize("frames", [1, 2, 9, 100])
@pytest.mark.parametrize("radius", [0, 1, 6, 50])
def test_the_median_is_that_of_scipy_for_flags_and_for_numbers(frames, radius):
    from scipy.ndimage import median_filter

    x = np.random.default_rng(frames).normal(size=(frames, 2))
    size = (2 * min(radius, frames) + 1, 1)
    expected = median_filter(x, size=size, mode="nearest")
    np.testing.assert_array_equal(S.median(x, radius=radius / 60, frame_rate=60), expected)
    expected = median_filter((x > 0).astype(np.uint8), size=size, mode="nearest").astype(bool)
    np.testing.assert_array_equal(S.median(x > 0, radius=radius / 60, frame_rate=60), expected)
