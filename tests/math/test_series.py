"""Series for angles, rotation vectors and exponentials: scipy's and numpy's functions, in Python and in kernels."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from kinematch.compile.indexing import consecutive, lane_count
from kinematch.compile.jit import inner, kernel
from kinematch.math.series import (
    exp_negative,
    find_angular_velocity,
    find_rotation_between,
    find_vector_rate,
    find_yaw,
    from_rotation_vector,
    nlerp,
    rotate_about_y,
    to_rotation_vector,
    wrap_angle,
)
from kinematch.math.vectors import Quaternion, Vector, quaternion, vector


def as_quaternion(rotation: Rotation) -> Quaternion:
    return Quaternion(*rotation.as_quat(scalar_first=True).T)


def as_rotation(q: Quaternion) -> Rotation:
    return Rotation.from_quat(np.stack(q, axis=-1), scalar_first=True)


def make_vectors(size: float, count: int = 50) -> np.ndarray:
    directions = np.random.default_rng(0).normal(size=(count, 3))
    return size * directions / np.linalg.norm(directions, axis=1, keepdims=True)


@pytest.mark.parametrize("size", [0.0, 1e-13, 1e-8, 1e-3, 1.0, 3.1, 4.7])
def test_rotation_vectors_are_those_of_scipy(size):
    for v in make_vectors(size):
        there = from_rotation_vector(Vector(*v))
        near = 1e-9 if size < np.pi else 1e-7
        assert (as_rotation(there) * Rotation.from_rotvec(v).inv()).magnitude() < near
        assert np.linalg.norm(there) == pytest.approx(1, abs=near)
        back, sign = to_rotation_vector(there), to_rotation_vector(Quaternion(*(-part for part in there)))
        np.testing.assert_allclose(back, Rotation.from_rotvec(v).as_rotvec(), atol=10 * near)
        np.testing.assert_allclose(back, sign, atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-4, 0.3, 2.0, 4.0])
def test_the_rate_of_a_rotation_vector_and_the_angular_velocity_are_each_others_inverse(size):
    """And the angular velocity is the derivative of scipy's rotation."""
    rates, dt = np.random.default_rng(1).normal(size=(50, 3)), 1e-6
    for v, rate in zip(make_vectors(size), rates):
        spin = find_angular_velocity(Vector(*v), Vector(*rate))
        ahead, behind = (Rotation.from_rotvec(v + sign * dt * rate) for sign in (1, -1))
        np.testing.assert_allclose(spin, (ahead * behind.inv()).as_rotvec() / (2 * dt), atol=1e-7)
        np.testing.assert_allclose(find_vector_rate(Vector(*v), spin), rate, atol=1e-7)


def test_between_two_rotations_lies_the_shorter_arc():
    rng = np.random.default_rng(2)
    for p, q in zip(Rotation.random(40, rng=rng), Rotation.random(40, rng=rng)):
        for sign in (1, -1):
            other = Quaternion(*(sign * part for part in as_quaternion(q)))
            middle = as_rotation(nlerp(as_quaternion(p), other, 0.5))
            assert (middle.inv() * Slerp([0, 1], Rotation.concatenate([p, q]))(0.5)).magnitude() < 1e-7
            for t in (0.0, 0.3, 1.0):
                found = as_rotation(nlerp(as_quaternion(p), other, t))
                away, left = (p.inv() * found).magnitude(), (found.inv() * q).magnitude()
                assert away + left == pytest.approx((p.inv() * q).magnitude(), abs=1e-6)
                assert away < 1e-6 or t > 0
                assert left < 1e-6 or t < 1


def test_yaws_are_those_of_the_library():
    yaws = np.concatenate([np.linspace(-math.pi, math.pi, 2001), math.pi / 4 * np.arange(-4, 5)])
    x, z = np.sin(yaws), np.cos(yaws)
    for size in (1e-6, 1.0, 1e6):
        found = [find_yaw(*pair) for pair in zip(size * x, size * z)]
        np.testing.assert_allclose(found, np.arctan2(size * x, size * z), atol=1e-10)
    assert math.isfinite(find_yaw(0.0, 0.0))


def test_angles_are_wrapped_into_one_turn_and_stay_the_same_direction():
    angles = np.concatenate([np.random.default_rng(3).uniform(-50, 50, 500), math.pi * np.arange(-5, 6)])
    wrapped = np.array([wrap_angle(angle) for angle in angles])
    assert (abs(wrapped) <= math.pi + 1e-9).all()
    np.testing.assert_allclose(np.exp(1j * wrapped), np.exp(1j * angles), atol=1e-12)


def test_ground_vectors_turn_as_scipy_turns_them():
    rng = np.random.default_rng(4)
    for (x, z), yaw in zip(rng.normal(size=(100, 2)), rng.uniform(-20, 20, 100)):
        expected = Rotation.from_rotvec([0, yaw, 0]).apply([x, 0, z])
        np.testing.assert_allclose(rotate_about_y(x, z, yaw), expected[[0, 2]], atol=1e-9)


def test_what_fades_is_the_exponential_and_never_rises():
    """Python's floats, since numpy's warn where they overflow."""
    x = np.concatenate([[0, 1e-6, 0.01, 0.1], np.linspace(0.2, 60, 500), [1e8]])
    found = np.array([exp_negative(one) for one in x.tolist()])
    np.testing.assert_allclose(found, np.exp(-x), atol=2e-7)
    np.testing.assert_allclose(found[:4], np.exp(-x[:4]), atol=1e-13)
    assert (np.diff(found) < 0).all()


def test_the_rotation_between_two_vectors_is_the_shortest():
    rng = np.random.default_rng(5)
    for a, b in rng.normal(size=(50, 2, 3)) * rng.uniform(0.1, 10, (50, 1, 1)):
        turn = as_rotation(find_rotation_between(Vector(*a), Vector(*b)))
        np.testing.assert_allclose(np.cross(turn.apply(a), b), 0, atol=1e-9 * np.linalg.norm(a) * np.linalg.norm(b))
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        assert turn.apply(a) @ b > 0
        assert turn.magnitude() == pytest.approx(math.acos(np.clip(cosine, -1, 1)), abs=1e-7)
    for a in (Vector(1.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0)):
        np.testing.assert_array_equal(find_rotation_between(a, -a), [1, 0, 0, 0])


RESULTS = 16


@inner
def compute(a, b, v, w, out, i):
    p, q, x, y = quaternion(a[i]), quaternion(b[i]), vector(v[i]), vector(w[i])
    middle, between = nlerp(p, q, 0.3), find_rotation_between(x, y)
    turned, back = from_rotation_vector(x), to_rotation_vector(p)
    spin, rate = find_angular_velocity(x, y), find_vector_rate(x, y)
    out[0][i] = middle.w
    out[1][i] = middle.z
    out[2][i] = between.w
    out[3][i] = between.y
    out[4][i] = turned.w
    out[5][i] = turned.x
    out[6][i] = back.x
    out[7][i] = back.z
    out[8][i] = spin.x
    out[9][i] = spin.z
    out[10][i] = rate.y
    out[11][i] = find_yaw(x.x, x.z)
    out[12][i] = wrap_angle(9.0 * x.x)
    ahead, aside = rotate_about_y(x.x, x.z, 5.0 * y.y)
    out[13][i] = ahead
    out[14][i] = aside
    out[15][i] = exp_negative(y.x * y.x)


@kernel(counting=False)
def compute_ones(a, b, v, w, out):
    for i in range(a.shape[0]):
        compute(a, b, v, w, out, i)


@kernel(counting=False)
def compute_lanes(a, b, v, w, out):
    for i in range(0, a.shape[0], lane_count()):
        compute(a, b, v, w, out, consecutive(i, a.shape[0]))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_kernels_for_one_and_for_eight_compute_what_python_does(kind):
    count, rng = 37, np.random.default_rng(6)
    a, b = (Rotation.random(count, rng=rng).as_quat(scalar_first=True).astype(kind) for _ in range(2))
    v, w = rng.normal(size=(2, count, 3)).astype(kind)
    exact, plain, ones, lanes = (np.full((RESULTS, count), np.nan, one) for one in (np.float64, kind, kind, kind))
    for i in range(count):
        compute(*(one.astype(np.float64) for one in (a, b, v, w)), exact, i)
        compute(a, b, v, w, plain, i)
    compute_ones(a, b, v, w, ones)
    compute_lanes(a, b, v, w, lanes)
    for found in (plain, ones, lanes):
        np.testing.assert_allclose(found, exact, atol=1e-5 if kind is np.float32 else 1e-12)
