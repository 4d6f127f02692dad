"""Candidates: the first is what a search finds, the rest are apart, and the shares of the features add up."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from kinematch.database import storage
from kinematch.errors import KinematchError
from kinematch.search import WideMatcher, candidates, search_space
from kinematch.search.space import plain_space

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))


def test_what_is_chosen_is_what_a_search_finds():
    for seed in range(60):
        case = AGREEMENT["random_case"](seed)
        matcher = WideMatcher(case.space)
        for query, current in list(zip(case.queries, case.current.tolist()))[:8]:
            told = candidates(matcher, query, current, **case.question)
            frame, cost = matcher.find_one(query, current, **case.question)
            assert told.chosen == frame
            assert told.reason
            if frame != current and frame >= 0:
                assert told.frames[0] == frame
                assert told.costs[0] == np.float32(cost)
            elif frame >= 0:
                assert told.staying_cost == cost


def test_candidates_are_in_order_apart_allowed_and_their_shares_add_up(built_in):
    space = search_space(storage.load(built_in))
    matcher = WideMatcher(space)
    clip = np.searchsorted(space.clip_stops, np.arange(space.frame_count), side="right")
    rng = np.random.default_rng(0)
    for _ in range(10):
        pose, way, current = rng.choice(np.flatnonzero(space.targets), 3).tolist()
        query = np.concatenate([space.values[pose, :15], space.values[way, 15:]])
        told = candidates(matcher, query, current, count=12, filter="walk")
        assert len(told.frames) == 12
        assert (np.diff(told.costs) >= 0).all()
        assert space.targets[told.frames].all()
        assert space.tags[told.frames, space.tag_names.index("walk")].all()
        near = abs(told.frames - current) <= 20
        assert not (near & (clip[told.frames] == clip[current])).any()
        gaps = abs(told.frames[:, None] - told.frames) + 1000 * np.eye(12, dtype=int)
        assert gaps[clip[told.frames][:, None] == clip[told.frames]].min() >= 18  # 0.3 s at 60 fps
        assert told.features == tuple(space.features)
        np.testing.assert_allclose(told.feature_costs.sum(axis=1), told.costs, rtol=1e-5)
        if np.isfinite(told.staying_cost):
            np.testing.assert_allclose(told.staying_feature_costs.sum(), told.staying_cost, rtol=1e-5)


def test_each_feature_bears_its_own_share():
    values = np.zeros((3, 3), np.float32)
    values[1], values[2] = (3, 0, 4), (10, 10, 10)
    space = plain_space(values, features={"foot": slice(0, 2), "way": slice(2, 3)}, weights=np.array([1, 1, 2], "f4"))
    told = candidates(WideMatcher(space), np.zeros(3, np.float32), apart=0.0)
    assert told.frames.tolist() == [0, 1, 2]
    np.testing.assert_allclose(told.feature_costs, [[0, 0], [9, 32], [200, 200]], rtol=1e-6)


def test_weights_in_use_count_and_not_those_of_the_database():
    matcher = WideMatcher(plain_space(np.array([[1, 5], [5, 1]], np.float32)))
    assert candidates(matcher, np.zeros(2), count=1).frames.tolist() == [0]
    matcher.set_weights(np.array([1, 2], np.float32))
    assert candidates(matcher, np.zeros(2), count=1).frames.tolist() == [1]


@pytest.mark.parametrize(
    ("question", "chosen", "reason"),
    [
        ({}, 50, "frame 50 is taken: it costs 0$"),
        ({"current": 20}, 50, "frame 50 is taken: it costs 0, and playing on costs 900$"),
        ({"current": 20, "stay_bias": 899.0}, 50, "playing on costs 900 less 899 for staying$"),
        ({"current": 20, "stay_bias": 900.0}, 20, "frame 20 plays on: it costs 900 less 900 for staying, and .* 0$"),
        ({"current": 50}, 50, "frame 50 plays on: it costs 0, and the best other 441$"),
        ({"current": 10}, 50, "taken: it costs 0; frame 10 sets no bound, since it ends its clip"),
        ({"current": 11, "filter": "walk"}, 50, "frame 11 sets no bound, since it fails the filter"),
        ({"current": 20, "filter": "rare"}, -1, "^no frame may be taken; frame 20 sets no bound"),
        ({"filter": "rare"}, -1, "^no frame may be taken$"),
        ({"current": 20, "left": 60}, 20, "frame 20 plays on: frame 50 was left a moment ago$"),
        ({"current": 20, "left": 71}, 50, "frame 50 is taken"),
        ({"current": 10, "left": 60}, 50, "taken: it costs 0; frame 10 sets no bound"),
        ({"current": 20, "ignore": 200}, 20, "frame 20 plays on: no other frame may be taken"),
    ],
)
def test_the_reason_is_told(question, chosen, reason):
    ends, tags = np.zeros(100, bool), np.ones((100, 2), bool)
    ends[10], tags[11, 0], tags[:, 1] = True, False, False
    space = plain_space(np.arange(100)[:, None], ends=ends, tag_names=("walk", "rare"), tags=tags)
    told = candidates(WideMatcher(space), np.array([50.0]), **question)
    assert told.chosen == chosen
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(told.reason)


def test_nonsense_is_refused():
    matcher = WideMatcher(plain_space(np.zeros((3, 2))))
    for question in ({"count": 0}, {"apart": -1.0}, {"apart": np.nan}, {"current": 3}, {"ignore": -1}):
        with pytest.raises(KinematchError):
            candidates(matcher, np.zeros(2), **question)
    with pytest.raises(KinematchError, match="not finite"):
        candidates(matcher, np.array([0, np.nan]))
