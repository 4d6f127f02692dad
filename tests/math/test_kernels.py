"""Vectors and quaternions of kernels: the same as those of arrays, in the precision they are given."""

import numpy as np
import pytest

from kinematch.compile.jit import kernel
from kinematch.math import kernels, quaternion, rotation


@kernel
def turn_all(a, b, v, out_turns, out_vectors):
    for n in range(a.shape[0]):
        p, q, place = kernels.read4(a, n), kernels.read4(b, n), kernels.read3(v, n)
        kernels.write4(out_turns[0], n, kernels.multiply(p, q))
        kernels.write4(out_turns[1], n, kernels.inverse(p))
        kernels.write3(out_vectors[0], n, kernels.rotate(p, place))
        kernels.write3(out_vectors[1], n, kernels.cross(place, kernels.scale_vector(kernels.read3(v, 0), place[1])))
        kernels.write3(out_vectors[2], n, kernels.add(place, kernels.subtract(place, kernels.read3(v, 0))))


@kernel
def first_rotated(q, v):
    return kernels.rotate(
        kernels.multiply(kernels.read4(q, 0), kernels.inverse(kernels.read4(q, 1))), kernels.read3(v, 0)
    )


@kernel
def turn_about(axis, angle):
    return kernels.about(kernels.read3(axis, 0), angle), kernels.length(kernels.read3(axis, 1))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_kernels_are_as_arrays(kind):
    random = np.random.default_rng(7)
    a, b = (quaternion.normalize(random.normal(size=(50, 4))).astype(kind) for _ in range(2))
    v = random.normal(size=(50, 3)).astype(kind)
    turns, vectors = np.empty((2, 50, 4), kind), np.empty((3, 50, 3), kind)
    turn_all(a, b, v, turns, vectors)
    near = 20 * np.finfo(kind).eps
    assert np.allclose(turns[0], quaternion.multiply(a, b), atol=near)
    assert np.array_equal(turns[1], quaternion.inverse(a))
    assert np.allclose(vectors[0], quaternion.rotate(a, v), atol=near)
    assert np.allclose(vectors[1], np.cross(v, v[0] * v[:, 1:2]), atol=near)
    assert np.allclose(vectors[2], 2 * v - v[0], atol=near)


def test_single_precision_stays_so():
    q, v = np.eye(2, 4, dtype=np.float32), np.ones((1, 3), np.float32)
    first_rotated(q, v)
    (kinds,) = first_rotated.nopython_signatures
    assert str(kinds.return_type.dtype) == "float32"


def test_a_turn_about_an_axis():
    turn, length = turn_about(np.array([[0.0, 1.0, 0.0], [3.0, 0.0, 4.0]]), 1.2)
    assert np.allclose(turn, rotation.from_axis_angle(np.array([0.0, 1.0, 0.0]), 1.2))
    assert length == 5.0
