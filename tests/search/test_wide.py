"""The wide tree at its edges: numbers on the very steps of the quantisation, and sums that rounding makes smaller."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from kinematch.search import WideMatcher
from kinematch.search.space import plain_space
from kinematch.search.tree_kernels import FINE

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))
REACH = float(FINE - 2)  # frames at zero and here make the step one


def against(query: np.ndarray, best: np.ndarray, plays: np.ndarray) -> None:
    """Is `best` found, which is hardly better than what plays, between two frames that fix the step?"""
    columns = len(query)
    values = np.stack([np.zeros(columns), plays, best, np.full(columns, REACH)]).astype(np.float32)
    alone = np.arange(5, dtype=np.int32)  # clips of one frame, so that each has a box of its own
    space = plain_space(values, clip_starts=alone[:-1], clip_stops=alone[1:])
    assert WideMatcher(space)._tree.weighted.numbers[0] == pytest.approx(1)
    case = AGREEMENT["Case"](space, query.astype(np.float32)[None], np.array([1], np.int32), "", 0.0, 0)
    frames, _ = AGREEMENT["check"](case)
    assert frames.tolist() == [2]


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("beside", [0.0, 2**-11, -(2**-11), 0.009, -0.009, 0.5])
def test_a_frame_beside_a_step_of_the_grid_is_not_passed_over(side, beside):
    for own in (0.0, 2**-11, -(2**-11)):
        query = np.array([2000.0 + own])
        for away in (30, 300, 1900):
            best = query + side * (away + beside - own)
            against(query, best, plays=best + side * 0.001)


def test_a_sum_that_rounding_made_smaller_is_not_passed_over():
    """Three columns make the cost so large that 125 others, a step each, are lost in it; the boxes count them all."""
    query, best = np.full(128, 3 + 2**-12), np.full(128, 2 - 2**-12)
    query[:3], best[:3] = 4091 + 2**-11, 1 - 2**-12
    plays = best.copy()
    plays[0] -= 2**-10
    against(query, best, plays)


def test_squares_too_small_for_a_number_are_ties():
    values = np.random.default_rng(0).normal(size=(1000, 4)) * 1e-25
    assert WideMatcher(plain_space(values)).find_one(values[500].astype(np.float32)) == (0, 0.0)


def test_a_wide_column_does_not_spoil_the_others():
    """Steps follow the bulk of the columns; of one a million times as wide, what lies outside is clamped."""
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(5000, 9)), axis=0)
    plain = WideMatcher(plain_space(values))._tree.weighted.numbers[0]
    values[:, 4] *= 1e6
    assert WideMatcher(plain_space(values))._tree.weighted.numbers[0] > plain / 16
