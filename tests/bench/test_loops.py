"""The baseline in C++ is exact, runs in the loop of the wide search, and is left out without a compiler."""

import shutil

import numpy as np
import pytest

from kinematch.bench import padded_boxes
from kinematch.bench.loops import COMPETITOR, FROM_PYTHON, OURS, explain_absence, measure_loops
from kinematch.bench.padded_boxes import PaddedBoxes, compile_boxes
from kinematch.bench.queries import QuerySet
from kinematch.search import ExhaustiveMatcher
from kinematch.search.space import plain_space

NO_FLUSH = np.zeros(0, np.uint8)
needs_compiler = pytest.mark.skipif(shutil.which(padded_boxes.COMPILER) is None, reason="no C++ compiler")


def make_space(rng, columns=27, frames=777):
    """Two clips of a wandering motion, some of whose frames are no targets, nor may keep playing."""
    ends = np.zeros(frames, bool)
    ends[[299, frames - 1]] = True
    return plain_space(
        np.cumsum(rng.normal(size=(frames, columns)), axis=0) / 5, targets=rng.random(frames) < 0.8, ends=ends,
        clip_starts=np.array([0, 300], np.int32), clip_stops=np.array([300, frames], np.int32),
        weights=rng.random(columns).astype(np.float32),
    )  # fmt: skip


def make_queries(space, rng, count=200):
    frames = rng.integers(space.frame_count, size=count).astype(np.int32)
    frames[:3] = 299, space.frame_count - 1, -1
    queries = space.values[frames] + rng.normal(size=(count, space.column_count)) * rng.choice([0.1, 1, 30], (count, 1))
    return QuerySet("near and far", queries.astype(np.float32), frames)


@needs_compiler
@pytest.mark.parametrize("columns", [1, 27, 32])
def test_the_rival_is_exact(columns):
    rng = np.random.default_rng(columns)
    space = make_space(rng, columns)
    asked = make_queries(space, rng)
    timed = PaddedBoxes(space, compile_boxes()).time_searches(asked.queries, asked.current, NO_FLUSH)
    truth = ExhaustiveMatcher(space).find(asked.queries, asked.current)
    np.testing.assert_allclose(timed.costs, truth.costs, rtol=1e-5)
    assert (timed.frames == truth.frames).mean() > 0.9  # the rest are frames as good
    assert (timed.times > 0).all()


@needs_compiler
def test_every_loop_finds_what_the_rival_finds():
    rng = np.random.default_rng(5)
    space = make_space(rng)
    for cold in (False, True):
        found = measure_loops("walk", space, [make_queries(space, rng)], queries=20, rounds=2, cold=cold)
        assert [one.search for one in found] == [COMPETITOR, OURS, FROM_PYTHON]
        assert all(one.agreement == 1 and one.p99 >= one.median > 0 for one in found)
        assert found[0].ratio == found[0].ratio_p99 == 1


def test_without_a_compiler_a_note_says_so(monkeypatch):
    monkeypatch.setattr(padded_boxes, "COMPILER", "no-such-compiler")
    rng = np.random.default_rng(6)
    space = make_space(rng)
    assert measure_loops("walk", space, [make_queries(space, rng)], queries=20, rounds=2, cold=False) == []
    assert "was not compiled" in explain_absence(space)


def test_more_columns_than_the_rival_has_are_a_note():
    space = plain_space(np.zeros((40, 33)))
    assert measure_loops("walk", space, [], queries=1, rounds=1, cold=False) == []
    assert explain_absence(space) == "33 columns, and rows of the competitor in C++ have 32"
