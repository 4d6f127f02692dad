"""The approximate matcher: the same protocol, true costs, most of the right frames."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.search import ApproximateMatcher, ExhaustiveMatcher
from kinematch.search.space import plain_space

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(KinematchError, match=r"pip install 'kinematch\[approximate\]'"):
        ApproximateMatcher(plain_space(np.zeros((3, 2))))


@pytest.fixture(scope="module")
def case():
    pytest.importorskip("faiss", reason="faiss is not installed: pip install 'kinematch[approximate]'")
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(3000, 9)), axis=0).astype(np.float32)
    starts = np.array([0, 1000, 1700], np.int32)
    stops = np.array([1000, 1700, 3000], np.int32)
    ends = np.zeros(3000, bool)
    ends[stops - 1] = True
    space = plain_space(
        values,
        targets=rng.random(3000) < 0.9,
        clip_starts=starts,
        clip_stops=stops,
        ends=ends,
        tag_names=AGREEMENT["TAGS"],
        tags=rng.random((3000, 3)) < (0.95, 0.5, 0.05),
    )
    queries = (values[rng.integers(3000, size=300)] + rng.normal(size=(300, 9))).astype(np.float32)
    return AGREEMENT["Case"](space, queries, rng.integers(-1, 3000, size=300).astype(np.int32), "", 0.0, 20)


@pytest.mark.parametrize("filter", ["", "a", "!b", "c & c"])
def test_most_frames_are_the_best_none_is_forbidden_and_costs_are_true(case, filter):
    question = {"filter": filter, "stay_bias": 0.5, "ignore": 20}
    found = ApproximateMatcher(case.space).find(case.queries, case.current, **question)
    exact = ExhaustiveMatcher(case.space).find(case.queries, case.current, **question)
    right = found.frames == exact.frames
    assert right.mean() > 0.9
    assert (found.costs[right] == exact.costs[right]).all()
    assert (found.costs >= exact.costs - 0.5).all()  # it may stay where a jump was missed
    jumped = (found.frames >= 0) & (found.frames != case.current)
    frames = found.frames[jumped]
    admitted = AGREEMENT["FILTERS"][filter](*case.space.tags.T)
    assert (case.space.targets & admitted)[frames].all()
    clip = np.searchsorted(case.space.clip_stops, np.arange(3000), side="right")
    current = case.current[jumped]
    near = (abs(frames - current) <= 20) & (clip[frames] == clip[current]) & (current >= 0)
    assert not near.any()


def test_weights_can_change(case):
    matcher, exact = ApproximateMatcher(case.space), ExhaustiveMatcher(case.space)
    for one in (matcher, exact):
        one.set_weights(np.arange(9, dtype=np.float32))
    assert (matcher.find(case.queries).frames == exact.find(case.queries).frames).mean() > 0.9
    assert (matcher.weights == np.arange(9)).all()


def test_nothing_to_find_and_nothing_asked(case):
    none = plain_space(np.zeros((30, 9)), targets=np.zeros(30, bool))
    assert (ApproximateMatcher(none).find(case.queries).frames == -1).all()
    matcher = ApproximateMatcher(case.space)
    assert (matcher.find(case.queries, filter="a & !a").frames == -1).all()
    assert len(matcher.find(np.empty((0, 9))).frames) == 0
    one = ApproximateMatcher(plain_space(np.ones((1, 9))))
    assert one.find(np.zeros((2, 9)), np.array([-1, 0])).frames.tolist() == [0, 0]
    with pytest.raises(KinematchError, match="not finite"):
        one.find(np.full(9, np.nan))
