"""The schedule: why characters search, how many at once, and that everybody gets a turn."""

import math

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.reason import Reason
from kinematch.character.step.schedule import (
    MIN_SEARCHES,
    SPARE,
    choose_searching,
    find_reason,
    note_search,
)
from kinematch.control.command import move
from kinematch.math.selection import find_nth_largest

from ..states import open_stages

DT = 1 / 60


@pytest.fixture
def alone(database):
    """One that has searched a moment ago, as it was told to walk, and what it works on."""
    crowd = Crowd([database, database], compiled=False)
    data, _ = open_stages(crowd)
    crowd.orders.velocities[:] = crowd.state.schedule.commands[:, :3] = [0.0, 0.0, 1.0]
    crowd.orders.facings[:], crowd.state.schedule.commands[:, 3] = [0.0, 0.0, 1.0], 0.0
    crowd.orders.filters[:] = crowd.state.schedule.filters[:] = 0
    crowd.state.schedule.since[:] = 0.12  # s, between the forced interval and the usual one
    crowd.frames[:] = 20
    return crowd, data


def test_who_is_told_nothing_new_waits(alone):
    assert find_reason(alone[1], 0, DT) == Reason.NONE


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda crowd: crowd.state.schedule.since.fill(0.15), Reason.INTERVAL),
        (lambda crowd: crowd.state.schedule.since.fill(np.nan), Reason.INTERVAL),
        (lambda crowd: crowd.state.schedule.commands.fill(np.nan), Reason.FIRST),
        (lambda crowd: crowd.orders.velocities.fill(0.9), Reason.VELOCITY),
        (lambda crowd: crowd.orders.facings.__setitem__(0, [1.0, 0.0, 1.0]), Reason.FACING),
        (lambda crowd: crowd.orders.filters.fill(1), Reason.TAGS),
        (lambda crowd: crowd.orders.sources.fill(1), Reason.SOURCE),
        (lambda crowd: crowd.frames.fill(crowd.database.poses.clip_stops[0] - 1), Reason.END),
    ],
)
def test_every_reason_is_found(alone, change, reason):
    change(alone[0])
    assert find_reason(alone[1], 0, DT) == reason


@pytest.mark.parametrize(
    "change",
    [
        lambda crowd: crowd.orders.velocities.__setitem__(0, [0.0, 0.0, 1.4]),  # less than the change that counts
        lambda crowd: crowd.orders.facings.__setitem__(0, [0.5, 0.0, 1.0]),
        lambda crowd: crowd.orders.facings.fill(0.0),  # no facing at all
    ],
)
def test_small_changes_are_no_reason(alone, change):
    change(alone[0])
    assert find_reason(alone[1], 0, DT) == Reason.NONE


@pytest.mark.parametrize("frames_left", [0.4, 1.9])
def test_a_clip_that_ends_within_the_step_is_left_before_it(database, frames_left):
    """Halting at its last frame for the rest of the step looks like a jolt."""
    crowd = Crowd(database)
    crowd.step(move([0.0, 0.0, 1.3]), DT)
    last = database.poses.clip_stops[crowd.frames[0] >= database.poses.clip_starts][-1] - 1
    whole = math.ceil(frames_left)
    crowd.frames[:], crowd.state.playing.fractions[:] = last - whole, whole - frames_left
    crowd.state.schedule.since[:] = 0.0
    pose = crowd.step(move([0.0, 0.0, 1.3]), (frames_left + 0.5) / database.poses.frame_rate)
    assert (pose.jumped[0], pose.reasons[0]) == (True, Reason.END)


def test_sharp_changes_wait_for_the_forced_interval(alone):
    crowd, data = alone
    crowd.state.schedule.since[:] = 0.09
    crowd.orders.velocities[:] = 3.0
    assert find_reason(data, 0, DT) == Reason.NONE


def test_the_search_rate_does_not_depend_on_the_step_rate(database):
    counts = []
    for rate in (50, 60, 144, 500):
        crowd = Crowd(database, settings=Settings(search_interval=0.1, velocity_change=10.0))
        counts.append(sum(crowd.step(move([[0.0, 0, 1.3]]), 1 / rate).reasons[0] > 0 for _ in range(3 * rate)))
    assert max(counts) - min(counts) <= 3
    assert 29 <= min(counts) <= 36


def test_a_search_is_noted_with_what_was_told(alone):
    crowd, data = alone
    schedule = crowd.state.schedule
    for since, left in ((0.16, 0.01), (0.12, 0.0), (0.4, 0.0)):  # what is over is carried on, unless it is a whole step
        schedule.since[:] = since
        crowd.orders.velocities[:], crowd.orders.facings[:], crowd.orders.filters[:] = since, [1.0, 0, 0], 1
        note_search(data, 0, DT)
        assert schedule.since[0] == pytest.approx(left)
        np.testing.assert_allclose(schedule.commands[0], [since, since, since, np.pi / 2])
        assert schedule.filters[0] == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_nth_largest_is_that_of_a_sorted_list(seed):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.normal(size=8), 40) if seed % 2 else rng.normal(size=40)
    count, nth = 33, int(rng.integers(1, 34))
    assert find_nth_largest(values.copy(), count, nth) == np.sort(values[:count])[::-1][nth - 1]


@pytest.fixture(scope="module")
def many(database):
    return Crowd(database, 400, settings=Settings(search_interval=1.0), compiled=False)


def test_of_too_many_the_most_urgent_search_and_no_more_than_the_limit(many):
    """Ends of clips first, then the longest wait."""
    data, scratch = open_stages(many)
    rng = np.random.default_rng(0)
    schedule = many.state.schedule
    schedule.commands[:] = 0.0
    schedule.filters[:] = many.orders.filters[:] = 0
    schedule.since[:] = rng.permutation(np.linspace(0.5, 1.5, 400))  # half of them are due
    ended = rng.choice(400, 10, replace=False)
    many.frames[:] = 30
    many.frames[ended] = many.database.poses.clip_stops[0] - 1
    choose_searching(data, scratch, DT)
    assert data.work.searching.sum() == MIN_SEARCHES
    expected = set(ended.tolist())
    for n in np.argsort(-schedule.since):
        if len(expected) < MIN_SEARCHES:
            expected.add(int(n))
    assert set(np.flatnonzero(data.work.searching).tolist()) == expected
    assert ((data.pose.reasons > 0) == data.work.searching).all()
    assert (data.pose.reasons[ended] == Reason.END).all()


def test_equally_urgent_ones_fill_the_limit_exactly(many):
    data, scratch = open_stages(many)
    many.frames[:], many.state.schedule.since[:] = 30, 2.0
    choose_searching(data, scratch, 0.2)
    assert data.work.searching.sum() == np.ceil(SPARE * 400 * 0.2)


def test_everybody_gets_a_turn(many):
    data, scratch = open_stages(many)
    many.frames[:], many.state.schedule.since[:] = 30, 2.0
    searched = np.zeros(400, int)
    for _ in range(400 // MIN_SEARCHES + 1):
        choose_searching(data, scratch, DT)
        for n in np.flatnonzero(data.work.searching):
            note_search(data, n, DT)
        searched += data.work.searching
        many.state.schedule.since[:] += DT
    assert (searched == 1).all()
