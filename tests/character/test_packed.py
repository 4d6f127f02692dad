"""Packed databases play as plain ones do: kernels equal the plain stages, and poses stay within the bound."""

import numpy as np
import pytest
from tests.character.rigs import RIGS, make_database

from kinematch.character.crowd import Crowd
from kinematch.character.kernels.animation import DECODE
from kinematch.character.plain import PlainCrowd
from kinematch.character.settings import Settings
from kinematch.control.command import move
from kinematch.database.packing.bodies import place_points
from kinematch.database.packing.pack import pack_database

BOUND = 1e-4


@pytest.fixture(scope="module")
def packed(database):
    return pack_database(database, BOUND).database


def wander(crowds, steps, seed=0):
    """The same commands for several crowds of one size; their poses, step by step."""
    rng = np.random.default_rng(seed)
    count = crowds[0].count
    for step in range(steps):
        if step % 20 == 0:
            velocities = rng.normal(size=(count, 3)) * [1.5, 0, 1.5]
        yield [crowd.step(move(velocities), 1 / 50) for crowd in crowds]


@pytest.mark.parametrize("transition", ["spring", "quintic", "dead", "none"])
def test_kernels_play_a_packed_database_as_the_plain_stages_do(packed, transition):
    settings = Settings(transition=transition)
    for fused, plain in wander([Crowd(packed, 9, settings=settings), PlainCrowd(packed, 9, settings=settings)], 60):
        assert (fused.frames == plain.frames).all()
        np.testing.assert_allclose(fused.global_positions, plain.global_positions, atol=2e-5)
        np.testing.assert_allclose(fused.displacements, plain.displacements, atol=1e-6)


@pytest.fixture(scope="module")
def mirrored(built_of):
    return built_of("idle", "walk_1.35", "walk_turn_left_90", mirror=True).database


@pytest.mark.parametrize("transition", ["spring", "quintic"])
def test_kernels_play_mirror_images_as_the_plain_stages_do(mirrored, transition):
    found = pack_database(mirrored, BOUND)
    assert found.mirrored == mirrored.poses.clip_count // 2
    settings, seen = Settings(transition=transition), 0.0
    crowds = [kind(found.database, 9, settings=settings) for kind in (Crowd, PlainCrowd)]
    for fused, plain in wander(crowds, 60):
        assert (fused.frames == plain.frames).all()
        np.testing.assert_allclose(fused.global_positions, plain.global_positions, atol=2e-5)
        np.testing.assert_allclose(fused.displacements, plain.displacements, atol=1e-6)
        frames = found.database.poses.frames
        seen += (frames.pack.sides[frames.find_clips(fused.frames)] < 0).mean() / 60
    assert 0.1 < seen < 0.9


def test_mirror_images_at_and_between_frames_stay_within_the_bound_and_do_not_drift(mirrored):
    packed = pack_database(mirrored, BOUND).database
    images = np.flatnonzero(packed.poses.pack.sides < 0)
    points, ends = [], []
    for one in (mirrored, packed):
        own = np.concatenate([np.arange(c.start, c.stop) for c in map(one.poses.clip_frames, images.tolist())])
        crowd = Crowd(one, len(own))
        crowd.state.playing.frames[:] = own
        crowd.state.playing.fractions[:] = np.random.default_rng(3).uniform(0, 1, len(own))
        pose = crowd.prepare_pose()
        crowd.runner.animate(0.0, DECODE)
        points.append(place_points(one.skeleton, pose.positions, pose.rotations))
        clips = map(one.poses.clip_frames, images.tolist())
        ends.append([travel(one, c.start, min(c.stop, c.start + 600) - 1) for c in clips])
    assert np.linalg.norm(points[0] - points[1], axis=-1).max() < 1.05 * BOUND
    np.testing.assert_allclose(*ends, atol=1e-3)


@pytest.mark.parametrize("rig", RIGS)
def test_odd_rigs_and_loops_play_packed_too(rig):
    database = pack_database(make_database(RIGS[rig]()), BOUND).database
    for fused, plain in wander([Crowd(database, 5), PlainCrowd(database, 5)], 80):
        assert (fused.frames == plain.frames).all()
        np.testing.assert_allclose(fused.global_positions, plain.global_positions, atol=2e-5)


def test_poses_at_and_between_frames_stay_within_the_bound(database, packed):
    count = 200
    points = []
    for one in (database, packed):
        crowd, rng = Crowd(one, count), np.random.default_rng(2)
        crowd.state.playing.frames[:] = rng.integers(0, one.poses.frame_count, count)
        crowd.state.playing.fractions[:] = rng.uniform(0, 1, count)
        sample = crowd.sources[0].decode(crowd.state, crowd.characters)
        points.append(place_points(one.skeleton, sample.positions, sample.rotations))
    assert np.linalg.norm(points[0] - points[1], axis=-1).max() < 1.05 * BOUND


def test_a_saved_state_restores_on_a_packed_database(packed):
    crowd = Crowd(packed, 6)
    for _ in wander([crowd], 40):
        pass
    state = crowd.state.copy()
    first = [pose[0].global_positions.copy() for pose in wander([crowd], 40, seed=3)]
    crowd.restore(state)
    again = [pose[0].global_positions.copy() for pose in wander([crowd], 40, seed=3)]
    assert np.array_equal(first, again)


def test_characters_go_between_a_packed_and_a_plain_database(database, packed):
    crowds = [Crowd([database, packed], 4), PlainCrowd([database, packed], 4)]
    rng = np.random.default_rng(1)
    seen = set()
    for step in range(60):
        if step % 15 == 0:
            command = move(rng.normal(size=(4, 3)) * [1, 0, 1], source=rng.integers(0, 2, 4))
        fused, plain = (crowd.step(command, 1 / 60) for crowd in crowds)
        seen |= set(fused.sources.tolist())
        np.testing.assert_allclose(fused.global_positions, plain.global_positions, atol=2e-5)
    assert seen == {0, 1}


def test_ten_seconds_of_packed_root_motion_drift_less_than_a_millimetre(database, packed):
    frames, rate = database.poses.frame_count, database.poses.frame_rate
    for clip in range(database.poses.clip_count):
        own = database.poses.clip_frames(clip)
        start, stop = own.start, min(own.stop, own.start + round(10 * rate)) - 1
        assert stop < frames
        ends = [travel(one, start, stop) for one in (database, packed)]
        assert np.linalg.norm(ends[0][:2] - ends[1][:2]) < 1e-3
        assert abs(ends[0][2] - ends[1][2]) < 1e-4


def travel(database, start, stop):
    """Where root motion leads from one frame to another, step by step, in the axes of the first."""
    source = Crowd(database, 1).sources[0]
    state = Crowd(database, 1).state
    state.playing.frames[:] = start
    x = z = yaw = 0.0
    for _ in range(stop - start):
        ((dx, dz, turn),) = source.advance(state, np.array([0]), np.array([1 / database.poses.frame_rate]))
        x, z, yaw = x + np.cos(yaw) * dx + np.sin(yaw) * dz, z + np.cos(yaw) * dz - np.sin(yaw) * dx, yaw + turn
    return np.array([x, z, yaw])
