"""Projecting: what is found is jumped to, in the units of its source, and nobody jumps to and fro."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.constants import NO_RETURN
from kinematch.character.step.project import project
from kinematch.control.command import move
from kinematch.database.storage import Database

from ..states import open_stages


@pytest.fixture
def stage(database):
    """One character that searches; `answers` are what the search finds, by how many frames are ignored."""
    crowd = Crowd([database, database], compiled=False)
    crowd.step(move([[0.0, 0, 1.0]]), 0.0)
    data, scratch = open_stages(crowd)
    crowd.frames[:], crowd.state.offsets.ages[:], crowd.state.schedule.left[:] = 100, 9.0, -1
    asked = []

    def answer(find):
        for searches in crowd.runner.searches.values():
            searches.find = lambda query, current, number, idle, ignored, bias: asked.append(ignored) or find(ignored)

    return crowd, data, scratch, answer, asked


def test_a_frame_that_is_found_is_jumped_to(stage):
    crowd, data, scratch, answer, asked = stage
    answer(lambda ignored: (300, 1.5))
    project(data, 0, scratch)
    assert (crowd.frames[0], data.pose.jumped[0], crowd.state.offsets.ages[0]) == (300, True, 0.0)
    assert (crowd.state.schedule.left[0], crowd.state.schedule.frames[0], crowd.state.schedule.costs[0]) == (
        100,
        100,
        1.5,
    )
    assert len(asked) == 1


def test_the_playing_frame_plays_on(stage):
    crowd, data, scratch, answer, _ = stage
    answer(lambda ignored: (100, 0.5))
    project(data, 0, scratch)
    assert (crowd.frames[0], data.pose.jumped[0], crowd.state.offsets.ages[0]) == (100, False, 9.0)


@pytest.mark.parametrize("idle", [False, True])
def test_the_nearer_past_is_searched_where_nothing_else_may_be_taken(stage, idle):
    crowd, data, scratch, answer, asked = stage
    crowd.state.schedule.idle[:] = idle
    answer(lambda ignored: (-1, np.inf) if ignored else (90, 2.0))
    project(data, 0, scratch)
    own = crowd.runner.searches[0].ignores[data.orders.filters[0]]
    assert asked == ([own[1], own[0], 0] if idle and own[1] > own[0] else [own[int(idle)], 0])
    assert crowd.frames[0] == 90
    assert not data.work.failures[0]


def test_where_nothing_is_found_the_clip_plays_on_and_only_an_empty_filter_is_a_failure(stage):
    crowd, data, scratch, answer, _ = stage
    answer(lambda ignored: (-1, np.inf))
    project(data, 0, scratch)
    assert (crowd.frames[0], data.work.failures[0]) == (100, 0)
    crowd.runner.searches[0].admits[:] = False
    project(data, 0, scratch)
    assert (crowd.frames[0], data.work.failures[0]) == (100, data.orders.filters[0] + 1)


def test_a_query_that_is_too_far_is_not_searched(stage):
    crowd, data, scratch, answer, asked = stage
    answer(lambda ignored: (300, 1.5))
    crowd.state.schedule.queries[0, 3] = np.nan
    project(data, 0, scratch)
    assert crowd.frames[0] == 100
    assert not asked


@pytest.mark.parametrize(
    ("age", "left", "jumps"),
    [(0.3, 305, False), (0.3, 100 + 10**6, True), (0.3, -1, True), (NO_RETURN + 0.1, 305, True)],
)
def test_nobody_goes_back_at_once_to_where_a_jump_left(stage, age, left, jumps):
    crowd, data, scratch, answer, _ = stage
    crowd.state.schedule.commands[:] = 0.0  # frame 100 is of an idle clip
    crowd.state.offsets.ages[:], crowd.state.schedule.left[:] = age, left
    answer(lambda ignored: (300, 1.5))
    project(data, 0, scratch)
    assert data.pose.jumped[0] == jumps
    if age > NO_RETURN:
        assert crowd.state.schedule.left[0] == 100


@pytest.mark.parametrize("compiled", [True, False])
def test_a_query_for_another_source_is_put_into_its_units(database, compiled):
    features = database.features
    other = Database(database.poses, replace(features, scale=2 * features.scale, offset=features.offset + 1))
    crowd = Crowd([database, other], settings=Settings(foot_lock=False), compiled=compiled)
    crowd.step(move([[0.0, 0, 1.0]]), 0.0)
    kept = crowd.state.copy()
    crowd.state.schedule.since[:] = 1.0
    crowd.step(move([[0.0, 0, 1.0]]), 0.0)
    own = crowd.state.schedule.queries.copy()
    crowd.restore(kept)
    crowd.step(replace(move([[0.0, 0, 1.0]]), source=1), 0.0)
    assert crowd.state.playing.sources[0] == 1
    theirs = crowd.state.schedule.queries * other.features.scale + other.features.offset
    np.testing.assert_allclose(theirs, own * features.scale + features.offset, atol=1e-4)
