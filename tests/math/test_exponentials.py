"""Exponentials agree with the system's library to a few units in the last place, compiled and as plain Python."""

import math

import numpy as np
import pytest
from scipy.special import exp2

from kinematch.compile.jit import kernel
from kinematch.math import exponentials

POINTS = np.concatenate([
    np.linspace(-700, 700, 4001), np.linspace(-1, 1, 4001), np.geomspace(1e-300, 1e-3, 500),
    -np.geomspace(1e-300, 1e-3, 500), [-1e300, -1e6, 1e6, math.inf, -math.inf],
])  # fmt: skip
EXPECTED = {
    exponentials.exp: np.exp, exponentials.expm1: np.expm1, exponentials.halve: lambda x: exp2(-x),
}  # fmt: skip


@kernel
def fill(points, out):
    for i in range(len(points)):
        out[i, 0] = exponentials.exp(points[i])
        out[i, 1] = exponentials.expm1(points[i])
        out[i, 2] = exponentials.halve(points[i])


@pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)
def test_exponentials_are_those_of_the_library(function):
    with np.errstate(over="ignore"):
        expected = EXPECTED[function](POINTS)
    found = np.array([function(x) for x in POINTS.tolist()])
    normal = (np.abs(expected) > 1e-300) & (np.abs(expected) < 1e300)
    np.testing.assert_array_max_ulp(found[normal], expected[normal], 4)
    assert math.isnan(function(math.nan))


def test_far_exponents_end_at_zero_and_infinity():
    assert [exponentials.exp(x) for x in (-1e6, 1e6)] == [0.0, math.inf]
    assert [exponentials.expm1(x) for x in (-1e6, 1e6)] == [-1.0, math.inf]
    assert [exponentials.halve(x) for x in (1e6, -1e6)] == [0.0, math.inf]


def test_compiled_exponentials_are_the_plain_ones():
    out = np.zeros((len(POINTS), 3))
    fill(POINTS, out)
    for column, function in enumerate(EXPECTED):
        plain = np.array([function(x) for x in POINTS.tolist()])
        np.testing.assert_allclose(out[:, column], plain, rtol=1e-15)  # multiply-add rounds once less
