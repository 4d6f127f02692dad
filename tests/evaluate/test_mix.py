"""The mix of gaits: the source counts towards the limits as much in each gait as the course asks for it."""

import numpy as np
import pytest

from kinematch.evaluate.course import CommandSpan, of_legs
from kinematch.evaluate.gaits import Gaits
from kinematch.evaluate.mix import measure_mix, weigh_frames
from kinematch.evaluate.scenarios import course
from kinematch.evaluate.smoothness import limits_of

GAITS = Gaits({"walk": 1.3, "jog": 2.4, "sprint": 3.6}, 0.6)


def test_the_mix_of_a_course_is_what_it_asks_for():
    legs = [CommandSpan(1.0, 0.0), CommandSpan(4.0, 1.3), CommandSpan(3.0, 2.4), CommandSpan(2.0, 3.6)]
    np.testing.assert_allclose(measure_mix([of_legs("all", "all", legs)]), [0.1, 0.4, 0.3, 0.2])


def test_the_quick_course_runs_more_than_the_whole_one():
    whole, quick = measure_mix(course(GAITS)), measure_mix(course(GAITS, quick=True))
    assert whole.sum() == quick.sum() == pytest.approx(1)
    assert quick[3] > 1.2 * whole[3]


def test_weighed_frames_have_the_mix():
    rng, mix = np.random.default_rng(0), np.array([0.2, 0.4, 0.1, 0.3])
    speeds = [rng.uniform(0, 1.8, 900), rng.uniform(0, 5, 100)]
    weights = np.concatenate(weigh_frames(speeds, mix))
    bands = np.searchsorted((0.3, 1.8, 3.0), np.concatenate(speeds), side="right")
    np.testing.assert_allclose(np.bincount(bands, weights), mix)


def test_a_gait_that_the_source_has_not_leaves_the_others_in_proportion():
    weights = weigh_frames([np.full(10, 1.0), np.full(30, 2.0)], np.array([0.1, 0.4, 0.2, 0.3]))
    assert weights[0].sum() == pytest.approx(2 / 3)
    assert weights[1].sum() == pytest.approx(1 / 3)


def test_limits_do_not_depend_on_how_much_of_a_gait_was_recorded():
    """A minute of running and an hour: by its mix the course is as rough against either."""
    rng = np.random.default_rng(1)
    walk, run = rng.normal(size=(4000, 2, 3)), 5 * rng.normal(size=(4000, 2, 3))
    mix = np.array([0.0, 0.5, 0.0, 0.5])
    speeds = [np.full(4000, 1.0), np.full(4000, 4.0)]
    alike = limits_of([walk, run], 60.0, weigh_frames(speeds, mix))
    shares = [np.full(4000, 1.0), np.full(400, 4.0)]
    rare = limits_of([walk, run[:400]], 60.0, weigh_frames(shares, mix))
    plain = limits_of([walk, run[:400]], 60.0)
    assert np.abs(rare.accelerations / alike.accelerations - 1).max() < 0.15
    assert (plain.accelerations < rare.accelerations).all()


def test_frames_that_all_weigh_the_same_give_the_plain_percentile():
    motions = [np.random.default_rng(2).normal(size=(5000, 3, 3))]
    plain, weighed = limits_of(motions, 60.0), limits_of(motions, 60.0, [np.full(5000, 1 / 5000)])
    np.testing.assert_allclose(weighed.accelerations, plain.accelerations, rtol=0.02)
    np.testing.assert_array_equal(weighed.largest, plain.largest)
