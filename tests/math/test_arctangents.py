"""The arctangent of our own is that of the C library, to rounding."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematch.math.arctangents import arctan2

NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False)


@given(NUMBERS, NUMBERS)
def test_it_is_that_of_the_c_library(y, x):
    expected = 0.0 if x == y == 0 else math.atan2(y, x)
    assert arctan2(y, x) == pytest.approx(expected, abs=1e-300, rel=1e-15)


@pytest.mark.parametrize("x", [0.0, 1.0, -1.0, -0.0])
@pytest.mark.parametrize("y", [0.0, 1.0, -1.0])
def test_axes_and_diagonals_are_exact_to_rounding(x, y):
    expected = 0.0 if x == y == 0 else math.atan2(y, x + 0.0)
    assert arctan2(y, x) == pytest.approx(expected, abs=1e-16)
