"""Laws of lanes: eight numbers at once are what each of them would be alone."""

import math

import numpy as np
import pytest

from kinematch.character.kernels.lane_rotations import from_rotation_vector, to_rotation_vector
from kinematch.character.kernels.reach import unfold
from kinematch.character.kernels.rotations import find_yaw, rotate_by_wrapped, wrap_angle
from kinematch.character.kernels.springs import DOUBLE_SERIES, SINGLE_SERIES, exp_negative
from kinematch.compile import lanes as lanes
from kinematch.compile import rows as rows
from kinematch.compile.jit import kernel
from kinematch.compile.memory import address
from kinematch.math import quaternion, rotation
from kinematch.math.kernels import multiply, rotate

ROWS = np.array([5, 2, 7, 0, 0, 3, 9, 1])  # any order, and one of them twice


@kernel(counting=False)
def multiplied(distances, a, b, out):
    table = address(distances, 0)
    product = multiply(rows.read_fours(table, address(a, 0)), rows.read_fours(table, address(b, 0)))
    rows.write_fours(table, address(out, 0), product)


@kernel(counting=False)
def rotated(fours, threes, q, v, out):
    turns, places = address(fours, 0), address(threes, 0)
    own = rows.read_threes(places, address(v, 0))
    rows.write_threes(places, address(out, 0), rotate(rows.read_fours(turns, address(q, 0)), own))


@kernel(counting=False)
def there_and_back(distances, v, out):
    table = address(distances, 0)
    x, y, z = rows.read_threes(table, address(v, 0))
    rows.write_threes(table, address(out, 0), to_rotation_vector(from_rotation_vector(x, y, z)))


@kernel(counting=False)
def angles(vectors, out):
    for i in range(len(vectors)):
        out[i] = find_yaw(vectors[i, 0], vectors[i, 1])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def turns(rng):
    return quaternion.normalize(rng.normal(size=(2, 10, 4))).astype(np.float32)


def test_eight_products_are_those_of_each(turns):
    out = np.full_like(turns[0], np.nan)
    multiplied(16 * ROWS, turns[0], turns[1], out)
    expected = quaternion.multiply(turns[0], turns[1])
    np.testing.assert_allclose(out[ROWS], expected[ROWS], atol=1e-6)
    assert np.isnan(np.delete(out, ROWS, axis=0)).all(), "rows of no lane were written to"


def test_eight_vectors_are_turned_as_each(turns, rng):
    vectors = rng.normal(size=(10, 3)).astype(np.float32)
    out = np.full_like(vectors, np.nan)
    rotated(16 * ROWS, 12 * ROWS, turns[0], vectors, out)
    np.testing.assert_allclose(out[ROWS], quaternion.rotate(turns[0], vectors)[ROWS], atol=1e-5)
    assert np.isnan(np.delete(out, ROWS, axis=0)).all(), "rows of no lane were written to"


@pytest.mark.parametrize("size", [0.0, 1e-8, 1e-6, 1e-3, 1.0, 3.1])
def test_rotation_vectors_come_back(size, rng):
    vectors = rng.normal(size=(10, 3))
    vectors = (size * vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    out = np.zeros_like(vectors)
    there_and_back(12 * ROWS, vectors, out)
    expected = rotation.to_rotation_vector(rotation.from_rotation_vector(vectors.astype(np.float64)))
    np.testing.assert_allclose(out[ROWS], expected[ROWS], atol=2e-6)


def test_angles_are_those_of_the_library():
    yaws = np.concatenate([np.linspace(-math.pi, math.pi, 2001), math.pi / 4 * np.arange(-4, 5)])
    vectors = np.stack([np.sin(yaws), np.cos(yaws)], axis=1) * np.geomspace(1e-6, 1e6, len(yaws))[:, None]
    out = np.zeros(len(yaws))
    angles(vectors, out)
    np.testing.assert_allclose(out, np.arctan2(vectors[:, 0], vectors[:, 1]), atol=1e-10)


@kernel(counting=False)
def eight_angles(distances, vectors, yaws, out):
    """Of doubles: wrapped, the angles of vectors, and the vectors turned by the wrapped angles."""
    table, pairs = address(distances, 0), address(distances, 1)
    yaw = wrap_angle(rows.read_doubles(table, address(yaws, 0)))
    x, z = rows.read_doubles(pairs, address(vectors, 0)), rows.read_doubles(pairs, address(vectors, 0) + np.uintp(8))
    rows.write_doubles(table, address(out, 0), yaw)
    rows.write_doubles(table, address(out, 1), find_yaw(x, z))
    x, z = rotate_by_wrapped(x, z, yaw)
    rows.write_doubles(table, address(out, 2), x)
    rows.write_doubles(table, address(out, 3), z)


def test_eight_angles_are_those_of_the_library(rng):
    vectors, yaws = rng.normal(size=(10, 2)), rng.uniform(-20, 20, 10)
    out = np.full((4, 10), np.nan)
    eight_angles(np.stack([8 * ROWS, 16 * ROWS]), vectors, yaws, out)
    x, z = vectors.T
    expected = (
        (yaws + math.pi) % (2 * math.pi) - math.pi, np.arctan2(x, z),
        np.cos(yaws) * x + np.sin(yaws) * z, np.cos(yaws) * z - np.sin(yaws) * x,
    )  # fmt: skip
    np.testing.assert_allclose(out[:, ROWS], np.stack(expected)[:, ROWS], atol=1e-8)
    assert np.isnan(np.delete(out, ROWS, axis=1)).all(), "numbers of no lane were written to"


@kernel(counting=False)
def swapped(distances, pairs, fours):
    table = address(distances, 0)
    a, b = rows.read_twos(table, address(pairs, 0))
    rows.write_twos(table, address(pairs, 0), (b, a))
    rows.write_next_fours(address(fours, 1), rows.read_next_fours(address(fours, 0)))


def test_pairs_and_rows_come_back_as_they_were(rng):
    pairs, fours = rng.normal(size=(10, 2)).astype(np.float32), rng.normal(size=(2, 32)).astype(np.float32)
    expected = pairs.copy()
    expected[np.unique(ROWS)] = expected[np.unique(ROWS)][:, ::-1]
    swapped(8 * ROWS, pairs, fours)
    np.testing.assert_array_equal(pairs, expected)
    np.testing.assert_array_equal(fours[1], fours[0])


@kernel(counting=False)
def fading_of(numbers, singles, doubles, distances):
    lanes.write(address(singles, 0), 0, exp_negative(lanes.read(address(numbers, 0), 0), SINGLE_SERIES))
    table = address(distances, 0)
    rows.write_doubles(
        table, address(doubles, 1), exp_negative(rows.read_doubles(table, address(doubles, 0)), DOUBLE_SERIES)
    )


def test_what_fades_is_the_exponential_of_the_library():
    x = np.array([0, 1e-6, 0.01, 0.1, 1.0, 3.0, 30.0, 1e8])
    singles, doubles = np.zeros(8, np.float32), np.stack([x, 0 * x])
    fading_of(x.astype(np.float32), singles, doubles, 8 * np.arange(8))
    np.testing.assert_allclose(singles, np.exp(-x), atol=1e-6)
    np.testing.assert_allclose(doubles[1], np.exp(-x), atol=1e-7)
    np.testing.assert_allclose(doubles[1][:4], np.exp(-x[:4]), atol=1e-12)


@kernel(counting=False)
def unfolded_of(wanted, animated, shown):
    lanes.write(address(shown, 0), 0, unfold(lanes.read(address(wanted, 0), 0), lanes.read(address(animated, 0), 0)))


def test_legs_are_not_folded_far_below_their_animated_length_and_give_way_smoothly():
    wanted, shown = np.linspace(0, 1.2, 601, dtype=np.float32), np.empty(601, np.float32)
    for start in range(0, 600, 8):
        unfolded_of(wanted[start : start + 8], np.full(8, 0.9, np.float32), shown[start : start + 8])
    wanted, shown = wanted[:600], shown[:600]
    np.testing.assert_allclose(shown[wanted >= 0.9 * 0.8], wanted[wanted >= 0.9 * 0.8], atol=1e-6)
    assert shown.min() > 0.9 * 0.55 - 1e-6
    slopes = np.diff(shown) / np.diff(wanted)
    assert slopes.min() > -1e-3
    assert np.abs(np.diff(slopes)).max() < 0.01  # no kink
