"""Conversions: there and back again, and the same as scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from kinematch.files import kernels
from kinematch.math import quaternion as Q
from kinematch.math import rotation as R

ORDERS = ["".join(o) for o in itertools.product("XYZ", repeat=3) if o[0] != o[1] and o[1] != o[2]]
angles = arrays(np.float64, (3,), elements=st.floats(-7, 7))


@given(arrays(np.float64, (3,), elements=st.floats(-3.1, 3.1)))
def test_rotation_vectors_come_back(v):
    if np.linalg.norm(v) > np.pi - 1e-6:
        return
    assert np.allclose(R.to_rotation_vector(R.from_rotation_vector(v)), v, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [0.0, 1e-30, 1e-20, 1e-8, 1e-4])
def test_small_rotation_vectors_are_exact(dtype, size):
    v = np.array([size, -2 * size, 0], dtype)
    assert np.allclose(R.to_rotation_vector(R.from_rotation_vector(v)), v, rtol=4 * np.finfo(dtype).eps, atol=0)


def test_the_rate_of_a_rotation_vector_and_the_angular_velocity_belong_together():
    """By small steps of the vector itself: the rotation on the left of it that leads from one to the next."""
    rng = np.random.default_rng(0)
    v, rate, dt = rng.uniform(-1.7, 1.7, (500, 3)), rng.normal(size=(500, 3)) * 5, 1e-6
    v[:3], v[3:6] = 0.0, v[3:6] * 1e-5
    step = Q.multiply(R.from_rotation_vector(v + rate * dt), Q.inverse(R.from_rotation_vector(v)))
    spin = R.find_angular_velocity(v, rate)
    assert np.allclose(spin, R.to_rotation_vector(step) / dt, atol=1e-4)
    assert np.allclose(R.find_vector_rate(v, spin), rate, atol=1e-10)


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-6])
def test_rotation_vectors_near_half_a_turn_are_exact(gap):
    v = np.array([1.0, 2, -2]) / 3 * (np.pi - gap)
    back = R.to_rotation_vector(R.from_rotation_vector(v))
    assert min(np.abs(back - v).max(), np.abs(back + v).max() if gap == 0 else 1) < 1e-12


def test_rotation_vectors_and_matrices_match_scipy():
    s = Rotation.random(1000, random_state=0)
    q = s.as_quat(scalar_first=True)
    assert np.allclose(R.to_rotation_vector(q), s.as_rotvec(), atol=1e-12)
    assert np.allclose(R.to_matrix(q), s.as_matrix(), atol=1e-14)
    assert Q.angle(R.from_matrix(s.as_matrix()), q).max() < 1e-12


@pytest.mark.parametrize("axis", range(3))
def test_half_turn_matrices_convert_exactly(axis):
    m = -np.eye(3)
    m[axis, axis] = 1
    assert np.allclose(np.abs(R.from_matrix(m)), np.eye(4)[1 + axis])


@given(angles)
def test_two_axis_form_comes_back_also_from_rough_axes(e):
    q = R.from_euler(e, "XYZ")
    six = R.to_two_axis(q)
    assert Q.angle(R.from_two_axis(six), q) < 1e-7
    rough = np.concatenate([3 * six[:3], 2 * six[3:] + 0.5 * six[:3]])
    assert Q.angle(R.from_two_axis(rough), q) < 1e-7


@pytest.mark.parametrize("order", ORDERS)
@given(angles)
def test_euler_angles_of_every_order_match_scipy_and_come_back(order, e):
    q = R.from_euler(e, order)
    assert Q.angle(q, Rotation.from_euler(order, e).as_quat(scalar_first=True)) < 1e-12
    assert Q.angle(R.from_euler(R.to_euler(q, order), order), q) < 1e-7


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [0.0, 1e-9, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi])
def test_euler_angles_survive_gimbal_lock(order, middle):
    q = R.from_euler([0.4, middle, -1.1], order)
    assert Q.angle(R.from_euler(R.to_euler(q, order), order), q) < 1e-7


@pytest.mark.parametrize("order", ["XX", "XXY", "ABC", "", "XYZX"])
def test_orders_that_do_not_exist_are_refused(order):
    with pytest.raises(ValueError, match="no Euler order"):
        R.from_euler([0, 0, 0], order)


def test_the_compiled_twin_equals_the_plain_function():
    rng = np.random.default_rng(0)
    e = rng.uniform(-7, 7, (40, len(ORDERS), 3))
    axes = np.array([["XYZ".index(letter) for letter in order] for order in ORDERS])
    expected = np.stack([R.from_euler(e[:, j], order) for j, order in enumerate(ORDERS)], axis=1)
    assert np.allclose(kernels.euler_to_quaternions(e, axes), expected, atol=1e-14)
