"""Laws of lanes: one text gives the same bits in Python, compiled for one number and for eight at once."""

import numpy as np
import pytest

from kinematch.compile.indexing import consecutive, lane_count
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import (
    floor,
    inverse_root,
    larger,
    opposite,
    root,
    single,
    smaller,
    where,
    with_sign,
)

RESULTS, MASKS = 13, 6


@inner
def compute(a, b, out, singles, masks, i):
    """Every operation by itself: none is fused with another."""
    x, y = a[i], b[i]
    out[0][i] = x + y
    out[1][i] = x - y
    out[2][i] = x * y
    out[3][i] = x / y
    out[4][i] = -x
    out[5][i] = larger(x, y)
    out[6][i] = smaller(x, y)
    out[7][i] = where(x > y, x, y)
    out[8][i] = root(x)
    out[9][i] = inverse_root(y)
    out[10][i] = floor(x)
    out[11][i] = with_sign(x, y)
    out[12][i] = where(opposite(masks[0][i]), 0.0, y)
    singles[i] = single(x)
    masks[1][i] = x > y
    masks[2][i] = x <= y
    masks[3][i] = masks[0][i] & (x < y)
    masks[4][i] = masks[0][i] | (x >= y)
    masks[5][i] = opposite(masks[0][i])


@kernel(counting=False)
def compute_ones(a, b, out, singles, masks):
    for i in range(a.shape[0]):
        compute(a, b, out, singles, masks, i)


@kernel(counting=False)
def compute_lanes(a, b, out, singles, masks):
    for i in range(0, a.shape[0], lane_count()):
        compute(a, b, out, singles, masks, consecutive(i, a.shape[0]))


def compute_plainly(a, b, out, singles, masks):
    with np.errstate(all="ignore"):
        for i in range(len(a)):
            compute(a, b, out, singles, masks, i)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_operation_gives_the_same_bits_in_python_for_one_and_for_eight(kind):
    rng = np.random.default_rng(0)
    odd = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-30, 3e30])
    a = np.concatenate([np.repeat(odd, len(odd)), rng.normal(size=50) * 10]).astype(kind)
    b = np.concatenate([np.tile(odd, len(odd)), rng.normal(size=50)]).astype(kind)
    assert len(a) % 8  # the last lanes repeat a number
    results = []
    for run in (compute_plainly, compute_ones, compute_lanes):
        out, singles = np.full((RESULTS, len(a)), 7, kind), np.zeros(len(a), np.float32)
        masks = np.zeros((MASKS, len(a)), bool)
        masks[0] = np.arange(len(a)) % 3 == 0
        run(a, b, out, singles, masks)
        np.testing.assert_array_equal(singles, a.astype(np.float32))
        results.append((out, masks))
    (plain, plain_masks), *others = results
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(plain[3], a / b)
        np.testing.assert_array_equal(plain[11], np.copysign(a, b))
    assert len(np.unique(plain_masks, axis=1).T) >= 8
    for out, masks in others:
        np.testing.assert_array_equal(out, plain)
        np.testing.assert_array_equal(np.signbit(out[4:8]), np.signbit(plain[4:8]))
        np.testing.assert_array_equal(masks, plain_masks)


@inner
def mix_precisions(a, b, out, i):
    """Lanes of singles with numbers and with doubles made single."""
    out[0][i] = 0.1 * a[i] + 1
    out[1][i] = single(b[i]) - a[i] * 3.0
    out[2][i] = larger(a[i], 0.25) / 7.0


@kernel(counting=False)
def mix_ones(a, b, out):
    for i in range(a.shape[0]):
        mix_precisions(a, b, out, i)


@kernel(counting=False)
def mix_lanes(a, b, out):
    for i in range(0, a.shape[0], lane_count()):
        mix_precisions(a, b, out, consecutive(i, a.shape[0]))


def test_single_numbers_take_the_precision_of_the_lanes():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=13).astype(np.float32), rng.normal(size=13)
    expected = np.stack([0.1 * a + 1, b - 3.0 * a, np.maximum(a, 0.25) / 7.0])
    plain = np.zeros((3, 13), np.float32)
    for i in range(13):
        mix_precisions(a, b, plain, i)
    for run in (mix_ones, mix_lanes, lambda *given: given[-1].__setitem__(slice(None), plain)):
        out = np.zeros((3, 13), np.float32)
        run(a, b, out)
        np.testing.assert_allclose(out, expected, atol=1e-6)
