"""Nobody jumps: frames in which an estimator takes somebody else for the person it follows."""

import numpy as np

from kinematch.camera.follower import LOST_SECONDS, find_steady

RATE = 20.0


def walk(seconds=4.0):
    times = np.arange(round(seconds * RATE)) / RATE
    return times, np.stack([-2 + 1.3 * times, np.full_like(times, -0.8), 5 + 0.3 * np.sin(3 * times)], axis=1)


def test_somebody_who_walks_runs_or_is_seen_badly_is_followed():
    times, places = walk()
    rng = np.random.default_rng(0)
    assert find_steady(places, times).all()
    assert find_steady(places * [3.5, 1, 1] + rng.uniform(-0.05, 0.05, places.shape) * [1, 1, 8], times).all()


def test_frames_of_somebody_else_are_left_out_and_the_first_is_found_again():
    times, places = walk()
    mixed = places.copy()
    mixed[30:35] += [0.9, -0.9, 2.3]
    steady = find_steady(mixed, times)
    assert not steady[30:33].any()
    assert steady[:30].all()
    assert steady[36:].all()


def test_who_stays_away_is_followed_there():
    times, places = walk()
    places[30:] += [4.0, 0, 0]
    steady = find_steady(places, times)
    assert not steady[30:].all()
    assert steady[30 + round(LOST_SECONDS * RATE) :].all()


def test_a_clock_that_begins_anew_stops_nothing():
    times, places = walk()
    assert find_steady(np.concatenate([places, places]), np.concatenate([times, times])).all()
