"""Asking: queries are those of the schema's own definition, of a trajectory by the springs of simulated bodies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematch.character import Crowd, Settings
from kinematch.character import constants as c
from kinematch.character.step.ask import ask, is_near
from kinematch.character.step.bodies import move_body, recall_root, remember_root
from kinematch.character.step.springs import make_springs
from kinematch.control.body import predict_bodies, step_bodies
from kinematch.control.command import Command, move
from kinematch.database.features import Feature

from ..rigs import RIGS, TRAJECTORY, make_database
from ..states import open_stages, order, scatter

DT = 1 / 60
COUNT = 30


@pytest.fixture(scope="module", params=[*RIGS, "walker"])
def any_database(request, database):
    return database if request.param == "walker" else make_database(RIGS[request.param]())


@pytest.mark.parametrize("seed", range(2))
def test_bodies_follow_their_commands_as_those_of_controllers_do(database, seed):
    crowd = Crowd(database, COUNT, compiled=False)
    data, _ = open_stages(crowd)
    scatter(crowd, seed)
    order(crowd, seed)
    command = Command(crowd.orders.velocities.copy(), crowd.orders.facings.copy())
    expected = step_bodies(crowd.state.copy().body, command, DT, crowd.settings.halflives)
    for n in range(COUNT):
        move_body(data, n, make_springs(data.settings, DT))
    for name, found, right in zip(expected._fields, crowd.body, expected):
        if name == "yaws":
            found, right = np.exp(1j * found), np.exp(1j * right)
        np.testing.assert_allclose(found, right, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("seed", range(2))
def test_queries_are_those_of_the_schema(any_database, seed):
    """Features of the frame that plays, and where the body will be from the moment of that frame on."""
    crowd = Crowd(any_database, COUNT, compiled=False)
    data, _ = open_stages(crowd)
    scatter(crowd, seed)
    order(crowd, seed)
    for array in (crowd.body.velocities, crowd.orders.velocities, crowd.body.yaw_rates):
        array[:8] = 0.0  # some stand
    state, features, orders = crowd.state.copy(), any_database.features, crowd.orders
    command = Command(orders.velocities.copy(), orders.facings.copy())
    source = crowd.runner.tables[0]
    for n in range(COUNT):
        ask(data, source, n, DT)
    playing, body = state.playing, state.body
    ages = playing.fractions / any_database.poses.frame_rate
    horizons = np.array([time for time in features.schema.times if time >= 0])
    moments = horizons[None] - ages[:, None]
    ahead = predict_bodies(body, command, np.maximum(moments, 0), crowd.settings.halflives)
    back = np.minimum(moments, 0)
    places = ahead.positions + back[..., None] * body.velocities[:, None]
    yaws = ahead.yaws + back * body.yaw_rates[:, None]
    # a character that stands near its body does not shuffle to correct the gap
    speeds, wishes = (np.linalg.norm(one[:, [0, 2]], axis=1) for one in (body.velocities, command.velocities))
    standing = (wishes == 0) & (speeds <= c.STANDING_SPEED)
    gaps, angles = (body.positions - playing.positions) * [1, 0, 1], body.yaws - playing.yaws
    near = standing & (np.linalg.norm(gaps, axis=1) <= c.MAX_STANDING_DISTANCE)
    aligned = standing & (abs(angles) <= c.ALIGNED) & (abs(body.yaw_rates) <= c.ALIGNED)
    places -= np.where(near[:, None], gaps, 0.0)[:, None]
    yaws -= np.where(aligned, angles, 0.0)[:, None]
    assert 0 < near.sum() < COUNT
    np.testing.assert_allclose(crowd.state.schedule.trajectories[..., :3], places, atol=1e-9)
    roots = playing.positions - ages[:, None] * body.velocities
    roots[:, 1] = body.positions[:, 1]
    root_yaws = playing.yaws - ages * body.yaw_rates
    inverse = Rotation.from_rotvec(np.outer(root_yaws, [0, 1, 0])).inv()
    given = crowd.sources[0].describe_pose(state, crowd.characters)

    def look(times):
        chosen = [list(horizons).index(time) for time in times]
        local = [inverse.apply(places[:, h] - roots) for h in chosen]
        turns = yaws[:, chosen] - root_yaws[:, None]
        return np.stack(local, axis=1), np.stack([np.sin(turns), 0 * turns, np.cos(turns)], axis=-1)

    expected = features.normalise(features.schema.query(type(given)(given.skeleton, given.pose, given.current, look)))
    np.testing.assert_allclose(crowd.state.schedule.queries, expected, atol=2e-4)


def test_only_finite_queries_are_near(database):
    crowd = Crowd(database, 4, compiled=False)
    data, _ = open_stages(crowd)
    crowd.state.schedule.queries[:] = 1.0
    crowd.state.schedule.queries[[1, 2, 3], [0, 5, -1]] = np.nan, np.inf, 1e20
    assert [is_near(data, n) for n in range(4)] == [True, False, False, False]


def test_the_way_back_of_a_root_is_the_way_that_it_went():
    """Noted at its own spacing, whatever the steps are; before the first it stood."""
    database = make_database(RIGS["no legs"](), (Feature("trajectory_position", times=(-0.6, 0.3), dimensions=2),))
    for dt in (0.004, 1 / 60, 0.05):
        crowd = Crowd(database, compiled=False)
        data, _ = open_stages(crowd)
        source, playing = crowd.runner.tables[0], crowd.state.playing
        crowd.teleport(np.zeros((1, 3)), np.full(1, 3.0))
        remember_root(data, source, 0, 0.0)
        for _ in range(round(1.0 / dt)):
            playing.positions[0] += [0.5 * dt, 0.0, 2.0 * dt]
            playing.yaws[0] = (playing.yaws[0] + 0.4 * dt + np.pi) % (2 * np.pi) - np.pi
            remember_root(data, source, 0, dt)
        for age in (0.0, 0.01, 0.17, 0.6):
            x, y, z, yaw = recall_root(data, 0, age)
            there = playing.positions[0] - age * np.array([0.5, 0.0, 2.0])
            np.testing.assert_allclose([x, y, z], there, atol=1e-9)
            np.testing.assert_allclose(np.exp(1j * yaw), np.exp(1j * (playing.yaws[0] - 0.4 * age)), atol=1e-9)
        crowd.teleport(np.ones((1, 3)), np.zeros(1))
        np.testing.assert_array_equal(recall_root(data, 0, 0.5), [1, 1, 1, 0])


@pytest.mark.parametrize("compiled", [True, False])
def test_what_is_asked_of_the_past_is_the_way_really_gone(compiled):
    feature = Feature("trajectory_position", times=(-0.5,), dimensions=2, name="past")
    database = make_database(RIGS["no legs"](), (*TRAJECTORY, feature))
    settings = Settings(search_interval=0.05)
    crowd = Crowd(database, settings=settings, compiled=compiled)
    columns, roots, checks = database.features.schema.columns["past"], [], 0
    for _ in range(90):
        roots.append(np.append(crowd.root_positions[0], crowd.root_yaws[0]))
        fraction = float(crowd.fractions[0])
        velocity, rate = crowd.body.velocities[0].copy(), float(crowd.body.yaw_rates[0])
        pose = crowd.step(move([[0.5, 0.0, 1.0]]), DT)
        if pose.searched[0] and len(roots) > 40:
            ago = fraction / database.poses.frame_rate
            asked = crowd.state.schedule.queries[0, columns] * database.features.scale[columns]
            asked = asked + database.features.offset[columns]
            age = (0.5 + ago) / DT
            times = np.arange(len(roots))[::-1]
            was = [np.interp(age, times[::-1], np.array(roots)[::-1, i]) for i in (0, 2)]
            here = roots[-1][[0, 2]] - ago * velocity[[0, 2]]
            inverse = Rotation.from_rotvec([0, roots[-1][3] - ago * rate, 0]).inv()
            expected = inverse.apply([was[0] - here[0], 0, was[1] - here[1]])[[0, 2]]
            np.testing.assert_allclose(asked, expected, atol=2e-3)
            checks += 1
    assert checks > 10
