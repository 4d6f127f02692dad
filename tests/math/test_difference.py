"""Finite differences: exact where the motion is simple, finite where it is short."""

import numpy as np
import pytest

from kinematch.math import difference as D
from kinematch.math.quaternion import multiply
from kinematch.math.rotation import from_rotation_vector


def test_constant_velocity_is_found_everywhere():
    x = np.arange(10)[:, None] * np.array([[0.1, -0.2, 0.3]])
    for rate in (D.backward(x, 0.1), D.central(x, 0.1)):
        assert np.allclose(rate, [1, -2, 3])


def test_central_differences_are_exact_for_parabolas_inside():
    t = np.arange(20) * 0.05
    assert np.allclose(D.central(t[:, None] ** 2, 0.05)[1:-1, 0], 2 * t[1:-1])
    assert np.allclose(D.backward(t[:, None] ** 2, 0.05)[1:, 0], 2 * t[1:] - 0.05)


@pytest.mark.parametrize("speed", [0.5, 20.0])
def test_constant_turning_is_found_everywhere_whatever_the_signs(speed):
    rate = speed * np.array([0.6, 0.0, 0.8])
    q = multiply(from_rotation_vector(np.arange(30)[:, None] * 0.1 * rate), from_rotation_vector(np.array([1.0, 2, 3])))
    q[::3] *= -1
    for found in (D.angular_backward(q, 0.1), D.angular_central(q, 0.1)):
        assert np.allclose(found, rate, atol=1e-9)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_short_clips_have_finite_rates(frames):
    x, q = np.random.default_rng(0).normal(size=(frames, 2, 3)), np.tile([1.0, 0, 0, 0], (frames, 2, 1))
    for found in (D.backward(x, 0.1), D.central(x, 0.1), D.angular_backward(q, 0.1), D.angular_central(q, 0.1)):
        assert found.shape == (frames, 2, 3)
        assert np.isfinite(found).all()
