"""The shortest way between two segments, against a plain computation over many points."""

import numpy as np
import pytest

from kinematch.evaluate.legs import measure_distances
from kinematch.math.segments import find_gap
from kinematch.math.vectors import Vector, length, vector


def test_gaps_between_segments_are_the_shortest():
    points = np.random.default_rng(3).normal(size=(4, 40, 3))
    expected = measure_distances(*points)
    for row in range(40):
        gap = find_gap(*(vector(points[k, row]) for k in range(4)))
        assert length(gap) == pytest.approx(expected[row], abs=1e-9)


def test_segments_that_touch_at_their_ends_have_no_gap():
    a, b, c = Vector(0.0, 0.0, 0.0), Vector(1.0, 0.0, 0.0), Vector(1.0, 1.0, 0.0)
    assert length(find_gap(a, b, b, c)) == pytest.approx(0.0, abs=1e-12)
    assert length(find_gap(a, a, c, c)) == pytest.approx(2**0.5)  # feet without a length
