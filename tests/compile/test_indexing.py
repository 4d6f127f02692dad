"""Laws of indexing by lanes: rows of any eight are read and written as one by one, and no others are touched."""

import numpy as np
import pytest

from kinematch.compile.indexing import consecutive, lane_count, pair, run, take
from kinematch.compile.jit import inner, kernel
from kinematch.compile.scratch import scratch_numbers
from kinematch.math.vectors import quaternion, scratch_quaternions, scratch_vectors, vector

COUNT, LEGS = 20, 3
CHOSEN = [5, 2, 17, 0, 9, 3, 12, 1, 19, 7, 4]  # one lane of eight, and three more


@inner
def swap(given, out, n):
    """Read every kind of row, change it so that each column shows, and write it."""
    numbers, doubles, flags, vectors, places, turns, pairs, cubes = given
    out[0][n] = numbers[n] + numbers[n]
    out[1][n] = doubles[n] + doubles[n]
    v, p, q = vector(vectors[n]), vector(places[n]), quaternion(turns[n])
    out[3][n] = v + v
    out[4][n] = -p
    out[5][n] = (q.z, q.y, q.x, q.w)
    for k in range(flags.shape[1]):
        out[2][n][k] = flags[n][k] & flags[n][0]
        x, rate = pair(pairs[n][k])
        out[6][n][k] = (rate, x)
        out[7][n][k] = vector(cubes[n][k]) - v
        out[7][n][k][1] = cubes[n][k][2]


@kernel(counting=False)
def swap_ones(given, out, characters):
    for m in range(characters.shape[0]):
        swap(given, out, characters[m])


@kernel(counting=False)
def swap_lanes(given, out, characters):
    for m in range(0, characters.shape[0], lane_count()):
        swap(given, out, take(characters, m, characters.shape[0]))


def swap_plainly(given, out, characters):
    for m in range(len(characters)):
        swap(given, out, take(characters, m, len(characters)))


@pytest.fixture
def given():
    rng = np.random.default_rng(0)

    def make(*shape):
        return rng.normal(size=(COUNT, *shape)).astype(np.float32)

    return (
        make(), rng.normal(size=COUNT), rng.random((COUNT, LEGS)) > 0.4, make(3), rng.normal(size=(COUNT, 3)), make(4),
        make(LEGS, 2), make(LEGS, 3),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_are_read_and_written_as_one_by_one_and_no_others_are_touched(given, kind):
    numbers, doubles, flags, vectors, places, turns, pairs, cubes = given
    moved = cubes - vectors[:, None]
    moved[..., 1] = cubes[..., 2]
    expected = (
        numbers + numbers, doubles + doubles, flags & flags[:, :1], vectors + vectors, -places, turns[:, ::-1],
        pairs[..., ::-1], moved,
    )  # fmt: skip
    others = np.setdiff1d(np.arange(COUNT), CHOSEN)
    for way in (swap_plainly, swap_ones, swap_lanes):
        before = tuple(np.zeros_like(one) if one.dtype == bool else np.full_like(one, np.nan) for one in given)
        out = tuple(one.copy() for one in before)
        way(given, out, np.array(CHOSEN, kind))
        for found, right, old in zip(out, expected, before):
            np.testing.assert_array_equal(found[CHOSEN], right[CHOSEN])
            np.testing.assert_array_equal(found[others], old[others])


@inner
def fill(room, rows, offsets, out, n, js, own):
    """Through scratch, and through runs of a padded row."""
    numbers, vectors, turns = scratch_numbers(room, 0, 2), scratch_vectors(room, 2, 2), scratch_quaternions(room, 8, 1)
    numbers[0], numbers[1] = rows[js][0], 2.0 * rows[js][1]
    vectors[1] = vector(rows[js])
    vectors[0] = vectors[1] + vectors[1]
    turns[0] = quaternion(rows[js])
    offsets[n, 0][own] = numbers[0] + numbers[1]
    offsets[n, 1][own] = vectors[0].z - vectors[1].x
    out[js] = (turns[0].w, turns[0].x, vectors[1].y, numbers[1])


@kernel(counting=False)
def fill_lanes(room, rows, offsets, out):
    for j in range(0, rows.shape[0], lane_count()):
        fill(room, rows, offsets, out, 1, consecutive(j, rows.shape[0]), run(j))


def test_scratch_and_runs_hold_what_was_written():
    rng, joints = np.random.default_rng(1), 11
    rows = rng.integers(-50, 50, (joints, 4)).astype(np.float32)  # whole, so that fused sums are exact too
    found = []
    for compiled in (False, True):
        room, offsets, out = np.zeros((12, 8), np.float32), np.zeros((2, 2, 16), np.float32), np.zeros_like(rows)
        if compiled:
            fill_lanes(room, rows, offsets, out)
        else:
            for j in range(joints):
                fill(room, rows, offsets, out, 1, consecutive(j, joints), run(j))
        assert not offsets[0].any()
        found.append((offsets[1, :, :joints], out))
    np.testing.assert_array_equal(found[0][0], [rows[:, 0] + 2 * rows[:, 1], 2 * rows[:, 2] - rows[:, 0]])
    np.testing.assert_array_equal(found[0][1], np.stack([rows[:, 0], rows[:, 1], rows[:, 1], 2 * rows[:, 1]], axis=1))
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)


@kernel(counting=False)
def number_lanes(numbers, singles, turns, columns):
    """Write what differs from lane to lane into rows; several lanes are the last row."""
    for j in range(0, singles.shape[0], lane_count()):
        js, own = consecutive(j, singles.shape[0]), run(j)
        number = numbers[own]
        singles[js] = (number, number + number, -number)
        turns[js] = (number, number, number, -number)
        columns[js] = number


@pytest.mark.parametrize("count", [1, 3, 8, 11])
def test_a_row_that_several_lanes_repeat_is_that_of_its_own_lane(count):
    singles, turns, columns = (np.zeros((count, *size), np.float32) for size in ((3,), (4,), ()))
    number_lanes(np.arange(16, dtype=np.float32), singles, turns, columns)
    np.testing.assert_array_equal(singles, np.outer(np.arange(count), [1, 2, -1]))
    np.testing.assert_array_equal(turns, np.outer(np.arange(count), [1, 1, 1, -1]))
    np.testing.assert_array_equal(columns, np.arange(count))


@kernel(counting=False)
def write_tuples(rows, doubles):
    for n in range(rows.shape[0]):
        rows[n] = vector(doubles[n]) * 0.5
        doubles[n] = (1.0, rows[n, 1], 3)


def test_a_vector_is_written_into_a_row_as_numpy_does():
    rows, doubles = np.zeros((3, 3), np.float32), np.arange(9.0).reshape(3, 3)
    halves = doubles / 2
    write_tuples(rows, doubles)
    np.testing.assert_array_equal(rows, halves)
    np.testing.assert_array_equal(doubles, np.stack([np.ones(3), halves[:, 1], np.full(3, 3)], axis=1))
