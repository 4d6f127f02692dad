"""Vectors and quaternions of single numbers and of lanes: scipy's rotations, in Python and in kernels alike."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.compile.indexing import consecutive, lane_count
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import where
from kinematch.math.vectors import Vector, cross, dot, inverse, length, quaternion, rotate, vector

COUNT = 21


@inner
def combine(a, b, v, w, turns, vectors, numbers, i):
    p, q, x, y = quaternion(a[i]), quaternion(b[i]), vector(v[i]), vector(w[i])
    turns[0][i] = p * q
    turns[1][i] = inverse(p)
    turns[2][i] = where(x.x > y.x, p, q)
    vectors[0][i] = rotate(p, x)
    vectors[1][i] = cross(x, y)
    vectors[2][i] = x + y
    vectors[3][i] = (x - y) * 0.5
    vectors[4][i] = -x * y.z
    vectors[5][i] = where(x.x > y.x, x, Vector(0.0, y.y, 0.0))
    numbers[0][i] = dot(x, y)
    numbers[1][i] = length(x)


@kernel(counting=False)
def combine_ones(a, b, v, w, turns, vectors, numbers):
    for i in range(a.shape[0]):
        combine(a, b, v, w, turns, vectors, numbers, i)


@kernel(counting=False)
def combine_lanes(a, b, v, w, turns, vectors, numbers):
    for i in range(0, a.shape[0], lane_count()):
        combine(a, b, v, w, turns, vectors, numbers, consecutive(i, a.shape[0]))


def combine_plainly(a, *others):
    for i in range(len(a)):
        combine(a, *others, i)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("way", [combine_plainly, combine_ones, combine_lanes])
def test_the_algebra_is_that_of_rotations(way, kind):
    rng = np.random.default_rng(0)
    p, q = (Rotation.random(COUNT, rng=rng) for _ in range(2))
    v, w = rng.normal(size=(2, COUNT, 3)).astype(kind)
    a, b = (one.as_quat(scalar_first=True).astype(kind) for one in (p, q))
    turns, vectors, numbers = (np.full((n, COUNT, *size), np.nan, kind) for n, size in ((3, (4,)), (6, (3,)), (2, ())))
    way(a, b, v, w, turns, vectors, numbers)
    near = {"atol": 1e-6 if kind is np.float32 else 1e-14, "rtol": 1e-6 if kind is np.float32 else 1e-13}
    product = (p * q).as_quat(scalar_first=True)
    product *= np.sign((product * turns[0]).sum(axis=-1, keepdims=True))  # both are one rotation
    np.testing.assert_allclose(turns[0], product, **near)
    np.testing.assert_array_equal(turns[1], a * [1, -1, -1, -1])
    chosen = (v[:, 0] > w[:, 0])[:, None]
    np.testing.assert_array_equal(turns[2], np.where(chosen, a, b))
    np.testing.assert_allclose(vectors[0], p.apply(v), **near)
    np.testing.assert_allclose(vectors[1], np.cross(v, w), **near)
    np.testing.assert_allclose(vectors[2], v + w, **near)
    np.testing.assert_allclose(vectors[3], (v - w) / 2, **near)
    np.testing.assert_allclose(vectors[4], -v * w[:, 2:], **near)
    np.testing.assert_array_equal(vectors[5], np.where(chosen, v, w * kind([0, 1, 0])))
    np.testing.assert_allclose(numbers, [(v * w).sum(axis=-1), np.linalg.norm(v, axis=-1)], **near)
