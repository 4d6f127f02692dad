"""Transitions: what is sampled is what plain numpy decodes, and jumps go unseen for each kind."""

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.settings import DEAD, QUINTIC, SPRING
from kinematch.character.step.offsets import find_fastest, show_spin, show_velocity
from kinematch.character.step.playback import find_rate
from kinematch.character.step.step import END, MOVE
from kinematch.character.step.transition import ROW_AFTER, ROW_BEFORE, start_transition, take_sample
from kinematch.control.command import move
from kinematch.database.packing.pack import pack_database
from kinematch.math import quaternion
from kinematch.math.vectors import quaternion as quaternion_of
from kinematch.math.vectors import vector

from ..plain_poses import decode_plainly
from ..rigs import RIGS, make_database
from ..states import TRANSITIONS, open_stages, scatter

COUNT = 20


@pytest.fixture(scope="module", params=[*RIGS, "walker"])
def any_database(request, database):
    return database if request.param == "walker" else make_database(RIGS[request.param]())


def assert_sample(crowd, n, row):
    """A row of the scratch is what character n plays, decoded by numpy."""
    found, expected, pace = crowd.runner.scratch[0].sample, decode_plainly(crowd, np.array([n])), find_paces(crowd)[n]
    # the root's rotation is not of the pose
    np.testing.assert_allclose(found.rotations[row, 1:], expected.rotations[0, 1:], atol=2e-6)
    np.testing.assert_allclose(found.spins[row, 1:], pace * expected.angular_velocities[0, 1:], atol=2e-3)
    np.testing.assert_allclose(found.places[row], expected.positions[0, crowd.moving], atol=1e-5)
    np.testing.assert_allclose(found.velocities[row], pace * expected.velocities[0, crowd.moving], atol=2e-3)
    np.testing.assert_allclose(found.roots[row], pace * expected.root_velocities[0], atol=2e-3)
    np.testing.assert_allclose(found.toe_heights[row], expected.toe_heights[0], atol=1e-5)
    np.testing.assert_allclose(found.toe_rates[row], pace * expected.toe_rates[0], atol=1e-3)


@pytest.fixture(scope="module")
def mirrored(built_of):
    return pack_database(built_of("idle", "walk_turn_left_90", mirror=True).database, 1e-4).database


@pytest.mark.parametrize("compiled", [True, False])
def test_samples_of_mirror_images_are_what_the_source_decodes(mirrored, compiled):
    assert (mirrored.poses.pack.sides < 0).any()
    crowd = Crowd(mirrored, 12, compiled=compiled)
    crowd.runner.refresh(crowd.settings, crowd.filters)
    clips = np.flatnonzero(mirrored.poses.pack.sides < 0)
    assert len(crowd.moving) > 0
    crowd.frames[:] = mirrored.poses.clip_starts[clips].repeat(12)[:12] + np.arange(12) * 17
    crowd.fractions[:] = np.linspace(0, 0.9, 12)
    for n in range(12):
        crowd.runner.sample(n, n % 2)
        assert_sample(crowd, n, n % 2)


def find_paces(crowd):
    """How fast each character plays (N,): loops follow the speed of their body."""
    table = crowd.sources[0].by_frame
    return np.array([find_rate(crowd.runner.data, table, n, int(crowd.frames[n])) for n in range(len(crowd.frames))])


def find_root_velocities(crowd):
    """Of what is shown (N, 3): m/s in the root's axes, and rad/s."""
    own = decode_plainly(crowd, crowd.characters).root_velocities
    return find_paces(crowd)[:, None] * own + crowd.state.offsets.roots[:, :3]


@pytest.mark.parametrize("form", ["plain", "packed"])
@pytest.mark.parametrize("compiled", [True, False])
def test_samples_are_what_the_source_decodes(any_database, form, compiled):
    """Between frames, at the ends of clips and round a loop."""
    own = pack_database(any_database, 1e-4).database if form == "packed" else any_database
    poses = own.poses
    frames = [0, 7, *(poses.clip_stops - 1), *(poses.clip_stops - 2), *poses.clip_starts, 31, 32, 33]
    crowd = Crowd(own, len(frames), compiled=compiled)
    crowd.runner.refresh(crowd.settings, crowd.filters)
    crowd.frames[:], crowd.fractions[:] = frames, np.random.default_rng(0).random(len(frames))
    for n in range(len(frames)):
        crowd.runner.sample(n, n % 2)
        assert_sample(crowd, n, n % 2)


@pytest.mark.parametrize("transition", TRANSITIONS[:3])
def test_a_jump_goes_unseen(any_database, transition):
    """Compiled, from the midst of another transition: shown rotations and places are those before it."""
    settings = Settings(transition=transition, transition_halflife=0.3, foot_lock=False, pelvis=False)
    crowd = Crowd(any_database, COUNT, settings=settings)
    scatter(crowd, 0)
    crowd.state.offsets.ages[:] = 0.1
    before = show(crowd)
    targets = np.random.default_rng(1).integers(0, any_database.poses.frame_count, COUNT)
    roots = [find_root_velocities(crowd)]
    for n in range(COUNT):
        crowd.runner.sample(n, ROW_BEFORE)
        crowd.frames[n] = targets[n]
        crowd.runner.sample(n, ROW_AFTER)
        crowd.runner.start_transition(n, crowd.runner.data.settings.transition, settings.transition_halflife)
    after = show(crowd)
    assert (crowd.state.offsets.ages == 0).all()
    np.testing.assert_allclose(after.positions, before.positions, atol=2e-5)
    # the root's rotation is its own
    assert quaternion.angle(before.rotations[:, 1:], after.rotations[:, 1:]).max(initial=0) < 2e-3
    roots.append(find_root_velocities(crowd))
    np.testing.assert_allclose(*roots, atol=1e-5)


@pytest.mark.parametrize("kind", ["spring", "dead"])
def test_a_jump_changes_no_velocity(any_database, kind):
    """Of what is shown: angular velocities and velocities of places, but for those that are capped."""
    crowd = Crowd(any_database, COUNT, settings=Settings(transition=kind, transition_halflife=0.3), compiled=False)
    data, scratch = open_stages(crowd)
    scatter(crowd, 3)
    source, memories, sample = data.sources[0], crowd.state.offsets, scratch.sample
    targets = np.random.default_rng(1).integers(0, any_database.poses.frame_count, COUNT)
    kept = 0
    for n in range(COUNT):
        take_sample(source, crowd.frames[n], crowd.fractions[n], 1.0, scratch, ROW_BEFORE)
        take_sample(source, targets[n], crowd.fractions[n], 1.0, scratch, ROW_AFTER)
        before = find_velocities(crowd, n, ROW_BEFORE, sample)
        start_transition(data, n, sample, crowd.runner.data.settings.transition, 0.3)
        after = find_velocities(crowd, n, ROW_AFTER, sample)
        most = 0.99 * find_fastest(crowd.runner.data.settings.transition, 0.3)
        for one, other, memory in zip(before, after, (memories.rotations[n, 3:], memories.positions[n, 3:])):
            slow = np.linalg.norm(memory[:, : len(one)], axis=0) < most
            np.testing.assert_allclose(other[slow], one[slow], atol=2e-4)
            kept += slow[1:].sum()
    assert kept > COUNT or any_database.poses.skeleton.joint_count == 1


def find_velocities(crowd, n, row, sample):
    """Angular velocities (J, 3) and velocities (M, 3) that are shown of a row of the sample."""
    offsets, given = crowd.state.offsets, (crowd.runner.data.settings.transition, crowd.state.offsets.ages[n], 0.3)
    spins = [
        show_spin(
            offsets.rotations[n], j, *given, quaternion_of(sample.rotations[row, j]), vector(sample.spins[row, j])
        )
        for j in range(sample.rotations.shape[1])
    ]
    velocities = [
        show_velocity(offsets.positions[n], k, *given, vector(sample.places[row, k]), vector(sample.velocities[row, k]))
        for k in range(sample.places.shape[1])
    ]
    return np.array(spins, float).reshape(-1, 3), np.array(velocities, float).reshape(-1, 3)


def show(crowd):
    """What is shown now, by a step of no time in which nobody searches."""
    pose = crowd.prepare_pose()
    crowd.runner.refresh(crowd.settings, crowd.filters)
    crowd.runner.run(0.0, MOVE, END)
    return pose.copy()


@pytest.mark.parametrize(("old", "new"), [(a, b) for a in (SPRING, QUINTIC, DEAD) for b in (SPRING, QUINTIC, DEAD)])
def test_going_over_to_the_same_frame_shows_the_same_whatever_the_kind_was(database, old, new):
    settings = {kind: Settings(transition=name) for kind, name in enumerate(TRANSITIONS)}
    crowd = Crowd(database, 3, settings=settings[old], compiled=False)
    scatter(crowd, 2)
    crowd.state.offsets.ages[:] = 0.05
    before = show(crowd)
    crowd.settings = settings[new]  # which begins a transition of the new kind
    after = show(crowd)
    np.testing.assert_allclose(after.positions[:, 1:], before.positions[:, 1:], atol=2e-5)
    assert quaternion.angle(before.rotations[:, 1:], after.rotations[:, 1:]).max() < 2e-3


def test_without_transitions_nothing_is_remembered(database):
    crowd = Crowd(database, 2, settings=Settings(transition="none"), compiled=False)
    data, scratch = open_stages(crowd)
    take_sample(crowd.runner.tables[0], 100, 0.5, 1.0, scratch, ROW_BEFORE)
    take_sample(crowd.runner.tables[0], 300, 0.5, 1.0, scratch, ROW_AFTER)
    start_transition(data, 0, scratch.sample, 3, 0.1)
    assert not any(array[0].any() for array in crowd.state.offsets[:3])
    assert crowd.state.offsets.ages.tolist() == [0.0, np.inf]


def test_another_kind_may_be_chosen_before_the_first_step(database):
    crowd = Crowd(database, 2)
    crowd.settings = Settings(transition="dead")
    assert np.isfinite(crowd.step(move(np.zeros((2, 3))), 1 / 60).global_positions).all()


def test_a_toe_keeps_its_rate_at_a_jump_from_the_last_frame_of_a_clip(database):
    """Its height has no next frame there; as if it stood still, the shown toe would stop in the air."""
    crowd, poses = Crowd(database, 1), database.poses
    crowd.runner.refresh(crowd.settings, crowd.filters)
    heights = crowd.sources[0].by_frame.toe_heights
    for last in (poses.clip_stops[~poses.clip_loops] - 1)[:8]:
        crowd.frames[:], crowd.fractions[:] = last, 0.0
        crowd.runner.sample(0, ROW_BEFORE)
        reached = (heights[last] - heights[last - 1]) * poses.frame_rate
        np.testing.assert_allclose(crowd.runner.scratch[0].sample.toe_rates[ROW_BEFORE], reached, atol=1e-5)
