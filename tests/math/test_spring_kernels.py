"""Springs of kernels: true to their differential equations, the same for any split of the time."""

import numpy as np
import pytest
from scipy.linalg import expm

from kinematch.math.spring_kernels import (
    find_remaining,
    make_spring,
    move_spring,
    move_velocity_spring,
    settle_spring,
)
from kinematch.math.vectors import Vector

RNG = np.random.default_rng(0)
STARTS = RNG.normal(size=(20, 3)) * 3
TIMES = [(0.05, 0.001), (0.1, 1 / 60), (0.4, 0.5), (1.5, 0.3), (0.02, 3.0)]  # s: half-life and step


@pytest.mark.parametrize(("halflife", "dt"), TIMES)
def test_a_spring_solves_its_differential_equation(halflife, dt):
    by = make_spring(halflife, dt)
    system = np.array([[0, 1], [-(by.w**2), -2 * by.w]])
    for x, v, _ in STARTS:
        np.testing.assert_allclose(move_spring(x, v, by), expm(system * dt) @ [x, v], atol=1e-10)
    assert move_spring(1.0, 0.0, make_spring(halflife, halflife))[0] == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(("halflife", "dt"), TIMES)
def test_a_velocity_spring_solves_its_differential_equation(halflife, dt):
    """Of a place, its velocity and acceleration, drawn to a desired velocity, which is the fourth number."""
    by, desired = make_spring(halflife, dt), -0.7
    w = by.w
    system = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, -w * w, -2 * w, w * w], [0, 0, 0, 0]])
    for v, a, _ in STARTS:
        expected = expm(system * dt) @ [0, v, a, desired]
        np.testing.assert_allclose(move_velocity_spring(v, a, desired, by), expected[:3], atol=1e-9)


@pytest.mark.parametrize(("halflife", "dt"), TIMES)
def test_a_step_split_in_two_leads_to_the_same_place(halflife, dt):
    whole, first, second = (make_spring(halflife, share * dt) for share in (1.0, 0.3, 0.7))
    for x, v, desired in STARTS:
        np.testing.assert_allclose(move_spring(*move_spring(x, v, first), second), move_spring(x, v, whole), atol=1e-12)
        shift, *between = move_velocity_spring(x, v, desired, first)
        rest, *after = move_velocity_spring(*between, desired, second)
        np.testing.assert_allclose([shift + rest, *after], move_velocity_spring(x, v, desired, whole), atol=1e-12)


def test_the_numbers_of_a_vector_move_by_themselves():
    by, (x, v, _) = make_spring(0.2, 0.05), STARTS[:3]
    together = move_spring(Vector(*x), Vector(*v), by)
    np.testing.assert_array_equal(np.transpose(together), [move_spring(*pair, by) for pair in zip(x, v)])


def test_a_spring_that_has_come_to_rest_is_exactly_at_rest_and_nan_stays_nan():
    by = make_spring(0.1, 1 / 60)
    assert settle_spring(1e-16, 1e-17, by) == (0.0, 0.0)
    assert settle_spring(1e-3, 0.0, by) == move_spring(1e-3, 0.0, by)
    assert np.isnan(settle_spring(np.nan, 0.0, by)).all()


def test_half_of_a_gap_remains_after_a_half_life_and_all_without_one():
    assert find_remaining(0.2, 0.2) == 0.5
    assert find_remaining(0.2, 0.05) * find_remaining(0.2, 0.15) == pytest.approx(0.5)
    assert find_remaining(0.0, 0.2) == 1.0
