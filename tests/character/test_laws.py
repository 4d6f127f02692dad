"""Laws of the run-time: any steps lead to the same place, a jump changes nothing at its moment, one is like many."""

import numpy as np
from kinematch.character.plain_playback import moved_on, playback, root_step, sample

from kinematch.character import Settings
from kinematch.character.plain import begin, decay, no_offsets, shown
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.command import move
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y

SETTINGS = Settings()


def advanced(body: SimulatedBody, command, dt: float) -> SimulatedBody:
    return SimulatedBody(*(array[:, 0] for array in predict_bodies(body, command, np.array([dt]), SETTINGS.halflives)))


def test_the_body_moves_alike_whatever_the_step():
    for command in (move([[1.0, 0, 2.0], [0, 0, -1.0]]), move(np.zeros((2, 3)))):
        start = place_at_rest(np.zeros((2, 3)), np.array([0.3, -2.0]))
        start.yaw_rates[:] = [1.0, -3.0]
        once, often = advanced(start, command, 0.5), start
        for dt in (0.1, 0.003, 0.25, 0.147):
            often = advanced(often, command, dt)
        for a, b in zip(once, often):
            np.testing.assert_allclose(a, b, atol=1e-9)


def test_the_root_ends_up_in_the_same_place_whatever_the_step(database):
    source = playback(database.poses)
    start = np.array([database.poses.clip_starts[1] + 200], np.int32)
    ends = []
    for steps in ([1.0], [0.02] * 50, [0.3, 0.001, 0.5, 0.199]):
        frames, fractions, place, yaw = start, np.array([0.37]), np.zeros((1, 3)), np.zeros(1)
        for dt in steps:
            after = moved_on(source, frames, fractions, dt)
            way, turn = root_step(source, (frames, fractions), after[:2], after[2])
            place, yaw = place + rotate_about_y(way, yaw), yaw + turn
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


def test_at_the_moment_of_a_plain_jump_neither_pose_nor_velocity_changes(database):
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
