"""No wrong answer in thousands, on the built-in database and on three sizes of real mocap."""

import numpy as np
import pytest

from kinematch.database import storage
from kinematch.search import BoxMatcher, ExhaustiveMatcher, SearchSpace, WideMatcher, search_space

FRAMES = {"S": 16_500, "M": 53_800, "XL": 283_600}  # as the sets are described
COUNT = 10_000
LARGE = 20_000  # frames from which on every fourth question is asked: the answers by trying all of them take long


def questions(database: storage.Database, space: SearchSpace) -> tuple[np.ndarray, np.ndarray]:
    """Random pairs of pose and trajectory, replayed frames with noise, and queries far outside; half with a bound."""
    rng = np.random.default_rng(0)
    schema = database.features.schema
    way = np.repeat([f.group == "trajectory" for f in schema.features], [f.width for f in schema.features])
    pose, path = rng.integers(space.frame_count, size=(2, COUNT))
    queries = np.where(way, space.values[path], space.values[pose])
    replayed = slice(5_000, 9_500)
    at = np.arange(4_500) * 7 % space.frame_count  # frames one after the other, as they are played
    noise = rng.normal(size=(4_500, space.column_count)) * rng.choice([0, 0.01, 0.1], size=(4_500, 1))
    queries[replayed], pose[replayed] = space.values[at] + noise, at
    far = slice(9_500, COUNT)
    moves = rng.normal(size=(500, space.column_count)) * rng.choice([3, 10, 100, 1e4, 1e6], size=(500, 1))
    moved = rng.random((500, space.column_count)) < rng.choice([1 / space.column_count, 0.2, 1], size=(500, 1))
    queries[far] += moves * moved * space.values.std(axis=0)
    current = np.where(rng.random(COUNT) < 0.5, pose, -1)
    return queries.astype(np.float32), current.astype(np.int32)


@pytest.mark.slow
def test_no_wrong_answer_in_thousands(real_database, request):
    database = storage.load(real_database)
    space = search_space(database)
    expected = FRAMES.get(request.node.callspec.params["real_database"], space.frame_count)
    assert abs(space.frame_count - expected) < 0.01 * expected
    queries, current = questions(database, space)
    if space.frame_count > LARGE:
        queries, current = queries[::4], current[::4]
    right = ExhaustiveMatcher(space).find(queries, current, stay_bias=0.01)
    assert len(np.unique(right.frames)) > 1_000
    wide = WideMatcher(space)
    for matcher in (wide, BoxMatcher(space)):
        found = matcher.find(queries, current, stay_bias=0.01)
        wrong = (found.frames != right.frames) | (found.costs != right.costs)
        assert wrong.sum() == 0, f"{type(matcher).__name__}: {wrong.sum()} wrong"
    for n in range(0, len(queries), 10):
        answer = wide.find_one(queries[n], int(current[n]), stay_bias=0.01)
        assert answer == (right.frames[n], right.costs[n])
