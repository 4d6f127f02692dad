"""Trajectories: bodies are on them, as scipy interpolates them, and what cannot be followed is refused."""

import numpy as np
import pytest
from scipy.interpolate import interp1d

from kinematch.control.body import place_at_rest
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError

TIMES = np.array([-0.1, 0.0, 0.3, 1.0])


def make_trajectory(count: int = 5, **changes) -> Trajectory:
    rng = np.random.default_rng(2)
    positions, directions = rng.normal(size=(2, count, len(TIMES), 3))
    positions[1] *= 1e-3  # stands
    return Trajectory(**{"times": TIMES, "positions": positions, "directions": directions, **changes})


def find_places(trajectory: Trajectory, times: np.ndarray) -> np.ndarray:
    """(N, T, 3) m at times from when it was given; beyond its ends it goes straight on."""
    return interp1d(trajectory.times, trajectory.positions, axis=1, fill_value="extrapolate")(times)


def find_yaws(trajectory: Trajectory, times: np.ndarray) -> np.ndarray:
    """(N, T) rad; beyond its ends they stay."""
    yaws = np.unwrap(np.arctan2(trajectory.directions[..., 0], trajectory.directions[..., 2]), axis=1)
    return np.array([np.interp(times, trajectory.times, own) for own in yaws])


@pytest.mark.parametrize("elapsed", [0.0, 0.07])
def test_samples_are_linear_between_those_given(elapsed):
    trajectory, times = make_trajectory(elapsed=elapsed), np.linspace(-0.4, 1.6, 40)
    positions, yaws = trajectory.sample(times)
    np.testing.assert_allclose(positions, find_places(trajectory, times + elapsed), atol=1e-12)
    np.testing.assert_allclose(np.exp(1j * yaws), np.exp(1j * find_yaws(trajectory, times + elapsed)), atol=1e-12)


@pytest.mark.parametrize("elapsed", [0.0, 0.07])
def test_bodies_are_on_their_trajectory_with_its_velocity(elapsed):
    trajectory, characters = make_trajectory(elapsed=elapsed), np.array([0, 3, 4], np.int32)
    body = place_at_rest(np.zeros((5, 3)), np.zeros(5))
    body.accelerations[:] = 1.0
    trajectory.place_bodies(body, characters, 0.05)
    reach = 0.05  # s on either side, half of the first span
    moments = elapsed + 0.05 + np.array([-reach, 0.0, reach])
    places, yaws = find_places(trajectory, moments)[characters], find_yaws(trajectory, moments)[characters]
    np.testing.assert_allclose(body.positions[characters], places[:, 1], atol=1e-12)
    np.testing.assert_allclose(body.velocities[characters], (places[:, 2] - places[:, 0]) / (2 * reach), atol=1e-12)
    np.testing.assert_allclose(np.exp(1j * body.yaws[characters]), np.exp(1j * yaws[:, 1]), atol=1e-12)
    np.testing.assert_allclose(body.yaw_rates[characters], (yaws[:, 2] - yaws[:, 0]) / (2 * reach), atol=1e-12)
    assert not body.accelerations[characters].any()
    assert not body.positions[[1, 2]].any()


@pytest.mark.parametrize("elapsed", [0.0, 0.07])
def test_mean_velocities_lead_to_the_end_and_are_none_where_a_trajectory_stands(elapsed):
    trajectory = make_trajectory(elapsed=elapsed)
    now = find_places(trajectory, np.array([elapsed]))[:, 0]
    found, expected = trajectory.mean_velocities(), (trajectory.positions[:, -1] - now) / TIMES[-1]
    np.testing.assert_allclose(found[[0, 2, 3, 4]], expected[[0, 2, 3, 4]], atol=1e-12)
    assert not found[1].any()


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
