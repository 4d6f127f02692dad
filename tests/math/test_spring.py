"""Springs: exact in dt, true to the differential equation, half-lives that mean half."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from kinematch.math.spring import decay, omega, spring, velocity_spring

numbers = st.floats(-10, 10)
halflives = st.floats(0.01, 2)
times = st.floats(0, 2)


@given(numbers, numbers, numbers, halflives, times, times)
def test_two_steps_equal_one_long_step(x, v, target, halflife, first, second):
    once = spring(x, v, target, halflife=halflife, dt=first + second)
    twice = spring(*spring(x, v, target, halflife=halflife, dt=first), target, halflife=halflife, dt=second)
    assert np.allclose(once, twice, atol=1e-9)


@given(numbers, numbers, numbers, numbers, halflives, times, times)
def test_the_velocity_spring_does_not_depend_on_the_step(x, v, a, desired, halflife, first, second):
    options = {"desired": desired, "halflife": halflife}
    once = velocity_spring(x, v, a, dt=first + second, **options)
    twice = velocity_spring(*velocity_spring(x, v, a, dt=first, **options), dt=second, **options)
    assert np.allclose(once, twice, atol=1e-8)


def test_the_springs_solve_their_differential_equations():
    w = float(omega(0.2))
    free = solve_ivp(lambda t, y: [y[1], w * w * (3 - y[0]) - 2 * w * y[1]], (0, 0.7), [1, -4], rtol=1e-11, atol=1e-11)
    assert np.allclose(spring(1.0, -4.0, 3.0, halflife=0.2, dt=0.7), free.y[:, -1], atol=1e-8)
    driven = solve_ivp(
        lambda t, y: [y[1], y[2], w * w * (3 - y[1]) - 2 * w * y[2]], (0, 0.7), [1, -4, 2], rtol=1e-11, atol=1e-11
    )
    result = velocity_spring(1.0, -4.0, 2.0, desired=3.0, halflife=0.2, dt=0.7)
    assert np.allclose(result, driven.y[:, -1], atol=1e-8)


@given(numbers, numbers, halflives)
def test_half_of_the_way_is_gone_in_a_half_life(x, target, halflife):
    assert np.isclose(decay(x, target, halflife, halflife), (x + target) / 2)
    assert np.isclose(spring(x, 0.0, target, halflife=halflife, dt=halflife)[0], (x + target) / 2)


def test_no_time_changes_nothing():
    assert np.array_equal(spring(1.0, 2.0, 3.0, halflife=0.1, dt=0.0), (1, 2))
    assert np.array_equal(velocity_spring(1.0, 2.0, 3.0, desired=4.0, halflife=0.1, dt=0.0), (1, 2, 3))


def test_a_half_life_of_zero_is_there_at_once():
    assert np.array_equal(spring(1.0, 2.0, 3.0, halflife=0.0, dt=0.1), (3, 0))
    assert decay(1.0, 3.0, 0.0, 0.1) == 3
    assert np.allclose(velocity_spring(1.0, 2.0, 5.0, desired=3.0, halflife=0.0, dt=0.1), (1.3, 3, 0))


def test_a_long_pause_ends_at_the_target():
    assert np.allclose(spring(1.0, 2.0, 3.0, halflife=0.1, dt=1e6), (3, 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_and_types_are_kept(dtype):
    x = np.ones((4, 1, 3), dtype)
    times = np.array([0.1, 0.2])[:, None]
    for result in (*spring(x, x, 0 * x, halflife=0.1, dt=times), decay(x, 0 * x, 0.1, times)):
        assert result.dtype == dtype
        assert result.shape == (4, 2, 3)
