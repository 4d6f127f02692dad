"""Trajectories that a controller gives are what is asked for, and the simulated body is on them."""

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.control.command import follow_trajectory, move
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError
from kinematch.scene.terrain import HeightFunction

DT = 1 / 60
TIMES = np.array([0.0, 0.25, 0.5, 1.0])


def along(place: np.ndarray, velocity: np.ndarray) -> Trajectory:
    positions = place[:, None] + TIMES[:, None] * velocity[:, None]
    return Trajectory(TIMES, positions, np.broadcast_to(velocity[:, None], positions.shape))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("dt", [DT, 0.1, 0.5])
def test_the_body_is_on_the_trajectory_after_a_step_of_any_length(database, compiled, dt):
    crowd, velocity = Crowd(database, 2, compiled=compiled), np.array([[0.0, 0, 1.3], [0.5, 0, 1.0]])
    crowd.step(follow_trajectory(along(np.zeros((2, 3)), velocity)), dt)
    np.testing.assert_allclose(crowd.body.positions, velocity * dt, atol=1e-9)
    np.testing.assert_allclose(crowd.body.yaws, np.arctan2(velocity[:, 0], velocity[:, 2]), atol=1e-9)
    np.testing.assert_allclose(crowd.body.velocities, velocity, atol=1e-6)


def test_what_is_asked_is_what_was_given(database):
    crowd, velocity = Crowd(database, settings=Settings(search_interval=0.01)), np.array([[0.3, 0, 1.2]])
    place = np.zeros((1, 3))
    for _ in range(60):
        given = along(place, velocity)
        crowd.step(follow_trajectory(given), DT)
        place = place + velocity * DT
    horizons = np.array([time for time in database.features.schema.times if time >= 0])
    expected, yaws = given.sample(horizons - crowd.fractions[0] / database.poses.frame_rate + DT)
    asked = crowd.state.schedule.trajectories[0]
    np.testing.assert_allclose(asked[:, :3], expected[0], atol=0.05)
    np.testing.assert_allclose(asked[:, 3], yaws[0], atol=1e-6)
    assert np.linalg.norm(crowd.root_positions - place) < 0.35  # the character follows


def test_a_trajectory_that_stands_lets_the_character_idle(database):
    crowd = Crowd(database)
    for _ in range(120):
        crowd.step(follow_trajectory(Trajectory(TIMES, np.zeros((1, 4, 3)), np.tile([0.0, 0, 1], (1, 4, 1)))), DT)
    assert crowd.state.schedule.idle[0]


@pytest.mark.parametrize(
    ("times", "positions", "directions"),
    [
        ([0.0], np.zeros((1, 1, 3)), np.ones((1, 1, 3))),
        ([0.1, 0.5], np.zeros((1, 2, 3)), np.ones((1, 2, 3))),
        ([0.5, 0.0], np.zeros((1, 2, 3)), np.ones((1, 2, 3))),
        ([0.0, 0.5], np.zeros((1, 3, 3)), np.ones((1, 2, 3))),
        ([0.0, 0.5], np.full((1, 2, 3), np.nan), np.ones((1, 2, 3))),
        ([0.0, 0.5], np.zeros((1, 2, 3)), np.zeros((1, 2, 3))),
        ("soon", np.zeros((1, 2, 3)), np.ones((1, 2, 3))),
    ],
)
def test_trajectories_that_are_none_are_refused(times, positions, directions):
    with pytest.raises(KinematchError, match="trajectory"):
        Trajectory(times, positions, directions)


def test_a_trajectory_of_others_is_refused(database):
    with pytest.raises(KinematchError, match="a trajectory of 2 characters, expected 1"):
        Crowd(database).step(
            move([[0.0, 0, 1]]).__class__(
                np.zeros((1, 3)), np.zeros((1, 3)), trajectory=along(np.zeros((2, 3)), np.ones((2, 3)))
            ),
            DT,
        )


def test_terrain_that_is_taken_away_no_longer_moves_anybody(database):
    slope = HeightFunction(lambda x, z: 0.1 * z)
    fast, slow = (Crowd(database, 2, terrain=slope, compiled=compiled) for compiled in (True, False))
    for step in range(60):
        if step == 30:
            fast.terrain = slow.terrain = None
        a, b = (crowd.step(move(np.tile([0.0, 0, 1.3], (2, 1))), DT) for crowd in (fast, slow))
        np.testing.assert_allclose(a.global_positions, b.global_positions, atol=1e-4)
