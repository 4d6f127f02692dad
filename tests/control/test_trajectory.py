"""Trajectories: kernels give what the plain definitions give, and what cannot be followed is refused."""

import numpy as np
import pytest

from kinematch.control import trajectory_plain
from kinematch.control.body import place_at_rest
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError

TIMES = np.array([-0.1, 0.0, 0.3, 1.0])


def make_trajectory(count: int = 5, **changes) -> Trajectory:
    rng = np.random.default_rng(2)
    positions, directions = rng.normal(size=(2, count, len(TIMES), 3))
    positions[1] *= 1e-3  # stands
    return Trajectory(**{"times": TIMES, "positions": positions, "directions": directions, **changes})


@pytest.mark.parametrize("elapsed", [0.0, 0.07])
def test_mean_velocities_and_bodies_are_as_defined(elapsed):
    trajectory, characters = make_trajectory(elapsed=elapsed), np.array([0, 3, 4], np.int32)
    np.testing.assert_allclose(
        trajectory.mean_velocities(), trajectory_plain.find_mean_velocities(trajectory), atol=1e-12
    )
    assert not trajectory.mean_velocities()[1].any()
    body = place_at_rest(np.zeros((5, 3)), np.zeros(5))
    body.accelerations[:] = 1.0
    trajectory.place_bodies(body, characters, 0.05)
    for found, expected in zip(body.take(characters), trajectory_plain.locate_bodies(trajectory, characters, 0.05)):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert not body.positions[1].any()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"times": TIMES[::-1]}, "increase"),
        ({"times": TIMES + 1}, "increase"),
        ({"times": [0.0, np.nan, 0.5, 1.0]}, "not finite"),
        ({"positions": np.full((5, 4, 3), np.inf)}, "not finite"),
        ({"directions": np.tile([0.0, 1.0, 0.0], (5, 4, 1))}, "vertical"),
        ({"positions": np.zeros((5, 3, 3))}, "shape"),
        ({"directions": np.ones((4, 4, 3))}, "shape"),
        ({"positions": "here"}, "not numbers"),
    ],
)
def test_what_cannot_be_followed_is_refused(changes, words):
    with pytest.raises(KinematchError, match=words):
        make_trajectory(**changes)
