"""Time offset: the delay of a camera is found by how points speed up and slow down."""

import numpy as np
import pytest

from kinematch.camera.history import TimedRows
from kinematch.camera.time_offset import TimeOffset, refine_peak


def wave(times):
    """Three points (F, 3, 3) that swing at their own pace."""
    phase = times[:, None] * np.array([2.1, 3.3, 4.7]) + np.sin(times)[:, None]
    return np.stack([0.3 * np.sin(phase), 0.1 * np.cos(phase), 0.2 * np.sin(2 * phase)], axis=-1)


@pytest.mark.parametrize("lag", [0.0, 0.07, 0.16])
def test_a_lag_is_found_within_a_frame(lag):
    times, pictures = np.arange(0, 8, 1 / 60), np.arange(0.5, 7.9, 1 / 20)
    offset, rng = TimeOffset(), np.random.default_rng(0)
    places = wave(pictures - lag) + rng.normal(0, 0.01, (len(pictures), 3, 3))
    for _ in range(20):
        offset.update(pictures, places, np.ones((len(pictures), 3)), times, wave(times))
    assert offset.seconds == pytest.approx(lag, abs=0.02)


def test_somebody_who_stands_still_says_nothing():
    times = np.arange(0, 8, 1 / 60)
    offset = TimeOffset(0.13)
    still = np.random.default_rng(0).normal(0, 1e-3, (len(times), 3, 3))
    offset.update(times[::3], still[::3], np.ones((len(times[::3]), 3)), times, np.zeros((len(times), 3, 3)))
    assert offset.seconds == 0.13


def test_the_top_of_a_parabola_lies_between_its_samples():
    offsets = np.arange(-0.1, 0.41, 0.01)
    assert refine_peak(offsets, 1 - (offsets - 0.123) ** 2) == pytest.approx(0.123)


def test_a_history_is_read_between_samples_and_forgets_when_the_clock_goes_back():
    history = TimedRows(1)
    for time in np.arange(0, 30, 0.01):
        history.append(time, np.array([2 * time]))
    assert history.at(25.005)[0] == pytest.approx(50.01)
    assert history.at(99)[0] == pytest.approx(2 * 29.99)
    assert history.times[0] >= 20
    history.append(3.0, np.array([1.0]))
    assert history.at(25)[0] == 1
