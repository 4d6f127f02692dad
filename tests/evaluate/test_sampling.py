"""What is shown at any rate is seen alike."""

import numpy as np
import pytest

from kinematch.evaluate.sampling import SCORED, rarer, seen_take, seen_values, shown_at


@pytest.mark.parametrize("rate", [20.0, 30.0, 60.0, 120.0, 250.0, 500.0])
def test_a_smooth_motion_is_seen_alike_at_any_rate(rate):
    def motion(times):
        return np.stack([np.sin(7 * times), np.cos(5 * times) + times], axis=-1)

    seen = seen_values(motion(np.arange(round(2 * rate) + 1) / rate), rate)
    assert len(seen) == 2 * SCORED + 1
    np.testing.assert_allclose(seen, motion(np.arange(len(seen)) / SCORED), atol=4e-3 if rate == 20 else 2e-3)


def test_a_toe_that_comes_to_rest_is_seen_at_rest_however_rarely_it_is_shown():
    way = np.minimum(np.arange(40) / 20, 1.0)[:, None]  # at 1 m/s, then still
    assert np.ptp(seen_values(way, 20.0)[61:]) == 0


def test_a_clip_is_shown_as_it_is_played(database):
    clip = database.poses.clip(1).frames(0, 31).with_(frame_rate=30.0)
    twice = shown_at(clip, 60.0)
    assert (twice.frame_count, twice.frame_rate) == (61, 60.0)
    np.testing.assert_array_equal(twice.positions[::2], clip.positions)
    np.testing.assert_allclose(twice.positions[1::2], (clip.positions[1:] + clip.positions[:-1]) / 2, atol=1e-6)
    assert shown_at(clip, 20.0).frame_count == 21


def test_of_a_take_that_is_seen_rarely_only_the_last_of_some_steps_is_known(make_take):
    roots = np.random.default_rng(3).normal(size=(62, 3))
    whole = make_take(roots, jumped=np.arange(62) == 7)
    rare = rarer(whole, 3)
    assert (rare.rate, len(rare.positions), rarer(whole, 1)) == (20.0, 20, whole)
    np.testing.assert_array_equal(rare.body_positions, roots[2:60:3])
    np.testing.assert_array_equal(np.flatnonzero(rare.jumped), [2])  # within steps 6 to 8
    seen = seen_take(rare)
    assert (seen.rate, len(seen.positions)) == (60.0, 60)
    np.testing.assert_allclose(seen.body_positions[2::3], roots[2:60:3], atol=1e-12)
