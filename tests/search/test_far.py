"""Queries far outside the data: exact at any distance, and told apart from near ones in every column."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from kinematch.search import WideMatcher
from kinematch.search.layout_kernels import FAR_COST
from kinematch.search.space import plain_space

AGREEMENT = runpy.run_path(str(Path(__file__).with_name("agreement.py")))
Case, check, random_case, random_space, reference, same = (
    AGREEMENT[name] for name in ("Case", "check", "random_case", "random_space", "reference", "same")
)
DISTANCES = [3.0, 10.0, 100.0, 1e4, 1e6, 1e8, 1e12, 1e17, 1e22]  # standard deviations
DIRECTIONS = ["random", "one column", "several columns", "all columns"]


def wandering_space(rng: np.random.Generator, frames: int, columns: int, **given):
    """Clips that wander, as motion does, with tags, cost factors, ends and frames that are no targets."""
    stops = np.append(np.sort(rng.choice(np.arange(1, frames), 7, replace=False)), frames).astype(np.int32)
    ends = np.zeros(frames, bool)
    ends[stops - 1] = True
    return plain_space(
        np.cumsum(rng.normal(size=(frames, columns)) * 0.1, axis=0),
        clip_starts=np.append(0, stops[:-1]).astype(np.int32),
        clip_stops=stops,
        ends=ends,
        targets=rng.random(frames) < 0.95,
        tag_names=AGREEMENT["TAGS"],
        tags=rng.random((frames, 3)) < (0.95, 0.5, 0.02),
        **given,
    )


def far_queries(rng: np.random.Generator, values: np.ndarray, distance: float, direction: str) -> np.ndarray:
    columns, count = values.shape[1], 40
    moves = rng.normal(size=(count, columns))
    match direction:
        case "one column":
            moves *= rng.permuted(np.eye(columns)[np.zeros(count, int)], axis=1)
        case "several columns":
            moves *= rng.random((count, columns)) < 0.3
        case "all columns":
            moves = np.ones((count, columns)) * rng.choice([-1, 1], size=(count, 1))
    start = values[rng.integers(len(values), size=count)].astype(np.float64)
    return (start + moves * distance * values.std(axis=0, dtype=np.float64)).astype(np.float32)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("distance", DISTANCES)
def test_far_queries_are_answered_as_by_the_plain_scan(distance, direction):
    rng = np.random.default_rng(int(np.log2(distance)) * len(DIRECTIONS) + DIRECTIONS.index(direction))
    for columns, factors in ((27, False), (9, True), (3, False), (4, True)):
        given = {"cost_factor": (2.0 ** rng.uniform(-1, 1, 1500)).astype(np.float32)} if factors else {}
        space = wandering_space(rng, 1500, columns, **given)
        queries = far_queries(rng, space.values, distance, direction)
        current = np.where(rng.random(len(queries)) < 0.5, rng.integers(1500, size=len(queries)), -1).astype(np.int32)
        for filter, bias, ignore in (("", 0.0, 20), ("a & !b | c", 0.1 * distance, 0)):
            check(Case(space, queries, current, filter, min(bias, 1e30), ignore))


@pytest.mark.parametrize("threshold", [-1.0, np.inf], ids=["float32 boxes", "quantised boxes"])
def test_both_kinds_of_boxes_are_exact_for_any_query(threshold):
    """Which of them a query takes is a matter of speed alone."""
    for seed in range(60):
        case = random_case(seed)
        matcher = WideMatcher(case.space)
        matcher._tree.weighted.numbers[FAR_COST] = threshold
        same(matcher.find(case.queries, case.current, **case.question), reference(case), f"seed {seed}")


def test_queries_beyond_frames_that_leaves_clamp_are_exact():
    """A query at an outlier, whose level in the leaf says only that it lies beyond."""
    rng = np.random.default_rng(3)
    values = np.cumsum(rng.normal(size=(2000, 9)) * 0.1, axis=0)
    outliers = rng.choice(2000, 60, replace=False)
    values[outliers, 4] += rng.choice([-1, 1], 60) * rng.uniform(1e3, 1e5, 60)
    space = plain_space(values)
    matcher = WideMatcher(space)
    assert np.isfinite(matcher._tree.weighted.fine_reach).any(axis=1).tolist().count(True) == 1
    queries = (space.values[outliers] + rng.normal(size=(60, 9))).astype(np.float32)
    matcher._tree.weighted.numbers[FAR_COST] = -1.0
    case = Case(space, queries, rng.integers(2000, size=60).astype(np.int32), "", 0.0, 20)
    same(matcher.find(queries, case.current), reference(case), "outliers")


def test_where_float32_cannot_tell_frames_apart_the_first_wins_or_the_one_that_plays_stays():
    rng = np.random.default_rng(0)
    space = plain_space(rng.normal(size=(3000, 5)), targets=np.arange(3000) >= 7)
    query = np.full((2, 5), 1e12, np.float32)
    found = WideMatcher(space).find(query, np.array([-1, 1234]))
    assert found.frames.tolist() == [7, 1234]
    assert found.costs[0] == found.costs[1]


def is_far(matcher: WideMatcher, query: np.ndarray) -> bool:
    """As `_order_query` says, in plain numpy."""
    weighted = matcher._tree.weighted
    low, high = weighted.reach.swapaxes(0, 1).reshape(2, -1)[:, : len(query)]
    q = (query * weighted.roots)[weighted.order]
    gap = np.maximum(np.maximum(low - q, q - high), 0)
    return bool(np.sum(gap * gap) > weighted.numbers[FAR_COST])


@pytest.mark.parametrize("scales", [np.ones(12), np.geomspace(1, 1e-3, 12), np.geomspace(1, 1e3, 12)])
def test_a_query_is_far_in_whatever_column_it_leaves_the_data(scales):
    """Also in narrow columns, which boxes leave out, and in wide ones, whose ends are clamped."""
    rng = np.random.default_rng(1)
    matcher = WideMatcher(plain_space(np.cumsum(rng.normal(size=(4000, 12)), axis=0) * scales))
    values = matcher.space.values
    near = [is_far(matcher, query) for query in values[::7]]
    assert np.mean(near) < (0.05 if scales[-1] <= 1 else 1)
    middle, widest = np.median(values, axis=0), np.ptp(values, axis=0).max()
    for column in range(12):
        for side in (-1, 1):
            query = middle.copy()
            query[column] += side * 3 * widest
            assert is_far(matcher, query)
