"""Laws of wandering crowds: nobody leaves, few bump, any seed repeats, and the cells miss nobody."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from kinematch.character.settings import Settings
from kinematch.control.avoidance import find_pushes_on
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.kernels import turn_headings
from kinematch.control.region import make_region
from kinematch.control.wander import Wander
from kinematch.errors import KinematchError

SETTINGS = Settings()


def crowd(count: int, inside, *, seed: int = 0, centre=(0.0, 0.0)) -> SimulatedBody:
    places = make_region(inside, centre).spread(count)
    yaws = np.random.default_rng(seed).uniform(-np.pi, np.pi, count)
    return place_at_rest(np.stack([places[:, 0], np.zeros(count), places[:, 1]], axis=-1), yaws)


def stroll(wander: Wander, body: SimulatedBody, seconds: float, dt: float = 1 / 30):
    """Places (T, N, 2) and commands."""
    places, commands = [], []
    for _ in range(round(seconds / dt)):
        commands.append(wander.command(body, dt))
        after = predict_bodies(body, commands[-1], np.array([dt]), SETTINGS.halflives)
        names = ("positions", "velocities", "accelerations", "yaws", "yaw_rates")
        body = SimulatedBody(*(getattr(after, name)[:, 0] for name in names))
        places.append(body.positions[:, [0, 2]])
    return np.array(places), commands


@pytest.mark.parametrize("dt", [1 / 20, 1 / 60])
@pytest.mark.parametrize("inside", [6.0, (14.0, 8.0)])
def test_nobody_leaves(inside, dt):
    centre = (5.0, -3.0)
    wander = Wander(np.random.default_rng(1), inside=inside, centre=centre)
    places, _ = stroll(wander, crowd(30, inside, centre=centre), 20, dt)
    flat = places.reshape(-1, 2)
    np.testing.assert_allclose(make_region(inside, centre).nearest(flat), flat, atol=1e-9)


def test_headings_are_random_but_smooth():
    wander = Wander(np.random.default_rng(1), inside=500.0, room=0)
    _, commands = stroll(wander, crowd(50, 50.0), 20, 1 / 60)
    velocities = np.array([command.velocities for command in commands])
    changes = np.linalg.norm(np.diff(velocities, axis=0), axis=-1) * 60
    assert changes.max() < 5.0  # m/s^2 wanted
    yaws = np.arctan2(velocities[..., 0], velocities[..., 2])
    assert np.abs(np.exp(1j * (yaws[-1] - yaws[0])).mean()) < 0.5  # after a while they go anywhere
    speeds = np.linalg.norm(velocities[0], axis=-1)
    assert 0.9 <= speeds.min() < 1.0
    assert 1.4 < speeds.max() <= 1.5


def bumps(places: np.ndarray) -> float:
    """Pairs nearer than half a metre, a body and moment."""
    return float(np.mean([len(cKDTree(now).query_pairs(0.5)) / len(now) for now in places[::10]]))


def test_bodies_make_room_for_each_other():
    free, polite = (
        bumps(stroll(Wander(np.random.default_rng(1), inside=12.0, room=room), crowd(100, 12.0), 20)[0])
        for room in (0.0, 1.0)
    )
    assert polite < free / 10


def test_two_who_meet_head_on_pass_on_the_right():
    bodies = np.arange(2)
    places, velocities = np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [0.0, -1.0]])
    push = find_pushes_on(bodies, places, velocities, room=1.0, horizon=1.5, reach=2.5)
    assert push[0, 0] < 0 < push[1, 0]  # the right of +Z is -X


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [3.0, 30.0, 3000.0])
def test_the_cells_miss_nobody(seed, spread):
    rng = np.random.default_rng(seed)
    places, velocities = rng.normal(size=(200, 2)) * spread, rng.normal(size=(200, 2))
    places[:50] = places[50:100] + rng.normal(size=(50, 2)) * 0.5
    bodies = rng.permutation(200)[:120]
    options = {"room": 1.0, "horizon": 1.5, "reach": 2.5}
    found = find_pushes_on(bodies, places, velocities, **options)
    np.testing.assert_allclose(found, plain_pushes(bodies, places, velocities, **options), atol=1e-9)
    assert np.abs(found).max() > 0


def plain_pushes(bodies, places, velocities, *, room, horizon, reach):
    """The twin of the kernel: everyone with everyone."""
    away, drift = places[None] - places[bodies, None], velocities[None] - velocities[bodies, None]
    counts = (np.linalg.norm(away, axis=-1) <= reach) & (np.arange(len(places)) != bodies[:, None])
    closing = -(away * drift).sum(axis=-1)
    speed = np.where(closing > 0, (drift**2).sum(axis=-1), 1.0)
    time = np.where(closing > 0, np.minimum(closing / speed, horizon), 0.0)
    then = away + drift * time[..., None]
    apart = np.linalg.norm(then, axis=-1)
    weight = np.where(counts & (apart < room), (1 - apart / room) * (1 - time / horizon), 0.0)
    left = np.stack([velocities[bodies, 1], -velocities[bodies, 0]], axis=-1)[:, None]
    way = np.where((apart < 0.05 * room)[..., None], left, then)
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    return -(weight[..., None] * way / np.where(length > 0, length, 1)).sum(axis=1)


def test_headings_drift_as_the_formula_has_it():
    rng = np.random.default_rng(0)
    headings, turning, noise = rng.normal(size=(3, 40))
    inward = rng.normal(size=(40, 2)) * (rng.random((40, 1)) > 0.5)
    keep, fresh, dt, back = 0.9, 0.2, 0.05, 0.6
    new_turning = keep * turning + fresh * noise
    drifted = headings + dt * new_turning
    target = np.arctan2(inward[:, 0], inward[:, 1])
    turn = (target - drifted + np.pi) % (2 * np.pi) - np.pi
    expected = drifted + (1 - np.exp(-np.linalg.norm(inward, axis=-1) * dt / back)) * turn
    found = turn_headings(headings, turning, noise, inward, keep, fresh, dt, back)
    np.testing.assert_allclose(headings, expected, atol=1e-12)
    np.testing.assert_allclose(turning, new_turning)
    np.testing.assert_allclose(found, np.stack([np.sin(expected), np.cos(expected)], axis=-1), atol=1e-12)


def test_a_seed_repeats():
    runs = [stroll(Wander(np.random.default_rng(5), inside=8.0), crowd(20, 8.0), 5)[0] for _ in range(2)]
    np.testing.assert_array_equal(*runs)


@pytest.mark.parametrize("inside", [10.0, (30.0, 8.0)])
def test_places_are_spread_over_the_region(inside):
    where = make_region(inside, (2.0, 1.0))
    places = where.spread(200)
    np.testing.assert_allclose(where.nearest(places), places)
    distances, _ = cKDTree(places).query(places, k=2)
    assert distances[:, 1].min() > 0.3
    np.testing.assert_allclose(places.mean(axis=0), [2.0, 1.0], atol=0.5)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(KinematchError, match="region of -1"):
        make_region(-1)
    with pytest.raises(KinematchError, match="speeds from 2"):
        Wander(np.random.default_rng(0), speeds=(2, 1))
