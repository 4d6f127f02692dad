"""One text: a step uncompiled, compiled for one character and for many shows the same, whatever a crowd is made of."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Command, Crowd, Settings, runner
from kinematch.control.command import move
from kinematch.database.packing.pack import pack_database
from kinematch.layers.clip_layer import ClipLayer

from ..rigs import RIGS, make_database
from ..states import HILLS, TRANSITIONS, scatter, walk_about

DT = 0.013
SIZES = (1, 7, 8, 9, 65)
MANY = 200


@pytest.fixture(scope="module", params=[*RIGS, "walker"])
def any_database(request, database):
    return database if request.param == "walker" else make_database(RIGS[request.param]())


def assert_states_agree(a, b, *, joints: int, atol: float) -> None:
    """But for offsets of the root, which has none, and of lanes past the last joint."""
    theirs = b.arrays()
    for name, array in a.arrays().items():
        other = theirs[name]
        if name == "offsets.rotations":
            array, other = array[..., 1:joints], other[..., 1:joints]
        elif name == "offsets.positions" and array.shape[-1]:
            array, other = array[..., :1], other[..., :1]
        if array.dtype.kind == "f":
            np.testing.assert_allclose(array, other, atol=atol, rtol=1e-4, err_msg=name)
        else:
            np.testing.assert_array_equal(array, other, err_msg=name)


def assert_poses_agree(a, b, *, atol: float = 1e-5) -> None:
    for name in ("frames", "sources", "searched", "jumped", "reasons", "contacts", "locked", "restarted"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name in ("positions", "global_positions", "displacements", "turns", "fractions"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=atol, err_msg=name)
    for name in ("rotations", "global_rotations"):
        one, other = (getattr(pose, name).astype(float) for pose in (a, b))
        gaps = np.minimum(abs(one - other).max(axis=-1), abs(one + other).max(axis=-1))
        assert gaps.max() < 20 * atol, name  # straight legs magnify rounding


@pytest.mark.parametrize("terrain", [None, HILLS], ids=["flat", "hills"])
@pytest.mark.parametrize("transition", TRANSITIONS)
def test_compiled_and_uncompiled_steps_agree_from_any_state(any_database, transition, terrain):
    """Step by step from the same state, so that rounding does not add up; with layers and without foot lock too."""
    settings = Settings(transition=transition, rate_change=0.2, synchronization_halflife=2.0)
    joints, count = any_database.poses.skeleton.joint_count, 9
    rng = np.random.default_rng(5)
    layer = ClipLayer(rng.normal(size=(count, joints, 4)), (rng.random((count, joints)) > 0.8) * 0.5)
    fast, slow = (
        Crowd(any_database, count, settings=settings, terrain=terrain, compiled=compiled) for compiled in (True, False)
    )
    for seed in range(3):
        scatter(fast, seed)
        fast.state.schedule.filters[:] = 0
        for crowd in (fast, slow):
            crowd.layers = [layer] if seed == 2 else []
            crowd.settings = replace(settings, foot_lock=seed != 1, pelvis=seed != 1)
        for step in range(2):
            slow.restore(fast.state.copy())
            command = move(np.random.default_rng(seed + step).normal(size=(count, 3)) * [1, 0, 1])
            assert_poses_agree(fast.step(command, DT), slow.step(command, DT), atol=5e-5)
            assert_states_agree(fast.state, slow.state, joints=joints, atol=5e-4)


@pytest.mark.parametrize("terrain", [None, HILLS], ids=["flat", "hills"])
def test_walks_agree_on_a_database(database, terrain):
    fast, slow = (Crowd(database, 3, terrain=terrain, compiled=compiled) for compiled in (True, False))
    for command in walk_about(3, 100):
        assert_poses_agree(fast.step(command, 1 / 60), slow.step(command, 1 / 60), atol=1e-4)
    assert np.linalg.norm(fast.root_positions, axis=1).max() > 0.5


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_walks_agree_on_odd_rigs_between_several_sources(rig, packed):
    first, second = make_database(RIGS[rig]()), make_database(RIGS[rig](), clips=3)
    if packed:
        second = pack_database(second, 1e-4).database
    settings = Settings(ignore=0.2, search_interval=0.2)
    fast, slow = (Crowd([first, second], 4, settings=settings, compiled=compiled) for compiled in (True, False))
    seen = set()
    for step, command in enumerate(walk_about(4, 70)):
        command = replace(command, source=[0, 1, step // 20 % 2, step // 30 % 2])
        shown = fast.step(command, 1 / 60)
        assert_poses_agree(shown, slow.step(command, 1 / 60), atol=1e-4)
        seen |= set(zip(shown.sources.tolist(), shown.jumped.tolist()))
    assert seen == {(0, False), (0, True), (1, False), (1, True)}


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_a_crowd_is_many_of_one_bit_for_bit(any_database, transition):
    """Whichever lane a character is in, and whoever the others are."""
    settings = Settings(transition=transition, search_interval=0.1)
    many = Crowd(any_database, MANY, settings=settings)
    scatter(many, 1)
    many.state.schedule.filters[:] = 0
    many.state.schedule.since[:] = np.arange(MANY) / MANY * 0.1  # a few at once: nobody has to wait
    rng = np.random.default_rng(2)
    groups = [rng.permutation(MANY)[:size] for size in SIZES]
    crowds = [Crowd(any_database, len(group), settings=settings) for group in groups]
    for crowd, group in zip(crowds, groups):
        crowd.restore(many.state.take(group))
    most = 0
    for step in range(12):
        velocities = np.random.default_rng(step // 6).normal(size=(MANY, 3)) * [0.1, 0, 0.1]
        facings = np.tile([0.0, 0, 1], (MANY, 1))
        many.state.schedule.commands[:] = [*velocities[0], 0.0]
        for crowd in crowds:
            crowd.state.schedule.commands[:] = [*velocities[0], 0.0]
        shown = many.step(Command(velocities, facings), DT)
        most = max(most, shown.searched.sum())
        for crowd, group in zip(crowds, groups):
            own = crowd.step(Command(velocities[group], facings[group]), DT)
            for name, one, other in zip(own._fields, own, shown):
                np.testing.assert_array_equal(one, other[group], err_msg=name)
    assert 0 < most <= 32  # more have to wait for each other


def test_an_uncompiled_crowd_calls_no_kernel_of_the_step(database, monkeypatch):
    def refuse(kernel):
        def call(*given):
            raise AssertionError("a kernel was called")

        call.py_func = kernel.py_func
        return call

    joints = database.poses.skeleton.joint_count
    layers = [ClipLayer(np.ones((2, joints, 4)), np.full((2, joints), 0.1))]
    crowd = Crowd([database, database], 2, terrain=HILLS, layers=layers, compiled=False)
    for name in ("run_step", "sample_playing", "begin_transition", "predict_places"):
        monkeypatch.setattr(runner, name, refuse(getattr(runner, name)))
    for step, command in enumerate(walk_about(2, 20)):
        crowd.step(replace(command, source=step // 10), DT)
        crowd.settings = Settings(transition=TRANSITIONS[step // 5])
    crowd.predict(np.array([0.5]), crowd.characters, np.zeros(2))
    with pytest.raises(AssertionError, match="kernel"):
        Crowd(database).step(move(np.zeros((1, 3))), DT)
