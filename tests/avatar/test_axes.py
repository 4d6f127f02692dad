"""Conversions between axes undo themselves and keep what vectors and rotations mean to each other."""

import numpy as np
import pytest

from kinematch.avatar import axes
from kinematch.math import quaternion

VECTORS = np.random.default_rng(0).normal(size=(50, 3))
ROTATIONS = quaternion.normalize(np.random.default_rng(1).normal(size=(50, 4)))
PAIRS = [(axes.swap_webxr, axes.swap_webxr_rotations), (axes.swap_unity, axes.swap_unity_rotations)]


@pytest.mark.parametrize("pair", PAIRS)
def test_each_conversion_is_its_own_inverse(pair):
    assert np.array_equal(pair[0](pair[0](VECTORS)), VECTORS)
    assert np.array_equal(pair[1](pair[1](ROTATIONS)), ROTATIONS)


@pytest.mark.parametrize("pair", PAIRS)
def test_turning_and_converting_commute(pair):
    there = pair[0](quaternion.rotate(ROTATIONS, VECTORS))
    assert np.allclose(there, quaternion.rotate(pair[1](ROTATIONS), pair[0](VECTORS)))


def test_forward_left_and_up_of_each_system():
    assert axes.swap_webxr(np.array([0.0, 0, -1])).tolist() == [0, 0, 1]  # forward
    assert axes.swap_webxr(np.array([-1.0, 0, 0])).tolist() == [1, 0, 0]  # left
    assert axes.swap_unity(np.array([0.0, 0, 1])).tolist() == [0, 0, 1]
    assert axes.swap_unity(np.array([-1.0, 0, 0])).tolist() == [1, 0, 0]


def test_quaternions_convert_as_the_published_formulas_say():
    # from ours to Unity: q (x y z w) -> (x, -y, -z, w); from OpenXR to Unity: (-x, -y, z, w)
    w, x, y, z = np.moveaxis(ROTATIONS, -1, 0)
    assert np.allclose(axes.swap_unity_rotations(ROTATIONS), np.stack([w, x, -y, -z], -1))
    unity = axes.swap_unity_rotations(axes.swap_webxr_rotations(ROTATIONS))
    assert np.allclose(unity, np.stack([w, -x, -y, z], -1))
