"""Each kernel shows what the plain stages define: random states, odd rigs, transitions, terrain, several sources."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from kinematch.character import Crowd, Settings
from kinematch.character.kernels import animation as k
from kinematch.character.kernels import searching
from kinematch.character.layers import ClipLayer
from kinematch.character.plain import PlainCrowd
from kinematch.character.source import Projection
from kinematch.character.stages.ask import make_queries
from kinematch.character.stages.predict import find_idle
from kinematch.character.stages.schedule import find_reasons, note_search
from kinematch.character.state import State
from kinematch.control.command import Command, move
from kinematch.control.trajectory import Trajectory
from kinematch.database.features import Feature, register_feature
from kinematch.terrain.terrain import HeightFunction

from .rigs import RIGS, TRAJECTORY, make_database

DT = 1 / 60
TRANSITIONS = ["spring", "quintic", "dead", "none"]
HILLS = HeightFunction(lambda x, z: 0.15 * np.sin(x) + 0.1 * z)


@pytest.fixture(scope="module", params=[*RIGS, "walker"])
def any_database(request, database):
    return database if request.param == "walker" else make_database(RIGS[request.param]())


def scatter(crowd: Crowd, seed: int) -> None:
    """Put a crowd into a random state that could be."""
    rng, state, count = np.random.default_rng(seed), crowd.state, crowd.count
    numbers = rng.integers(0, len(crowd.sources), count)
    state.playing.sources[:] = numbers
    state.playing.frames[:] = [rng.integers(0, crowd.sources[number].poses.frame_count) for number in numbers]
    state.playing.fractions[:] = rng.random(count)
    state.playing.positions[:] = rng.normal(size=(count, 3)) * [2, 0, 2]
    state.playing.yaws[:] = rng.uniform(-3, 3, count)
    state.body.positions[:] = state.playing.positions + rng.normal(size=(count, 3)) * [0.2, 0, 0.2]
    state.body.yaws[:] = state.playing.yaws + rng.normal(size=count) * 0.3
    for array in (state.body.velocities, state.body.accelerations):
        array[:] = rng.normal(size=array.shape) * [1, 0, 1] * (rng.random((count, 1)) > 0.3)
    state.body.yaw_rates[:] = rng.normal(size=count) * (rng.random(count) > 0.3)
    state.offsets.ages[:] = rng.choice([0.01, 0.1, 0.4, np.inf], count)
    for array in (state.offsets.rotations, state.offsets.positions, state.offsets.roots):
        array[:] = rng.normal(size=array.shape) * 0.1
    if crowd.settings.transition == "quintic":  # whose durations are positive, and speeds not
        for array in (state.offsets.rotations, state.offsets.positions):
            array[:, 3], array[:, 4] = -abs(array[:, 3]), 0.2 + abs(array[:, 4])
    feet = state.feet
    feet.locked[:], feet.refused[:] = rng.random((2, *feet.locked.shape)) > 0.5
    feet.places[:] = state.playing.positions[:, None] + rng.normal(size=feet.places.shape) * [0.2, 0.03, 0.2]
    feet.toes[:] = feet.places + rng.normal(size=feet.toes.shape) * 0.03
    feet.offsets[:] = rng.normal(size=feet.offsets.shape) * 0.04
    feet.headings[..., 1] = 1.0
    for array in (feet.lifts, feet.shortfalls, feet.pelvis):
        array[..., 0] = abs(rng.normal(size=array.shape[:-1])) * 0.02
    schedule = state.schedule
    schedule.since[:] = rng.uniform(0, 0.3, count)
    schedule.commands[:] = np.where(rng.random((count, 1)) > 0.2, rng.normal(size=(count, 4)), np.nan)
    schedule.idle[:] = rng.random(count) > 0.5


def order(crowd: Crowd, seed: int) -> None:
    """Random orders, a third of them to stand."""
    rng, orders = np.random.default_rng(seed), crowd.orders
    orders.velocities[:] = rng.normal(size=(crowd.count, 3)) * [1.5, 0, 1.5] * (rng.random((crowd.count, 1)) > 0.3)
    orders.facings[:] = rng.normal(size=(crowd.count, 3)) * [1, 0, 1] * (rng.random((crowd.count, 1)) > 0.3)


def assert_alike(a: State, b: State, *, joints: int, atol: float = 2e-5) -> None:
    """All that both have, but the columns of offsets that belong to no joint."""
    theirs = b.arrays()
    for name, array in a.arrays().items():
        other = theirs[name]
        if name == "offsets.rotations":
            array, other = array[..., 1:joints], other[..., 1:joints]
        if array.dtype.kind == "f":
            np.testing.assert_allclose(array, other, atol=atol, rtol=1e-4, err_msg=name)
        else:
            np.testing.assert_array_equal(array, other, err_msg=name)


@pytest.mark.parametrize("seed", range(3))
def test_the_schedule(any_database, seed):
    fast = Crowd([any_database, any_database], 40)
    scatter(fast, seed)
    order(fast, seed)
    fast.orders.sources[:] = np.random.default_rng(seed).integers(0, 2, 40)
    fast.state.playing.sources[:] = 0
    pose, plain = fast.prepare_pose(), fast.state.copy()
    searching.find_reasons(fast.runner.scenes[0], fast.characters, fast.runner.due)
    status = fast.sources[0].describe_status(plain, fast.characters)
    np.testing.assert_array_equal(
        pose.reasons, find_reasons(plain, fast.characters, fast.orders, status, fast.settings)
    )
    assert len(np.unique(pose.reasons)) > 2
    assert_alike(fast.state, plain, joints=any_database.poses.skeleton.joint_count)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_predict_and_ask(any_database, seed, given):
    fast = Crowd(any_database, 40)
    scatter(fast, seed)
    order(fast, seed)
    if given:
        rng = np.random.default_rng(seed)
        fast.trajectory = Trajectory([0.0, 0.5, 1.2], rng.normal(size=(40, 3, 3)), rng.normal(size=(40, 3, 3)))
    fast.prepare_pose()
    plain, everyone, source = fast.state.copy(), fast.characters, fast.sources[0]
    from kinematch.character.step import ask_fused  # the seam under test

    _, queries = ask_fused(fast, 0, everyone, DT)
    status = source.describe_status(plain, everyone)
    expected = make_queries(source, plain, everyone, fast.orders, fast.trajectory, fast.settings, 1.0)
    plain.schedule.idle[:] = find_idle(plain, everyone, fast.orders, status.resting, fast.settings)
    note_search(plain, everyone, fast.orders, DT, fast.settings)
    np.testing.assert_allclose(queries, expected, atol=1e-4)
    assert_alike(fast.state, plain, joints=any_database.poses.skeleton.joint_count, atol=1e-4)


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_transition(any_database, transition):
    fast = Crowd([any_database, any_database], 24, settings=Settings(transition=transition))
    scatter(fast, 1)
    fast.state.playing.sources[:] = 0
    pose = fast.prepare_pose()
    slow = PlainCrowd([any_database, any_database], 24, settings=fast.settings)
    slow.restore(fast.state.copy())
    rng = np.random.default_rng(0)
    frames = rng.integers(0, any_database.poses.frame_count, 24).astype(np.int32)
    found = Projection(frames, rng.random(24) < 0.8, rng.random(24).astype(np.float32), np.roll(frames, 1))
    plain_pose = slow.prepare_pose()
    fast.follow(0, 1, fast.characters, found, pose)
    slow.follow(0, 1, slow.characters, found, plain_pose)
    assert_alike(fast.state, slow.state, joints=any_database.poses.skeleton.joint_count, atol=2e-4)
    np.testing.assert_array_equal(pose.jumped, plain_pose.jumped)
    assert 0 < pose.jumped.sum() < 24


@pytest.mark.parametrize("terrain", [None, HILLS])
@pytest.mark.parametrize("transition", TRANSITIONS)
def test_from_bodies_to_planted_feet(any_database, transition, terrain):
    """Advance, adjust, decode, layers and feet: with nobody searching, a step is these stages."""
    settings = Settings(transition=transition, search_interval=2.0, rate_change=0.2, synchronization_halflife=2.0)
    joints = any_database.poses.skeleton.joint_count
    rng = np.random.default_rng(5)
    layer = ClipLayer(rng.normal(size=(24, joints, 4)), (rng.random((24, joints)) > 0.8) * 0.5)
    for lock in (True, False):
        own = replace(settings, foot_lock=lock)
        fast, slow = (kind(any_database, 24, settings=own, terrain=terrain) for kind in (Crowd, PlainCrowd))
        for seed in range(3):
            scatter(fast, seed)
            fast.state.schedule.since[:] = 0.0
            slow.restore(fast.state.copy())
            fast.layers = slow.layers = [layer] if seed == 2 else []
            for step in range(3):
                command = move(np.random.default_rng(seed + step).normal(size=(24, 3)) * [1, 0, 1])
                for crowd in (fast, slow):
                    crowd.state.schedule.commands[:] = 0.0
                    crowd.state.schedule.since[:] = 0.0
                    crowd.state.schedule.filters[:] = 0
                a, b = fast.step(command, 0.013), slow.step(command, 0.013)
                np.testing.assert_allclose(a.global_positions, b.global_positions, atol=2e-4)
                np.testing.assert_allclose(a.displacements, b.displacements, atol=1e-6)
                np.testing.assert_array_equal(a.locked, b.locked)
                np.testing.assert_array_equal(a.contacts, b.contacts)
                dots = abs((a.global_rotations.astype(float) * b.global_rotations).sum(axis=-1))
                assert dots.min() > 1 - 2e-5  # squares of rounding, which straight legs enlarge
                assert_alike(fast.state, slow.state, joints=joints, atol=5e-4)
                slow.restore(fast.state.copy())  # so that rounding does not add up


def walk_about(count: int, steps: int):
    rng = np.random.default_rng(0)
    for step in range(steps):
        if step % 30 == 0:
            velocities = rng.normal(size=(count, 3)) * [1.3, 0, 1.3] * (rng.random((count, 1)) > 0.3)
        yield move(velocities)


@pytest.mark.parametrize("dt", [DT, 0.007])  # in step with the database, and not
def test_whole_steps_on_a_database(database, dt):
    fast, slow = Crowd(database, 4), PlainCrowd(database, 4)
    for command in walk_about(4, 240):
        a, b = fast.step(command, dt), slow.step(command, dt)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_array_equal(a.reasons, b.reasons)
        np.testing.assert_allclose(a.global_positions, b.global_positions, atol=1e-5)


@pytest.mark.parametrize("rig", RIGS)
def test_whole_steps_on_odd_rigs_and_several_sources(rig):
    first, second = make_database(RIGS[rig]()), make_database(RIGS[rig](), clips=3)
    settings = Settings(ignore=0.2, search_interval=0.2)
    fast, slow = (kind([first, second], 6, settings=settings, terrain=HILLS) for kind in (Crowd, PlainCrowd))
    for step, command in enumerate(walk_about(6, 90)):
        command = replace(command, source=[0, 1, step // 30 % 2, 0, 1, 0])
        a, b = fast.step(command, DT), slow.step(command, DT)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_allclose(a.global_positions, b.global_positions, atol=1e-4)


def test_users_features_and_the_past_are_asked_through_their_definition():
    calls: list[int] = []

    def build(feature, poses):
        return np.linalg.norm(poses.velocities[:, 0], axis=-1, keepdims=True)

    def query(feature, given):
        calls.append(len(given.current))
        positions, _ = given.trajectory((0.5,))
        return np.linalg.norm(positions[:, 0], axis=-1, keepdims=True) / 0.5

    register_feature("test_speed_ahead", build=build, query=query, width=1, group="trajectory")
    features = (*TRAJECTORY, Feature("trajectory_position", times=(-0.4, -0.2), dimensions=2, name="past"),
                Feature("test_speed_ahead"))  # fmt: skip
    database = make_database(RIGS["one leg"](), features)
    fast, slow = Crowd(database, 5), PlainCrowd(database, 5)
    for command in walk_about(5, 90):
        a, b = fast.step(command, DT), slow.step(command, DT)
        np.testing.assert_array_equal(a.frames, b.frames)
        np.testing.assert_allclose(fast.state.schedule.queries, slow.state.schedule.queries, atol=1e-4)
    assert calls


def test_the_past_that_is_asked_for_is_the_way_really_gone():
    feature = Feature("trajectory_position", times=(-0.5, 0.3), dimensions=2)
    database = make_database(RIGS["no legs"](), (feature,))
    crowd = Crowd(database, settings=Settings(search_interval=0.05, clamp_distance=0.0))
    still = crowd.step(move([[0.0, 0, 1.0]]), DT)
    past = database.features.physical(slice(0, 0)).shape  # columns only
    asked = crowd.state.schedule.queries[0] * database.features.scale + database.features.offset
    np.testing.assert_allclose(asked[:2], 0.0, atol=0.05)  # half a second before a start from rest it stood there
    assert past[1] == 4
    assert still.searched[0]
    roots = []
    for _ in range(90):
        pose = crowd.step(move([[0.0, 0, 1.0]]), DT)
        roots.append((pose.positions[0, 0].astype(float), crowd.root_yaws[0], pose.searched[0]))
    for step in range(40, 90):
        if roots[step][2]:
            last = step
    before, yaw = roots[last - 1][0], roots[last - 1][1]
    was = roots[last - 1 - 30][0] - before
    own = np.array([np.cos(yaw) * was[0] - np.sin(yaw) * was[2], np.sin(yaw) * was[0] + np.cos(yaw) * was[2]])
    if last == 89:
        asked = crowd.state.schedule.queries[0] * database.features.scale + database.features.offset
        np.testing.assert_allclose(asked[:2], own, atol=0.03)


def test_a_plain_crowd_calls_no_kernel(database, monkeypatch):
    crowd = PlainCrowd([database, database], 3, terrain=HILLS)
    joints = database.poses.skeleton.joint_count
    crowd.layers = [ClipLayer(np.ones((3, joints, 4)), np.full((3, joints), 0.1))]

    def refuse(*given):
        raise AssertionError("a plain stage called a kernel")

    found = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("kinematch."):
            for attribute, value in list(vars(module).items()):
                if isinstance(value, Dispatcher):
                    monkeypatch.setattr(module, attribute, refuse)
                    found += 1
    assert found > 20
    for step, command in enumerate(walk_about(3, 40)):
        crowd.step(replace(command, source=step // 20), DT)
    with pytest.raises(AssertionError, match="kernel"):
        Crowd(database).step(Command(np.zeros((1, 3)), np.zeros((1, 3))), DT)


def test_stages_have_bits_of_their_own():
    assert len({k.BODIES, k.ADVANCE, k.DECODE, k.SHOW, k.FEET}) == 5
    assert k.EVERYTHING == k.BODIES + k.ADVANCE + k.DECODE + k.SHOW + k.FEET
