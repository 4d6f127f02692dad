"""Laws of following: bodies stop at the distance, keep up with a walking target, and leave each other room."""

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.follow import Follow
from kinematch.errors import KinematchError

SETTINGS = Settings()


def moved(body: SimulatedBody, command, dt: float) -> SimulatedBody:
    after = predict_bodies(body, command, np.array([dt]), SETTINGS.halflives)
    names = ("positions", "velocities", "accelerations", "yaws", "yaw_rates")
    return SimulatedBody(*(getattr(after, name)[:, 0] for name in names))


@pytest.mark.parametrize("dt", [1 / 20, 1 / 60, 1 / 200])
@pytest.mark.parametrize("speed", [1.4, 5.0])
def test_a_body_comes_to_its_distance_and_stops_there(dt, speed):
    follow = Follow([0.0, 0, 10.0], distance=1.5, speed=speed)
    body, gaps = place_at_rest(np.zeros((1, 3)), np.zeros(1)), []
    for _ in range(round(12 / dt)):
        command = follow.command(body, dt)
        body = moved(body, command, dt)
        gaps.append(10 - body.positions[0, 2])
    assert min(gaps) > 1.5 - 1e-6
    assert gaps[-1] == pytest.approx(1.5, abs=0.02)
    np.testing.assert_allclose(command.facings, [[0, 0, 1]], atol=1e-6)


def test_a_body_keeps_up_with_one_who_walks_in_a_circle():
    place = np.zeros(3)
    follow = Follow(lambda: place, distance=1.2, speed=2.8)
    body, gaps = place_at_rest(np.zeros((1, 3)), np.zeros(1)), []
    for k in range(1800):
        angle = 1.4 * k / 60 / 5.0
        place[:] = 5 * np.sin(angle), 0, 5 * np.cos(angle)
        body = moved(body, follow.command(body, 1 / 60), 1 / 60)
        gaps.append(np.linalg.norm(body.positions[0] - place))
    assert max(gaps[600:]) < 2.5
    assert min(gaps[600:]) > 0.8


def test_small_movements_of_the_target_start_no_one():
    follow = Follow([0.0, 0, 2.0], distance=1.5, slack=0.6)
    body = place_at_rest(np.array([[0.0, 0, 0.4]]), np.zeros(1))
    for z in (2.0, 2.3, 2.45):
        follow.target = [0.0, 0, z]
        assert not follow.command(body, 1 / 60).velocities.any()
    follow.target = [0.0, 0, 2.6]
    assert follow.command(body, 1 / 60).velocities[0, 2] > 0


def test_followers_of_one_leave_each_other_room():
    starts = np.random.default_rng(0).uniform(-1, 1, (12, 3)) * [4, 0, 4]
    nearest = {}
    for room in (0.0, 1.0):
        follow = Follow([0.0, 0, 15.0], room=room)
        body = place_at_rest(starts, np.zeros(12))
        for _ in range(900):
            body = moved(body, follow.command(body, 1 / 60), 1 / 60)
        apart = np.linalg.norm(body.positions[:, None] - body.positions[None], axis=-1) + 9 * np.eye(12)
        nearest[room] = apart.min(axis=1).mean()
        assert np.linalg.norm(body.velocities, axis=-1).max() < 0.3
    assert nearest[1.0] > 1.5 * nearest[0.0]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(KinematchError, match="speed 0"):
        Follow([0.0, 0, 0], speed=0)
    with pytest.raises(KinematchError, match="target of shape"):
        Follow([0.0, 0]).command(place_at_rest(np.zeros((1, 3)), np.zeros(1)), 0.1)
