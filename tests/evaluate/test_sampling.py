"""What is shown at any rate is seen alike."""

import numpy as np
import pytest

from kinematch.evaluate.sampling import SCORED, seen_values, shown_at


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
