"""The group laws of rotations, with scipy as the oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from kinematch.math import quaternion as Q
from kinematch.math import rotation as R

normal = st.floats(-1, 1, allow_subnormal=False)  # below, numbers have hardly any digits left
unit_quaternions = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(4)), elements=normal).map(Q.normalize)
vectors = arrays(np.float64, (3,), elements=st.floats(-100, 100))


def to_scipy(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def random_quaternions(count: int, seed: int = 0, dtype: type = np.float64) -> np.ndarray:
    return Q.normalize(np.random.default_rng(seed).normal(size=(count, 4))).astype(dtype)


@given(unit_quaternions)
def test_a_rotation_times_its_inverse_is_the_identity(q):
    assert Q.angle(Q.multiply(q, Q.inverse(q))).max() < 1e-12


@given(unit_quaternions, vectors)
def test_products_act_like_rotations_in_turn(q, v):
    p = random_quaternions(1, 3)
    assert np.allclose(Q.rotate(Q.multiply(p, q), v), Q.rotate(p, Q.rotate(q, v)), atol=1e-10)


def test_products_are_associative_and_match_scipy():
    a, b, c = (random_quaternions(500, s) for s in (1, 2, 3))
    left, right = Q.multiply(Q.multiply(a, b), c), Q.multiply(a, Q.multiply(b, c))
    assert np.allclose(left, right, atol=1e-14)
    assert Q.angle(left, (to_scipy(a) * to_scipy(b) * to_scipy(c)).as_quat(scalar_first=True)).max() < 1e-12


@given(unit_quaternions, vectors)
def test_turning_a_vector_keeps_its_length_and_matches_scipy(q, v):
    turned = Q.rotate(q, v)
    assert np.allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(v), atol=1e-10)
    assert np.allclose(turned, to_scipy(q).apply(v), atol=1e-10)


def test_batches_of_any_shape_broadcast():
    q, v = random_quaternions(6).reshape(2, 3, 1, 4), np.ones((5, 3))
    assert Q.rotate(q, v).shape == (2, 3, 5, 3)
    assert Q.multiply(q, Q.identity((5,))).shape == (2, 3, 5, 4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_floating_type_is_kept(dtype):
    q = random_quaternions(5, dtype=dtype)
    v = np.ones((5, 3), dtype)
    results = [Q.multiply(q, q), Q.inverse(q), Q.rotate(q, v), Q.normalize(q), Q.unroll(q), Q.nearest(q, -q)]
    results += [Q.between(v, v), Q.look_rotation(v), *Q.swing_twist(q, (0, 1, 0)), Q.slerp(q, q[::-1], 0.3), Q.unit(v)]
    results += [R.to_matrix(q), R.from_matrix(R.to_matrix(q)), R.to_rotation_vector(q), R.from_rotation_vector(v)]
    results += [R.to_two_axis(q), R.from_two_axis(R.to_two_axis(q)), R.to_euler(q, "ZYX"), R.from_euler(v, "XYX")]
    results += [R.from_axis_angle(v, v[:, 0])]
    assert {r.dtype for r in results} == {np.dtype(dtype)}


def test_unrolling_changes_signs_only_and_leaves_no_jump():
    smooth = R.from_rotation_vector(np.linspace([0, 0, 0], [0, 9, 1], 200))
    flipped = smooth * np.random.default_rng(0).choice([-1, 1], (200, 1))
    unrolled = Q.unroll(flipped)
    assert (Q.dot(unrolled[1:], unrolled[:-1]) > 0).all()
    assert np.allclose(np.abs(unrolled), np.abs(flipped))


def test_unrolling_one_frame_or_none_is_harmless():
    assert Q.unroll(np.ones((1, 2, 4))).shape == (1, 2, 4)
    assert Q.unroll(np.ones((0, 2, 4))).shape == (0, 2, 4)


@given(unit_quaternions, st.floats(0, 1))
def test_interpolation_moves_along_the_shorter_arc_at_constant_speed(q, t):
    p = random_quaternions(1, 7)
    assert np.allclose(Q.angle(Q.slerp(p, q, t), p), t * Q.angle(p, q), atol=1e-7)
    assert Q.angle(Q.slerp(p, q, 1.0), q).max() < 1e-7


def test_interpolation_matches_scipy():
    from scipy.spatial.transform import Slerp

    a, b = random_quaternions(2, 11)
    times = np.linspace(0, 1, 13)
    expected = Slerp([0, 1], to_scipy(np.stack([a, b])))(times).as_quat(scalar_first=True)
    assert Q.angle(Q.slerp(a, b, times), expected).max() < 1e-12


@given(vectors, vectors)
def test_between_takes_one_direction_to_the_other(u, v):
    if np.linalg.norm(u) < 1e-6 or np.linalg.norm(v) < 1e-6:
        return
    assert np.allclose(Q.rotate(Q.between(u, v), Q.unit(u)), Q.unit(v), atol=1e-6)


@pytest.mark.parametrize("axis", np.vstack([np.eye(3), [[1, 1, 0], [1, 2, 3]]]))
def test_between_opposite_directions_is_half_a_turn(axis):
    q = Q.between(axis, -axis)
    assert np.allclose(Q.angle(q), np.pi)
    assert np.allclose(Q.rotate(q, Q.unit(axis)), -Q.unit(axis), atol=1e-7)


@given(unit_quaternions, vectors)
def test_swing_and_twist_multiply_back_and_the_twist_is_about_the_axis(q, axis):
    if np.linalg.norm(axis) < 1e-6:
        return
    swing, twist = Q.swing_twist(q, axis)
    assert Q.angle(Q.multiply(swing, twist), q).max() < 1e-7
    assert np.allclose(np.cross(twist[..., 1:], Q.unit(axis)), 0, atol=1e-9)
    assert np.allclose(np.sum(swing[..., 1:] * Q.unit(axis), axis=-1), 0, atol=1e-7)


@given(vectors, vectors)
def test_look_rotation_faces_forward_and_keeps_up_up(forward, up):
    if np.linalg.norm(forward) < 1e-3 or np.linalg.norm(np.cross(Q.unit(forward), Q.unit(up))) < 1e-3:
        return
    q = Q.look_rotation(forward, up)
    assert np.allclose(Q.rotate(q, [0, 0, 1]), Q.unit(forward), atol=1e-7)
    assert np.abs(Q.rotate(q, [1, 0, 0]) @ Q.unit(up)) < 1e-7
    assert Q.rotate(q, [0, 1, 0]) @ Q.unit(up) > 0


@pytest.mark.parametrize("forward", [[0, 1, 0], [0, -1, 0], [0, 2.5, 0]])
def test_looking_straight_up_or_down_is_still_a_rotation(forward):
    q = Q.look_rotation(np.array(forward, float))
    assert np.allclose(np.linalg.norm(q), 1)
    assert np.allclose(Q.rotate(q, [0, 0, 1]), Q.unit(forward), atol=1e-7)


def test_looking_along_z_is_the_identity():
    assert np.allclose(Q.look_rotation([0, 0, 3.0]), [1, 0, 0, 0])


def test_the_angle_is_accurate_at_both_ends():
    tiny = np.array([1e-9, np.pi - 1e-9])
    q = R.from_axis_angle(np.array([[1.0, 2, 3]] * 2), tiny)
    assert np.allclose(Q.angle(q), tiny, rtol=1e-6, atol=0)
    assert np.allclose(np.pi - Q.angle(q[1]), 1e-9, rtol=1e-5)


def test_the_zero_quaternion_becomes_the_identity():
    assert np.allclose(Q.normalize(np.zeros((2, 4))), [[1, 0, 0, 0]] * 2)


def test_the_cross_product_is_that_of_numpy_and_broadcasts():
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(5, 1, 3)), generator.normal(size=(4, 3)).astype(np.float32)
    crossed = Q.cross(a, b)
    np.testing.assert_array_equal(crossed, np.cross(a, b))
    assert Q.cross(b, b).dtype == np.float32
