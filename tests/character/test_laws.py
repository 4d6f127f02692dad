"""Laws of the run-time: any steps lead to the same place, a jump changes nothing at its moment, legs reach."""

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.command import toward
from kinematch.character.limb import reach
from kinematch.character.playback import moved_on, playback, root_step, sample, turned
from kinematch.character.simulation import advance, ahead, at_rest
from kinematch.character.transition import begin, decay, no_offsets, shown
from kinematch.database.build import build
from kinematch.database.storage import Database
from kinematch.math import quaternion

SETTINGS = Settings()


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> Database:
    """A few clips of the dance card."""
    folder = tmp_path_factory.mktemp("character")
    clips = '["idle", "walk_1.35", "run_2.6", "walk_turn_*_90", "walk_turn_*_180"]'
    (folder / "small.toml").write_text(f'[[source]]\nbuiltin = "dance-card"\nclips = {clips}\n')
    return build(folder / "small.toml").database


def test_the_body_moves_alike_whatever_the_step():
    command = toward([[1.0, 0, 2.0], [0, 0, -1.0]])
    once, often = (at_rest(np.zeros((2, 3)), np.array([0.3, -2.0])) for _ in range(2))
    advance(once, command, 0.5, SETTINGS)
    for dt in (0.1, 0.003, 0.25, 0.147):
        advance(often, command, dt, SETTINGS)
    for name in ("positions", "velocities", "accelerations", "yaws", "yaw_rates"):
        np.testing.assert_allclose(getattr(once, name), getattr(often, name), atol=1e-9)


def test_the_future_is_what_happens_when_the_command_stays():
    command = toward([[1.0, 0, 2.0]])
    body = at_rest(np.zeros((1, 3)), np.zeros(1))
    future = ahead(body, command, np.array([0.33, 1.0]), SETTINGS)
    advance(body, command, 0.33, SETTINGS)
    np.testing.assert_allclose(future.positions[:, 0], body.positions, atol=1e-12)
    assert future.positions[0, 1, 2] > future.positions[0, 0, 2]


def test_the_root_ends_up_in_the_same_place_whatever_the_step(database):
    source = playback(database.poses)
    start = np.array([database.poses.clip_starts[1] + 200], np.int32)
    ends = []
    for steps in ([1.0], [0.02] * 50, [0.3, 0.001, 0.5, 0.199]):
        frames, fractions, place, yaw = start, np.array([0.37]), np.zeros((1, 3)), np.zeros(1)
        for dt in steps:
            after = moved_on(source, frames, fractions, dt)
            way, turn = root_step(source, (frames, fractions), after[:2], after[2])
            place, yaw = place + turned(way, yaw), yaw + turn
            frames, fractions = after[:2]
        ends.append((place, yaw))
    for place, yaw in ends[1:]:
        np.testing.assert_allclose(place, ends[0][0], atol=1e-6)
        np.testing.assert_allclose(yaw, ends[0][1], atol=1e-6)
    assert ends[0][0][0, 2] > 0.8


def test_time_stands_still_at_the_end_of_a_clip(database):
    source = playback(database.poses)
    last = np.array([database.poses.clip_stops[0] - 1], np.int32)
    frames, fractions, rounds = moved_on(source, last, np.array([0.0]), 5.0)
    assert (frames, fractions, rounds) == (last, 0.0, 0)


def test_at_the_moment_of_a_jump_neither_pose_nor_velocity_changes(database):
    source, joints = playback(database.poses), database.poses.skeleton.joint_count
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, database.poses.frame_count, (2, 20)).astype(np.int32)
    offsets, t = no_offsets(20, joints), rng.random(20)
    offsets.rotations += rng.normal(size=offsets.rotations.shape) * 0.3
    offsets.angular_velocities += rng.normal(size=offsets.rotations.shape)
    before = shown(sample(source, a, t), offsets)
    rates = rng.normal(size=(2, 20, 4))
    begin(offsets, np.arange(20), before, sample(source, b, t), (rates[0], rates[1]))
    after = shown(sample(source, b, t), offsets)
    assert quaternion.angle(before.rotations, after.rotations).max() < 1e-6
    for name in ("positions", "velocities", "angular_velocities"):
        np.testing.assert_allclose(getattr(before, name), getattr(after, name), atol=1e-6)
    np.testing.assert_allclose(offsets.root_velocities + rates[1], rates[0])
    decay(offsets, 0.1, 5.0)
    assert max(np.abs(values).max() for values in vars(offsets).values()) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_a_limb_reaches_what_it_can_and_keeps_its_bones(seed):
    rng = np.random.default_rng(seed)
    upper = rng.normal(size=(50, 3))
    middle = upper + quaternion.unit(rng.normal(size=(50, 3))) * 0.45
    end = middle + quaternion.unit(rng.normal(size=(50, 3))) * 0.4
    target = upper + quaternion.unit(rng.normal(size=(50, 3))) * rng.uniform(0.1, 1.2, (50, 1))
    aim, lower = reach(upper, middle, end, target, extension=0.99)
    new_middle = upper + quaternion.rotate(aim, middle - upper)
    new_end = new_middle + quaternion.rotate(lower, end - middle)
    wanted = np.linalg.norm(target - upper, axis=-1)
    near = wanted < 0.99 * 0.85
    np.testing.assert_allclose(new_end[near], target[near], atol=1e-6)
    far = np.linalg.norm(new_end - upper, axis=-1)[~near]
    np.testing.assert_allclose(far, 0.99 * 0.85, atol=1e-6)


def play(database: Database, crowd: Crowd, seconds: float, dt: float):
    shown_poses = []
    for k in range(round(seconds / dt)):
        angle = 0.0 if k * dt < 2 else np.pi / 2
        velocity = np.tile([1.35 * np.sin(angle), 0, 1.35 * np.cos(angle)], (crowd.count, 1))
        shown_poses.append(crowd.step(toward(velocity), dt))
    return shown_poses


def test_a_character_goes_where_it_is_told_and_stays_near_its_body(database):
    crowd = Crowd(database)
    poses = play(database, crowd, 5.0, 1 / 60)
    roots = np.array([pose.positions[0, 0] for pose in poses])
    assert roots[120, 2] > 1.5
    assert roots[-1, 0] > roots[120, 0] + 2.0
    assert np.linalg.norm(crowd.root_positions - crowd.body.positions) <= SETTINGS.clamp_distance + 1e-9
    assert sum(pose.jumped[0] for pose in poses) >= 2
    assert all(np.isfinite(pose.global_positions).all() for pose in poses)


def test_a_crowd_is_many_of_one(database):
    places = np.array([[0.0, 0, 0], [5.0, 0, 1.0], [-3.0, 0, 2.0]])
    together = Crowd(database, 3, positions=places)
    alone = [Crowd(database, positions=places[n : n + 1]) for n in range(3)]
    for n, crowd in enumerate(alone):  # one character has no one to take turns with
        crowd.since_search = together.since_search[n : n + 1].copy()
    many = play(database, together, 1.0, 1 / 60)
    single = [play(database, crowd, 1.0, 1 / 60) for crowd in alone]
    for n in range(3):
        for a, b in zip(many, single[n]):
            np.testing.assert_array_equal(a.global_positions[n], b.global_positions[0])


def test_planted_feet_stand_still_when_locked(database):
    slides = {}
    for lock in (True, False):
        crowd = Crowd(database, settings=Settings(foot_lock=lock))
        poses = play(database, crowd, 4.0, 1 / 60)
        toes = np.array([pose.global_positions[0, database.poses.contact_joints] for pose in poses])
        planted = np.array([pose.contacts[0] for pose in poses])[1:]
        slides[lock] = (np.linalg.norm(np.diff(toes, axis=0), axis=-1) * 60)[planted].mean()
    assert slides[True] < 0.7 * slides[False]


def test_a_long_pause_is_survived(database):
    crowd = Crowd(database)
    crowd.step(toward([[0, 0, 1.35]]), 1 / 60)
    shown_pose = crowd.step(toward([[0, 0, 1.35]]), 7.0)
    assert np.isfinite(shown_pose.global_positions).all()
