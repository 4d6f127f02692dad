"""Rows in lanes: what is read of eight rows at any distances comes back as it was."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.compile.memory import address
from kinematch.database.packing.row_kernels import read_fours, write_fours

ROWS = np.array([5, 2, 7, 0, 4, 3, 9, 1])  # any order


@kernel(counting=False)
def move_rows(distances, fours, out):
    w, x, y, z = read_fours(address(fours, 0), np.uintp(16))
    write_fours(address(distances, 0), address(out, 0), (z, w, x, y))


def test_rows_without_gaps_go_to_rows_of_any_order():
    fours, out = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32), np.full((10, 4), np.nan, np.float32)
    move_rows(16 * ROWS, fours, out)
    np.testing.assert_array_equal(out[ROWS], fours[:, [3, 0, 1, 2]])
    assert np.isnan(np.delete(out, ROWS, axis=0)).all()
