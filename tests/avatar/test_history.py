"""The last seconds of trackers, however often the arrays went round."""

import numpy as np

from kinematch.avatar.history import UserHistory
from kinematch.avatar.trackers import POINTS, WITHOUT_FINGERS, Trackers


def make_sample(number: int) -> Trackers:
    rng = np.random.default_rng(number)
    points = 1, len(POINTS)
    places, speeds, spins = rng.normal(size=(3, *points, 3))
    turns = rng.normal(size=(*points, 4))
    return Trackers(np.array([number / 90]), places, turns, speeds, spins, rng.random(points) < 0.8)


def test_the_last_seconds_are_recalled_in_order():
    history = UserHistory(size=20)
    assert len(history.recall(1.0)) == 0
    samples = []
    for number in range(65):
        samples.append(make_sample(number))
        history.append(samples[-1])
        for seconds, most in ((0.0, 1), (5.01 / 90, 6), (9.0, 20)):
            found, expected = history.recall(seconds), samples[-most:]
            for name in WITHOUT_FINGERS:
                np.testing.assert_allclose(
                    getattr(found, name), np.concatenate([getattr(one, name) for one in expected]), atol=1e-15
                )
    history.clear()
    assert len(history.recall(1.0)) == 0
