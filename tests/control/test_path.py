"""Laws of paths: bodies keep to them, arrive and stay, wait where told, and take no short cut where ways cross."""

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.path import Path
from kinematch.control.route import Keypoint, make_route
from kinematch.errors import KinematchError

SETTINGS = Settings()
CORNERS = [(0, 0), (0, 6), Keypoint(5, 6, speed=3.0), Keypoint(5, 0, stop=1.5, facing=0.5), (0, 2)]


def walk(path: Path, seconds: float, dt: float = 1 / 30, start=((0.0, 0.0, 0.0),)):
    """Places (T, N, 2) and commands of bodies that follow a path."""
    body, places, commands = place_at_rest(np.array(start), np.zeros(len(start))), [], []
    for _ in range(round(seconds / dt)):
        commands.append(path.command(body, dt))
        after = predict_bodies(body, commands[-1], np.array([dt]), SETTINGS.halflives)
        body = SimulatedBody(
            *(getattr(after, name)[:, 0] for name in ("positions", "velocities", "accelerations", "yaws", "yaw_rates"))
        )
        places.append(body.positions[:, [0, 2]])
    return np.array(places), commands


def errors(path: Path, places: np.ndarray) -> np.ndarray:
    return np.array([np.linalg.norm(path.route.points - place, axis=-1).min() for place in places[::4]])


@pytest.mark.parametrize("dt", [1 / 20, 1 / 60, 1 / 144])
def test_a_body_keeps_to_the_path_arrives_and_stays(dt):
    path = Path(CORNERS)
    assert not path.done.all()
    places, commands = walk(path, 22, dt)
    off = errors(path, places[:, 0])
    assert off.mean() < 0.015
    assert off.max() < 0.05
    assert path.done.all()
    np.testing.assert_allclose(places[-round(1 / dt) :, 0], [[0, 2]] * round(1 / dt), atol=1e-3)
    assert np.abs(commands[-1].velocities).max() < 1e-6


@pytest.mark.parametrize("speed", [0.5, 1.4, 5.0])
def test_no_stop_is_overshot(speed):
    places, _ = walk(Path([Keypoint(0, 0, speed=speed), (0, 8)]), 20 if speed < 1 else 12)
    assert (np.diff(places[:, 0, 1]) > -1e-12).all()
    assert places[-1, 0, 1] == pytest.approx(8, abs=1e-6)


def test_each_segment_has_its_speed():
    places, commands = walk(Path([Keypoint(0, 0, speed=1.0), Keypoint(0, 8, speed=3.0), (0, 24)]), 14)
    speeds = np.array([np.linalg.norm(command.velocities[0]) for command in commands])
    assert speeds[places[:, 0, 1] < 6].max() == pytest.approx(1.0)
    assert speeds[(places[:, 0, 1] > 12) & (places[:, 0, 1] < 18)] == pytest.approx(3.0)


@pytest.mark.parametrize("radius", [0.3, 1.0, 3.0])
def test_wanted_velocity_changes_little_by_little_in_corners(radius):
    _, commands = walk(Path([(0, 0), (0, 4), (4, 4), (5, 0)], radius=radius), 8, 1 / 120)
    velocities = np.array([command.velocities[0] for command in commands])
    # apart from the first push, no more than the acceleration of corner and pace together
    assert np.linalg.norm(np.diff(velocities, axis=0), axis=-1).max() * 120 < 2 * 3.0


def test_a_body_waits_and_looks_as_told():
    path = Path(CORNERS)
    places, commands = walk(path, 22)
    there = np.linalg.norm(places[:, 0] - [5, 0], axis=-1) < 0.05
    assert 1.5 <= there.sum() / 30 < 2.0  # a moment passes before it is away again
    middle = np.flatnonzero(there)[there.sum() // 2]
    np.testing.assert_allclose(commands[middle].facings[0], [np.sin(0.5), 0, np.cos(0.5)])
    np.testing.assert_allclose(commands[15].facings[0], [0, 0, 1], atol=1e-6)
    assert not commands[-1].facings.any()


def test_a_closed_path_goes_on():
    path = Path([(0, 0), (0, 6), (6, 6), (6, 0)], closed=True)
    places, _ = walk(path, 40, start=[[0.0, 0, 3.0]])
    assert path.progress[0] > 2 * path.route.length
    assert errors(path, places[:, 0]).max() < 0.05
    lap = places[-round(path.route.length / 1.4 * 30) :, 0]
    assert (lap.max(axis=0) > 5.9).all()
    assert (lap.min(axis=0) < 0.1).all()


def test_a_closed_path_with_stops_waits_on_every_lap():
    path = Path([(0, 0), Keypoint(0, 4, stop=1.0), (4, 4), Keypoint(4, 0, stop=1.0)], closed=True)
    places, _ = walk(path, 40, start=[[0.0, 0, 2.0]])
    for place in ([0, 4], [4, 0]):
        near = np.linalg.norm(places[:, 0] - place, axis=-1) < 0.05
        visits = np.flatnonzero(np.diff(near.astype(int)) == 1)
        assert len(visits) >= 2


def test_bodies_at_a_crossing_stay_on_their_branch():
    path = Path([(0, 0), (6, 6), (6, 0), (0, 6)], closed=True)
    places, _ = walk(path, 40, start=[[2.0, 0, 2.0]])
    crossing = np.linalg.norm(places[:, 0] - [3, 3], axis=-1) < 0.3
    assert len(np.flatnonzero(np.diff(crossing.astype(int)) == 1)) >= 4
    steps = np.diff(places[:, 0], axis=0)[crossing[1:]]
    passes = np.split(steps, np.flatnonzero(np.diff(np.flatnonzero(crossing[1:])) > 1) + 1)
    ways = np.array([np.sign(np.round(one.sum(axis=0), 1)) for one in passes])
    assert (np.abs(np.diff(ways[:4], axis=0)).sum(axis=-1) == 2).all()  # by turns one diagonal and the other
    assert errors(path, places[:, 0]).max() < 0.08


def test_progress_only_grows_and_never_leaps():
    path = Path([(0, 0), (6, 6), (6, 0), (0, 6)], closed=True)
    body, last = place_at_rest(np.array([[0.0, 0.0, 0.0]]), np.zeros(1)), None
    for k in range(600):
        body.positions[...] += [[0.02 * np.sin(k / 20), 0, 0.02]]  # dragged about, across the whole figure
        path.command(body, 1 / 60)
        if last is not None:
            assert 0 <= path.progress[0] - last <= 0.03
        last = path.progress[0]


def test_there_and_back_is_a_stop_and_a_return():
    places, _ = walk(Path([(0, 0), (0, 4), (0, 1)]), 12)
    assert places[:, 0, 1].max() > 3.9
    np.testing.assert_allclose(places[-1, 0], [0, 1], atol=1e-3)


def test_a_body_from_afar_joins_the_path():
    path = Path([(0, 0), (0, 20)])
    places, commands = walk(path, 25, start=[[4.0, 0, -3.0]])
    assert np.linalg.norm(places[-1, 0] - [0, 20]) < 0.05
    assert max(np.linalg.norm(command.velocities) for command in commands) <= 1.4 + 1e-9
    assert commands[0].facings[0, 0] < -0.5  # it faces where it goes


@pytest.mark.parametrize("seed", range(6))
def test_any_path_is_walked_to_its_end(seed):
    rng = np.random.default_rng(seed)
    keypoints = [
        Keypoint(*rng.normal(size=2) * rng.choice([1, 4]), speed=rng.uniform(0.8, 5), stop=rng.choice([0, 0, 0.5]))
        for _ in range(6)
    ]
    path = Path(keypoints, radius=rng.choice([0.1, 0.5, 3.0]))
    start = [[keypoints[0].x, 0, keypoints[0].z], [*rng.normal(size=3) * [3, 0, 3]]]
    places, _ = walk(path, 15 + path.route.length / 0.6, rng.choice([1 / 20, 1 / 60]), start=start)
    assert path.done.all()
    assert errors(path, places[:, 0]).max() < 0.12


def test_a_body_that_starts_beyond_the_end_comes_back():
    places, _ = walk(Path([(0, 0), (0, 3)]), 12, start=[[0.5, 0, 6.0]])
    np.testing.assert_allclose(places[-1, 0], [0, 3], atol=0.01)


def test_many_bodies_are_many_of_one():
    starts = np.array([[0.0, 0, 0], [2.0, 0, 5.0], [-1.0, 0, 1.0]])
    together, _ = walk(Path(CORNERS), 6, start=starts)
    for n in range(3):
        alone, _ = walk(Path(CORNERS), 6, start=starts[n : n + 1])
        np.testing.assert_array_equal(together[:, n], alone[:, 0])


def test_the_route_is_one_smooth_line():
    route = make_route([(0, 0), (0, 5), (4, 5), (4, -1), (3, -3)], closed=True, radius=1.0)
    gaps = np.diff(route.points, axis=0)
    np.testing.assert_allclose(np.linalg.norm(gaps, axis=-1), np.diff(route.distances), atol=1e-5)
    np.testing.assert_allclose(route.points[0], route.points[-1], atol=1e-9)
    turns = (route.rows[1:, 2:4] * route.rows[:-1, 2:4]).sum(axis=-1)
    assert turns.min() > np.cos(0.05)
    np.testing.assert_allclose(np.linalg.norm(route.rows[:, 2:4], axis=-1), 1.0)


@pytest.mark.parametrize(
    ("keypoints", "options", "message"),
    [
        ([(0, 0)], {}, "1 keypoints"),
        ([(0, 0), (1, 1)], {"closed": True}, "3 or more"),
        ([(0, 0), (0, 0)], {}, "one place"),
        ([(0, 0), (1, np.nan)], {}, "finite"),
        ([(0, 0, -1.0), (1, 0)], {}, "positive speed"),
        ([(0,), (1, 0)], {}, "keypoint 0"),
        ([(0, 0), (1, 0)], {"radius": 0}, "radius 0"),
    ],
)
def test_paths_that_make_no_sense_are_refused(keypoints, options, message):
    with pytest.raises(KinematchError, match=message):
        Path(keypoints, **options)


def test_another_number_of_bodies_is_refused_until_the_path_restarts():
    path = Path([(0, 0), (1, 0)])
    path.command(place_at_rest(np.zeros((2, 3)), np.zeros(2)), 0.1)
    with pytest.raises(KinematchError, match="restart"):
        path.command(place_at_rest(np.zeros((1, 3)), np.zeros(1)), 0.1)
    path.restart()
    assert path.command(place_at_rest(np.zeros((1, 3)), np.zeros(1)), 0.1).velocities.shape == (1, 3)
