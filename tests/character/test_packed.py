"""Packed databases play as plain ones do: alike uncompiled, and poses stay within the bound."""

import numpy as np
import pytest
from tests.character.plain_poses import decode_plainly
from tests.character.rigs import RIGS, make_database

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.character.step.step import MOVE, SHOW
from kinematch.control.command import move
from kinematch.database.packing.bodies import place_points
from kinematch.database.packing.pack import pack_database
from kinematch.database.time_kernels import advance_time, measure_root_motion

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


def compare(database, steps, **options):
    """Poses of a crowd, step by step, that equal those of an uncompiled one."""
    crowds = [Crowd(database, 4, compiled=compiled, **options) for compiled in (True, False)]
    for fast, slow in wander(crowds, steps):
        assert (fast.frames == slow.frames).all()
        np.testing.assert_allclose(fast.global_positions, slow.global_positions, atol=2e-5)
        np.testing.assert_allclose(fast.displacements, slow.displacements, atol=1e-6)
        yield fast


@pytest.mark.parametrize("transition", ["spring", "quintic", "dead", "none"])
def test_a_packed_database_plays_alike_uncompiled(packed, transition):
    settings = Settings(transition=transition)
    for _ in compare(packed, 60, settings=settings):
        pass


@pytest.fixture(scope="module")
def mirrored(built_of):
    return built_of("idle", "walk_1.35", "walk_turn_left_90", mirror=True).database


@pytest.mark.parametrize("transition", ["spring", "quintic"])
def test_mirror_images_play_alike_uncompiled(mirrored, transition):
    found = pack_database(mirrored, BOUND)
    assert found.mirrored == mirrored.poses.clip_count // 2
    settings, seen = Settings(transition=transition), 0.0
    frames = found.database.poses.frames
    for shown in compare(found.database, 60, settings=settings):
        seen += (frames.pack.sides[frames.find_clips(shown.frames)] < 0).mean() / 60
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
        crowd.runner.refresh(crowd.settings, crowd.filters)
        crowd.runner.run(0.0, MOVE, SHOW)
        points.append(place_points(one.skeleton, pose.positions, pose.rotations))
        clips = map(one.poses.clip_frames, images.tolist())
        ends.append([travel(one, c.start, min(c.stop, c.start + 600) - 1) for c in clips])
    assert np.linalg.norm(points[0] - points[1], axis=-1).max() < 1.05 * BOUND
    np.testing.assert_allclose(*ends, atol=1e-3)


@pytest.mark.parametrize("rig", RIGS)
def test_odd_rigs_and_loops_play_packed_too(rig):
    database = pack_database(make_database(RIGS[rig]()), BOUND).database
    for _ in compare(database, 80):
        pass


def test_poses_at_and_between_frames_stay_within_the_bound(database, packed):
    count = 200
    points = []
    for one in (database, packed):
        crowd, rng = Crowd(one, count), np.random.default_rng(2)
        crowd.state.playing.frames[:] = rng.integers(0, one.poses.frame_count, count)
        crowd.state.playing.fractions[:] = rng.uniform(0, 1, count)
        sample = decode_plainly(crowd, crowd.characters)
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
    crowds = [Crowd([database, packed], 4, compiled=compiled) for compiled in (True, False)]
    rng = np.random.default_rng(1)
    seen = set()
    for step in range(60):
        if step % 15 == 0:
            command = move(rng.normal(size=(4, 3)) * [1, 0, 1], source=rng.integers(0, 2, 4))
        fast, slow = (crowd.step(command, 1 / 60) for crowd in crowds)
        seen |= set(fast.sources.tolist())
        np.testing.assert_allclose(fast.global_positions, slow.global_positions, atol=2e-5)
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
    table, frame, part = Crowd(database, 1).sources[0].by_frame, start, 0.0
    x = z = yaw = 0.0
    for _ in range(stop - start):
        after, later, rounds = advance_time(table, frame, part, 1 / database.poses.frame_rate)
        dx, dz, turn = measure_root_motion(table, frame, part, after, later, rounds)
        frame, part = after, later
        x, z, yaw = x + np.cos(yaw) * dx + np.sin(yaw) * dz, z + np.cos(yaw) * dz - np.sin(yaw) * dx, yaw + turn
    return np.array([x, z, yaw])
