"""Feet: what made motions are known to do is what is measured."""

import numpy as np
import pytest

from kinematch.evaluate.feet import BAND, Floor, feet, floor_of

RATE = 60.0
FLOOR = Floor(np.array([1, 2]), np.array([0.02, 0.02]))


def motion(seconds: float = 2.0) -> np.ndarray:
    """A root and two toes at rest (T, 3, 3)."""
    positions = np.zeros((round(seconds * RATE), 3, 3))
    positions[:, 1:, 1] = 0.02
    return positions


def test_a_toe_that_slides_at_5_cm_a_second_scores_5_cm_a_second():
    positions = motion()
    times = np.arange(len(positions)) / RATE
    positions[:, 1, 0] = positions[:, 2, 2] = 0.05 * times
    found = feet(positions, RATE, FLOOR)
    np.testing.assert_allclose(found.speeds, 0.05, rtol=1e-9)
    np.testing.assert_allclose(found.drifts, 0.05 * times[-1], rtol=1e-9)
    assert found.contact.all()


def test_toes_at_rest_do_not_skate_however_fast_the_root_moves():
    positions = motion()
    positions[:, 0, 2] = 3.0 * np.arange(len(positions)) / RATE
    found = feet(positions, RATE, FLOOR)
    assert found.speeds.max() == found.drifts.max() == 0


def test_a_lifted_toe_is_not_in_contact_and_its_speed_counts_for_nothing():
    positions = motion()
    positions[:, 1, 1] += BAND + 0.001
    positions[:, 1, 0] = 4.0 * np.arange(len(positions)) / RATE
    found = feet(positions, RATE, FLOOR)
    assert not found.contact[:, 0].any()
    assert found.contact[:, 1].all()
    assert found.speeds.max() == 0


def test_a_toe_that_only_passes_the_floor_swings():
    positions = motion()
    positions[:, 1, 1] += 0.1
    positions[30:34, 1, 1] = 0.02
    assert not feet(positions, RATE, FLOOR).contact[:, 0].any()
    positions[30:42, 1, 1] = 0.02
    assert feet(positions, RATE, FLOOR).contact[:, 0].sum() == 12


def test_depth_and_float_are_told_from_the_resting_height():
    positions = motion()
    positions[:, 1:, 1] -= 0.03
    sunk = feet(positions, RATE, FLOOR)
    assert sunk.depths == pytest.approx(0.03)
    assert sunk.gaps == pytest.approx(0.0)
    positions[:, 1:, 1] += [0.07, 0.08]
    assert feet(positions, RATE, FLOOR).gaps == pytest.approx(0.04)


def test_on_a_slope_heights_count_from_the_ground_below():
    positions = motion()
    positions[:, 1:, 1] += 0.5
    assert not feet(positions, RATE, FLOOR).contact.any()
    assert feet(positions, RATE, FLOOR, np.full((len(positions), 2), 0.5)).contact.all()


def test_the_resting_height_is_where_toes_are_most_of_the_time():
    positions = motion()
    positions[: len(positions) // 3, 1, 1] = 0.2  # a third of the time in the air
    assert floor_of([positions], np.array([1, 2])).rest == pytest.approx(0.02)
