"""The laws of the protocol: ties, staying, exclusion, and what is refused at the door."""

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.search import BoxMatcher, ExhaustiveMatcher, SearchSpace, WideMatcher
from kinematch.search.space import plain_space

MATCHERS = [ExhaustiveMatcher, BoxMatcher, WideMatcher]
each = pytest.mark.parametrize("kind", MATCHERS, ids=lambda kind: kind.__name__)


def line(frames: int = 100, **given) -> SearchSpace:
    """Frame f lies at f."""
    return plain_space(np.arange(frames, dtype=np.float32)[:, None], **given)


def flags(frames: int, *chosen: int) -> np.ndarray:
    out = np.zeros(frames, bool)
    out[list(chosen)] = True
    return out


@each
def test_the_nearest_frame_is_found_at_its_cost(kind):
    found = kind(line()).find(np.array([[41.25], [-5.0], [200.0]], np.float32))
    assert found.frames.tolist() == [41, 0, 99]
    assert found.costs.tolist() == [0.0625, 25.0, 101.0**2]


@each
def test_among_equal_costs_the_first_frame_wins(kind):
    space = plain_space(np.tile(np.arange(50, dtype=np.float32), 40)[:, None])
    assert kind(space).find(np.array([[7.0], [7.5]], np.float32)).frames.tolist() == [7, 7]


@each
def test_the_frame_that_plays_wins_ties(kind):
    space = plain_space(np.tile(np.arange(50, dtype=np.float32), 40)[:, None])
    found = kind(space).find(np.array([[7.0]], np.float32), np.array([507]))
    assert found.frames.tolist() == [507]


@each
def test_a_jump_must_beat_staying_by_the_bias(kind):
    matcher, query, current = kind(line()), np.array([[50.0]], np.float32), np.array([20])
    assert matcher.find(query, current, stay_bias=899.0, ignore=0).frames.tolist() == [50]
    stayed = matcher.find(query, current, stay_bias=900.0, ignore=0)
    assert stayed.frames.tolist() == [20]
    assert stayed.costs.tolist() == [900.0]  # the bias is not part of the cost


@each
def test_frames_around_the_current_one_are_no_targets_but_only_in_its_own_clip(kind):
    space = line(clip_starts=np.array([0, 52], np.int32), clip_stops=np.array([52, 100], np.int32))
    matcher, query, current = kind(space), np.array([[50.0]], np.float32), np.array([45])
    assert matcher.find(query, current, ignore=5, stay_bias=0).frames.tolist() == [51]
    assert matcher.find(query, current, ignore=10**9).frames.tolist() == [52]  # another clip
    assert matcher.find(query, np.array([52]), ignore=10).frames.tolist() == [50]


@each
def test_there_is_no_bound_where_the_current_frame_ends_its_clip_or_fails_the_filter(kind):
    tags = np.ones((100, 1), bool)
    tags[20] = False
    matcher = kind(line(ends=flags(100, 10), tag_names=("walk",), tags=tags))
    query = np.array([[10.0], [20.0]], np.float32)
    assert matcher.find(query, np.array([10, 20]), ignore=0, filter="walk", stay_bias=1e6).frames.tolist() == [9, 19]


@each
def test_the_frame_that_plays_may_lie_where_no_jump_may_land(kind):
    matcher = kind(line(targets=~flags(100, 30)))
    assert matcher.find(np.array([[30.0]], np.float32), np.array([30])).frames.tolist() == [30]


@each
def test_cost_factors_shun_and_favour(kind):
    factor = np.ones(100, np.float32)
    factor[40], factor[60] = 100, 0.01
    found = kind(line(cost_factor=factor)).find(np.array([[40.25], [51.0]], np.float32))
    assert found.frames.tolist() == [41, 51]
    assert kind(line(cost_factor=factor)).find(np.array([[52.5]], np.float32)).frames.tolist() == [52]
    assert kind(line(cost_factor=factor)).find(np.array([[57.5]], np.float32)).frames.tolist() == [60]


@each
def test_where_no_frame_may_be_taken_the_answer_is_minus_one_and_infinite(kind):
    queries = np.zeros((200, 1), np.float32)
    for found in (
        kind(line(targets=np.zeros(100, bool))).find(queries),
        kind(line(tag_names=("walk",), tags=np.zeros((100, 1), bool))).find(queries, filter="walk"),
        kind(line(1, ends=flags(1, 0))).find(queries, np.zeros(200, int), ignore=0),
    ):
        assert (found.frames == -1).all()
        assert np.isposinf(found.costs).all()


@each
def test_costs_beyond_all_numbers_give_no_frame(kind):
    space = plain_space(np.full((40, 2), 1e30, np.float32))
    found = kind(space).find(np.array([[-1e30, 0.0], [1e30, 1e30]], np.float32), np.array([3, 3]))
    assert found.frames.tolist() == [-1, 3]


@each
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(kind, bad):
    values = np.zeros((40, 3), np.float32)
    query = np.zeros(3, np.float32)
    query[1] = bad
    matcher = kind(plain_space(values))
    with pytest.raises(KinematchError, match="query 2 is not finite"):
        matcher.find(np.stack([values[0], values[0], query]))
    with pytest.raises(KinematchError, match="weight 1 is"):
        matcher.set_weights(np.array([1, bad, 1], np.float32))
    with pytest.raises(KinematchError, match="stay_bias"):
        matcher.find(values[:1], stay_bias=bad)
    if kind is WideMatcher:
        with pytest.raises(KinematchError, match="not finite"):
            matcher.find_one(query)
    values[7, 2] = bad
    with pytest.raises(KinematchError, match="frame 7 are not finite"):
        kind(plain_space(values))


@each
def test_products_with_the_weights_that_overflow_are_refused(kind):
    matcher = kind(plain_space(np.ones((40, 2), np.float32), weights=np.array([1, 1e6], np.float32)))
    with pytest.raises(KinematchError, match="query 1 is too large"):
        matcher.find(np.array([[1, 1], [0, 1e37]], np.float32))
    with pytest.raises(KinematchError, match="query 0 is not finite"):
        matcher.find(np.array([[1, 1e39]]))  # beyond float32
    with pytest.raises(KinematchError, match="weight 0"):
        kind(plain_space(np.full((40, 2), 1e37, np.float32))).set_weights(np.array([1e6, 1], np.float32))


@each
@pytest.mark.parametrize(
    ("queries", "current", "question", "message"),
    [
        (np.zeros((2, 3)), None, {}, r"queries of shape \(2, 3\), expected \(N, 2\)"),
        (np.zeros((2, 2, 2)), None, {}, r"queries of shape \(2, 2, 2\)"),
        (np.zeros(3), None, {}, r"expected \(N, 2\)"),
        (np.zeros((2, 2), complex), None, {}, "queries: expected numbers, found complex"),
        (np.array([["1", "2"]]), None, {}, "queries: expected numbers"),
        (np.zeros((2, 2)), np.array([0]), {}, "current: expected 2 frames from -1 to 39"),
        (np.zeros((2, 2)), np.array([0, 40]), {}, "current: expected 2 frames from -1 to 39"),
        (np.zeros((2, 2)), np.array([0, -2]), {}, "current: expected 2 frames"),
        (np.zeros((2, 2)), np.array([0, 2**32]), {}, "current: expected 2 frames"),
        (np.zeros((2, 2)), np.array([0.0, 1.0]), {}, "current: expected whole numbers"),
        (np.zeros((2, 2)), None, {"stay_bias": -1.0}, "stay_bias is -1.0"),
        (np.zeros((2, 2)), None, {"stay_bias": 1e31}, "stay_bias is 1e.31"),
        (np.zeros((2, 2)), None, {"ignore": -1}, "ignore is -1"),
        (np.zeros((2, 2)), None, {"filter": "wlak"}, "did you mean 'walk'"),
    ],
)
def test_questions_that_make_no_sense_are_refused(kind, queries, current, question, message):
    matcher = kind(plain_space(np.zeros((40, 2), np.float32), tag_names=("walk",), tags=np.ones((40, 1), bool)))
    with pytest.raises(KinematchError, match=message):
        matcher.find(queries, current, **question)


@each
@pytest.mark.parametrize("frame", [40, 2_000_000_000, 2**31 - 1, -2, -(2**31)])
def test_current_frames_that_do_not_exist_are_refused_in_the_types_of_the_kernels(kind, frame):
    matcher = kind(plain_space(np.zeros((40, 2), np.float32)))
    queries = np.zeros((3, 2), np.float32)
    with pytest.raises(KinematchError, match="current: expected 3 frames from -1 to 39"):
        matcher.find(queries, np.array([0, frame, 0], np.int32))


@pytest.mark.parametrize("count", [1, 5, 300])
def test_the_query_that_is_not_finite_is_named_in_the_types_of_the_kernels(count):
    matcher = WideMatcher(plain_space(np.zeros((40, 2), np.float32), weights=np.array([1e6, 1], np.float32)))
    queries, current = np.zeros((count, 2), np.float32), np.zeros(count, np.int32)
    queries[count // 2, 1] = np.nan
    with pytest.raises(KinematchError, match=f"query {count // 2} is not finite"):
        matcher.find(queries, current)
    queries[count // 2] = 3e38, 0
    with pytest.raises(KinematchError, match=f"query {count // 2} is too large"):
        matcher.find(queries, current)


@pytest.mark.parametrize(
    ("query", "current", "message"),
    [
        (np.zeros(3, np.float32), -1, r"expected float32 of \(2,\)"),
        (np.zeros((1, 2), np.float32), -1, r"expected float32 of \(2,\)"),
        (np.zeros(2), -1, "query is float64"),
        (np.zeros(2, np.float32), 40, "current frame 40, expected -1 to 39"),
        (np.zeros(2, np.float32), -2, "current frame -2"),
    ],
)
def test_single_questions_that_make_no_sense_are_refused(query, current, message):
    matcher = WideMatcher(plain_space(np.zeros((40, 2), np.float32)))
    with pytest.raises(KinematchError, match=message):
        matcher.find_one(query, current)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": np.ones(3, np.float32)}, "weights is float32 of shape .3,., expected float32 of .2,."),
        ({"weights": np.array([1, -1], np.float32)}, "weight 1 is -1"),
        ({"targets": np.ones(39, bool)}, "targets is bool of shape .39,."),
        ({"targets": np.ones(40, np.uint8)}, "targets is uint8"),
        ({"ends": np.ones((40, 1), bool)}, "ends is bool of shape .40, 1."),
        ({"cost_factor": np.ones(40)}, "cost_factor is float64"),
        ({"cost_factor": np.zeros(40, np.float32)}, "cost factors must be numbers from 1e-06 to 1e.06"),
        ({"cost_factor": np.full(40, np.nan, np.float32)}, "cost factors must be"),
        ({"tags": np.ones((40, 2), bool)}, "tags is bool of shape .40, 2., expected bool of .40, 0."),
        ({"clip_stops": np.array([39], np.int32)}, "clips must cover"),
        ({"clip_starts": np.array([1], np.int32)}, "clips must cover"),
        ({"clip_starts": np.array([0, 20]), "clip_stops": np.array([20, 40])}, "clip_starts is int64"),
        (
            {"clip_starts": np.array([0, 40, 30], np.int32), "clip_stops": np.array([40, 30, 40], np.int32)},
            "clips must cover",
        ),
        (
            {"clip_starts": np.array([0, 0], np.int32), "clip_stops": np.array([0, 40], np.int32)},
            "clips must cover",
        ),
    ],
)
def test_spaces_that_make_no_sense_are_refused(given, message):
    with pytest.raises(KinematchError, match=message):
        plain_space(np.zeros((40, 2), np.float32), **given)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3, 129), (3,), (3, 2, 2)])
def test_spaces_of_no_frames_or_too_many_columns_are_refused(shape):
    with pytest.raises(KinematchError, match="features of shape"):
        plain_space(np.zeros(shape, np.float32))
    if len(shape) == 2:
        given = plain_space(np.zeros((3, 2), np.float32)).__dict__
        fields = {name: given[name] for name in SearchSpace.__dataclass_fields__}
        with pytest.raises(KinematchError, match="features of shape"):
            SearchSpace(**fields | {"values": np.zeros(shape, np.float32)})


@each
def test_nobody_jumps_to_where_the_filter_soon_ends_nor_plays_on_to_there(kind):
    walks = np.zeros((100, 1), bool)
    walks[20:60] = walks[70:74] = walks[90:] = True  # the last stretch ends with the clip, whose targets have a tail
    matcher = kind(line(tags=walks, tag_names=("walk",), tail=10))
    asked = np.array([[48.0], [52.0], [58.0], [72.0], [73.0], [98.0]], np.float32)
    assert matcher.find(asked, filter="walk").frames.tolist() == [48, 49, 49, 71, 71, 98]
    assert matcher.find(asked, filter="").frames.tolist() == [48, 52, 58, 72, 73, 98]
    playing = np.array([54, 55], np.int32)  # five frames before the end a search leaves, for 49 at the nearest
    asked = np.array([[54.0], [55.0]], np.float32)
    assert matcher.find(asked, playing, filter="walk", ignore=2).frames.tolist() == [54, 49]
