"""Laws of the stages: any steps lead to the same place, a jump changes nothing at its moment, offsets fade away."""

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.constants import OVERSHOOT
from kinematch.character.database_source import DatabaseSource
from kinematch.character.stages.transition import (
    add_offsets,
    fade_offsets,
    show_angular_velocities,
    show_places,
    start_transition,
)
from kinematch.control.body import SimulatedBody, place_at_rest, predict_bodies
from kinematch.control.command import move
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y
from kinematch.math.rotation import from_rotation_vector, to_rotation_vector
from kinematch.math.spring import HALFLIFE_FACTOR

SETTINGS = Settings()


def advance_body(body: SimulatedBody, command, dt: float) -> SimulatedBody:
    return SimulatedBody(*(array[:, 0] for array in predict_bodies(body, command, np.array([dt]), SETTINGS.halflives)))


def test_the_body_moves_alike_whatever_the_step():
    for command in (move([[1.0, 0, 2.0], [0, 0, -1.0]]), move(np.zeros((2, 3)))):
        start = place_at_rest(np.zeros((2, 3)), np.array([0.3, -2.0]))
        start.yaw_rates[:] = [1.0, -3.0]
        once, often = advance_body(start, command, 0.5), start
        for dt in (0.1, 0.003, 0.25, 0.147):
            often = advance_body(often, command, dt)
        for a, b in zip(once, often):
            np.testing.assert_allclose(a, b, atol=1e-9)


def test_the_root_ends_up_in_the_same_place_whatever_the_step(database):
    crowd = Crowd(database)
    source, state, everyone = crowd.sources[0], crowd.state, crowd.characters
    ends = []
    for steps in ([1.0], [0.02] * 50, [0.3, 0.001, 0.5, 0.199]):
        state.playing.frames[:], state.playing.fractions[:] = database.poses.clip_starts[1] + 200, 0.37
        place, yaw = np.zeros((1, 3)), np.zeros(1)
        for dt in steps:
            x, z, turn = source.advance(state, everyone, np.array([dt]))[0]
            place, yaw = place + rotate_about_y(np.array([[x, 0.0, z]]), yaw), yaw + turn
        ends.append((place, yaw))
    for place, yaw in ends[1:]:
        np.testing.assert_allclose(place, ends[0][0], atol=1e-6)
        np.testing.assert_allclose(yaw, ends[0][1], atol=1e-6)
    assert ends[0][0][0, 2] > 0.8


def test_time_stands_still_at_the_end_of_a_clip(database):
    last = np.array([database.poses.clip_stops[0] - 1], np.int32)
    frames, fractions, rounds = DatabaseSource(database).move_time(last, np.array([0.0]), np.array([5.0]))
    assert (frames, fractions, rounds) == (last, 0.0, 0)


@pytest.mark.parametrize("kind", ["spring", "dead"])
def test_at_the_moment_of_a_jump_neither_pose_nor_velocity_changes(database, kind):
    count, settings = 20, Settings(transition=kind, transition_halflife=0.3)
    crowd = Crowd(database, count, settings=settings)
    rng, state, source, everyone = np.random.default_rng(0), crowd.state, crowd.sources[0], crowd.characters
    a, b = rng.integers(0, database.poses.frame_count, (2, count)).astype(np.int32)
    state.playing.frames[:], state.playing.fractions[:] = a, rng.random(count)
    state.offsets.ages[:] = 0.1
    state.offsets.rotations[:] = rng.normal(size=state.offsets.rotations.shape) * 0.05
    state.offsets.positions[:] = rng.normal(size=state.offsets.positions.shape) * 0.02

    def shown(sample):
        positions, rotations = add_offsets(state, everyone, sample, crowd.moving, settings)
        memory = state.offsets.rotations[..., : rotations.shape[1]].transpose(0, 2, 1).astype(float)
        turning = show_angular_velocities(
            memory, kind, state.offsets.ages, 0.3, sample.rotations, sample.angular_velocities
        )
        memory, own = state.offsets.positions.transpose(0, 2, 1).astype(float), crowd.moving
        moved = show_places(memory, kind, state.offsets.ages, 0.3, sample.positions[:, own], sample.velocities[:, own])
        return positions[:, own], rotations[:, 1:], moved[1], turning[:, 1:]

    before_sample = source.decode(state, everyone)
    before, roots = shown(before_sample), state.offsets.roots[:, :3] + before_sample.root_velocities
    source.enter(state, everyone, b)
    after_sample = source.decode(state, everyone)
    start_transition(state, everyone, before_sample, after_sample, crowd.moving, crowd.rig, settings, settings)
    after = shown(after_sample)
    np.testing.assert_allclose(after[0], before[0], atol=1e-6)
    assert quaternion.angle(before[1], after[1]).max() < 1e-5
    slow = (
        np.linalg.norm(state.offsets.rotations[:, 3:, 1 : after[3].shape[1] + 1], axis=1) < 0.8
    )  # velocities are capped
    np.testing.assert_allclose(after[3][slow], before[3][slow], atol=1e-4)
    assert slow.mean() > 0.5
    np.testing.assert_allclose(state.offsets.roots[:, :3] + after_sample.root_velocities, roots, atol=1e-9)


def test_a_joint_that_whirls_turns_on_as_fast_after_a_jump_to_a_pose_far_away(database):
    """Measured on what is shown: for large offsets the rate of a rotation vector is no angular velocity."""
    halflife, dt = 0.3, 1e-4
    crowd = Crowd(database, 20, settings=Settings(transition_halflife=halflife))
    rng, state, source, everyone = np.random.default_rng(0), crowd.state, crowd.sources[0], crowd.characters
    state.playing.frames[:] = rng.integers(0, database.poses.frame_count, 20)
    before = source.decode(state, everyone)
    far = from_rotation_vector(rng.normal(size=(*before.rotations.shape[:2], 3)) * 0.8)
    after = before._replace(rotations=quaternion.multiply(far, before.rotations))
    before = before._replace(angular_velocities=rng.normal(size=before.angular_velocities.shape) * 1.0)
    start_transition(state, everyone, before, after, crowd.moving, crowd.rig, crowd.settings, crowd.settings)
    shown = add_offsets(state, everyone, after, crowd.moving, crowd.settings)[1]
    fade_offsets(state, everyone, dt, crowd.settings)
    on = quaternion.multiply(from_rotation_vector(after.angular_velocities * dt), after.rotations)
    soon = add_offsets(state, everyone, after._replace(rotations=on), crowd.moving, crowd.settings)[1]
    spins = to_rotation_vector(quaternion.multiply(soon, quaternion.inverse(shown))) / dt
    fastest = OVERSHOOT * np.e * HALFLIFE_FACTOR / halflife
    slow = np.linalg.norm(state.offsets.rotations[:, 3:, : spins.shape[1]], axis=1) < 0.9 * fastest
    assert slow[:, 1:].mean() > 0.9  # faster ones are capped
    np.testing.assert_allclose(spins[slow], before.angular_velocities[slow], atol=0.05)


def test_a_toe_keeps_its_rate_at_a_jump_from_the_last_frame_of_a_clip(database):
    """Its height has no next frame there; as if it stood still, the shown toe would stop in the air."""
    crowd = Crowd(database, 1)
    source, state, heights = crowd.sources[0], crowd.state, crowd.sources[0].by_frame.toe_heights
    poses = database.poses
    for last in (poses.clip_stops[~poses.clip_loops] - 1)[:8]:
        state.playing.frames[:], state.playing.fractions[:] = last, 0.0
        reached = (heights[last] - heights[last - 1]) * poses.frame_rate
        np.testing.assert_allclose(source.decode(state, crowd.characters).toe_rates[0], reached, atol=1e-5)


def test_offsets_fade_away(database):
    crowd = Crowd(database, 4)
    crowd.state.offsets.ages[:] = 0.0
    for array in (crowd.state.offsets.rotations, crowd.state.offsets.positions, crowd.state.offsets.roots):
        array[:] = 0.3
    fade_offsets(crowd.state, crowd.characters, 5.0, crowd.settings)
    for array in (crowd.state.offsets.rotations, crowd.state.offsets.positions, crowd.state.offsets.roots):
        assert abs(array).max() < 1e-9
