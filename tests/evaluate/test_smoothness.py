"""Smoothness: accelerations in closed form, and pops that are put in by hand."""

import numpy as np
import pytest

from kinematch.evaluate.smoothness import accelerations, exceeding, excess, jerks, limits_of, peaks_at, pops

RATE = 60.0
TIMES = np.arange(240) / RATE


def swinging(size: float = 0.2) -> np.ndarray:
    """A root that stands and a joint that swings once a second (T, 2, 3)."""
    positions = np.zeros((len(TIMES), 2, 3))
    positions[:, 1, 0] = size * np.sin(2 * np.pi * TIMES)
    return positions


def test_steady_acceleration_and_jerk_are_measured_exactly():
    positions = np.zeros((len(TIMES), 2, 3))
    positions[:, 1, 2] = 0.5 * 3.0 * TIMES**2
    np.testing.assert_allclose(accelerations(positions, RATE)[1:-1, 1], 3.0, rtol=1e-6)
    positions[:, 1, 2] = TIMES**3 / 6 * 5.0
    np.testing.assert_allclose(jerks(positions, RATE)[2:-2, 1], 5.0, rtol=1e-5)


@pytest.mark.parametrize("rate", [60.0, 120.0, 240.0])
def test_rates_from_sixty_on_measure_alike(rate):
    times = np.arange(round(4 * rate)) / rate
    positions = np.zeros((len(times), 1, 3))
    positions[:, 0, 0] = 0.2 * np.sin(2 * np.pi * times)
    assert accelerations(positions, rate).max() == pytest.approx(0.2 * (2 * np.pi) ** 2, rel=0.005)


def test_the_source_is_as_rough_as_itself():
    source = swinging()
    limits = limits_of([source], RATE)
    assert exceeding(source, RATE, limits).mean() <= 0.005
    assert excess(source, RATE, limits).max() == pytest.approx(1.0)
    assert pops(excess(source, RATE, limits), RATE) == []


def test_every_pop_is_counted_once():
    limits = limits_of([swinging()], RATE)
    broken = swinging()
    for frame in (60, 150):
        broken[frame:, 1, 1] += 0.02  # 2 cm at once: 72 m/s^2 where 7.9 is usual
    found = pops(excess(broken, RATE, limits), RATE)
    assert len(found) == 2
    assert all(start <= frame <= stop for (start, stop), frame in zip(found, (60, 150)))


def test_the_root_is_not_seen():
    limits = limits_of([swinging()], RATE)
    broken = swinging()
    broken[100:, 0, 0] += 5.0
    assert excess(broken, RATE, limits).max() == pytest.approx(1.0)


def test_peaks_belong_to_the_quarter_second_after_a_jump():
    values = np.zeros((120, 2))
    values[30], values[80] = 2.0, 9.0
    assert peaks_at(np.array([28, 50]), values, RATE).tolist() == [2.0, 0.0]
