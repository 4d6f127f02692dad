"""Laws of handles: a kernel sees the very arrays and numbers of the record, and records of other types are refused."""

from typing import NamedTuple

import numpy as np
import pytest

from kinematch.compile.handle import handle, opening
from kinematch.compile.jit import kernel


class Part(NamedTuple):
    table: np.ndarray
    flags: np.ndarray


class Whole(NamedTuple):
    part: Part
    cube: np.ndarray
    share: float
    count: int


def whole(a: int, b: int, c: int) -> Whole:
    rng = np.random.default_rng(a)
    part = Part(rng.normal(size=(a, b)), rng.random(c) < 0.5)
    return Whole(part, rng.normal(size=(a, b, c)).astype(np.float32), 1 / 3, -7)


EXAMPLE = whole(1, 1, 1)
opened = opening(EXAMPLE)


@kernel(counting=False)
def summed(given, result):
    record = opened(given)
    for i in range(record.part.table.shape[0]):
        for j in range(record.part.table.shape[1]):
            result[0] += record.part.table[i, j] * (i + 10 * j)
            for k in range(record.cube.shape[2]):
                result[1] += record.cube[i, j, k] * (i + 10 * j + 100 * k)
                record.cube[i, j, k] += 1
    for k in range(record.part.flags.shape[0]):
        result[2] += record.part.flags[k] * (k + 1)
    result[3], result[4] = record.share, record.count


@pytest.mark.parametrize("sizes", [(3, 4, 5), (1, 1, 1), (7, 2, 3), (0, 3, 0)])
def test_a_kernel_sees_and_writes_the_very_arrays(sizes):
    record, result = whole(*sizes), np.zeros(5)
    before = record.cube.copy()
    summed(handle(record, EXAMPLE), result)
    i, j, k = np.indices(before.shape)
    rows, columns = np.indices(record.part.table.shape)
    wanted = [
        (record.part.table * (rows + 10 * columns)).sum(),
        (before * (i + 10 * j + 100 * k)).sum(),
        (record.part.flags * (np.arange(sizes[2]) + 1)).sum(),
        1 / 3,
        -7,
    ]
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-9)
    np.testing.assert_array_equal(record.cube, before + 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"cube": np.zeros((1, 1, 1))},
        {"cube": np.zeros((1, 1), np.float32)},
        {"cube": np.zeros((4, 4, 4), np.float32)[:, ::2]},
        {"share": 1},
        {"count": 1.0},
        {"count": np.zeros(1)},
    ],
)
def test_records_of_other_types_are_refused(wrong):
    with pytest.raises(TypeError, match="in a record, expected"):
        handle(whole(1, 1, 1)._replace(**wrong), EXAMPLE)


def test_a_record_that_lacks_a_part_is_refused():
    with pytest.raises(ValueError, match="longer"):
        handle(whole(1, 1, 1)[:3], EXAMPLE)
