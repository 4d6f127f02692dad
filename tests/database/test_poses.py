"""Laws of the pose database: differences, clip borders, loops, marks."""

import numpy as np
import pytest

from kinematch.database.loops import close_loop, extend_track
from kinematch.database.poses import ClipEntry, Mark, build_poses
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion.clean.resample import resample
from kinematch.motion.kinematics import forward


def entry(clip, **more):
    return ClipEntry(clip, np.zeros((clip.frame_count, 2), bool), **more)


def test_velocities_integrate_back_to_positions(database, walk):
    poses = database(walk(turn=1.0))
    v = poses.velocities.astype(np.float64)
    steps = (v[1:] + v[:-1]) / 2 / poses.frame_rate
    again = poses.positions[0] + np.concatenate([np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)])
    np.testing.assert_allclose(again, poses.positions, atol=2e-3)


def test_angular_velocities_integrate_back_to_rotations(database, walk):
    poses = database(walk(turn=2.0))
    q = poses.rotations[0].astype(np.float64)
    w = poses.angular_velocities.astype(np.float64)
    for k in range(1, poses.frame_count):
        q = quaternion.multiply(rotation.from_rotation_vector((w[k] + w[k - 1]) / 2 / poses.frame_rate), q)
    assert np.degrees(quaternion.angle(q, poses.rotations[-1])).max() < 0.2


def test_velocity_belongs_to_its_own_frame_not_to_the_half_frame_before(database, walk):
    poses = database(walk(swing=0.2))
    t = np.arange(121) / 60
    exact = 0.2 * 2 * np.pi * np.cos(2 * np.pi * t)
    # central differences lag by nothing: their error is that of (h^2 / 6) f'''
    assert np.abs(poses.velocities[1:-1, 2, 2] - exact[1:-1]).max() < 1.1 / 6 * (2 * np.pi) ** 3 * 0.2 / 60**2


def test_differences_never_cross_clips(database, walk):
    far = walk("far", heading=2.0)
    moved = far.with_(positions=far.positions + np.float32([[[100, 0, 0]]]) * (np.arange(7) == 0)[None, :, None])
    both, alone = database(walk(), moved), database(moved)
    np.testing.assert_array_equal(both.velocities[121:], alone.velocities)
    np.testing.assert_array_equal(both.angular_velocities[121:], alone.angular_velocities)


def test_clips_lie_end_to_end_and_frames_know_their_clip(database, walk):
    poses = database(walk("a"), walk("b", seconds=1), walk("c", seconds=0.5))
    assert poses.clip_names == ("a", "b", "c")
    assert poses.clip_starts.tolist() == [0, 121, 182]
    assert poses.clip_stops.tolist() == [121, 182, 213]
    assert poses.clip_of(np.array([0, 120, 121, 181, 182, 212])).tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(poses.clip(1).positions, walk("b", seconds=1).positions)


def test_quaternions_are_continuous_whatever_signs_the_source_had(database, walk):
    clip = walk(turn=1.0)
    flips = np.where(np.arange(clip.frame_count) % 3 == 0, -1, 1)[:, None, None]
    poses = database(clip.with_(rotations=clip.rotations * flips))
    assert (quaternion.dot(poses.rotations[1:], poses.rotations[:-1]) > 0).all()


def test_a_closed_loop_stores_its_last_frame_once_and_knows_its_displacement(walk):
    clip = walk(turn=0.5, seconds=2)
    poses = build_poses([entry(clip, loop=True)], np.array([2, 3]))
    assert poses.frame_count == clip.frame_count - 1
    at = poses.positions[0, 0] + quaternion.rotate(poses.rotations[0, 0], poses.loop_positions[0])
    np.testing.assert_allclose(at, clip.positions[-1, 0], atol=1e-6)
    facing = quaternion.multiply(poses.rotations[0, 0], poses.loop_rotations[0])
    assert quaternion.angle(facing, clip.rotations[-1, 0]) < 1e-6


def test_differences_of_a_loop_wrap(walk):
    twice = walk(turn=0.5, seconds=4)
    once = build_poses([entry(twice.frames(0, 121), loop=True)], np.array([2, 3]))
    whole = build_poses([entry(twice)], np.array([2, 3]))
    np.testing.assert_allclose(once.velocities[119], whole.velocities[119], atol=1e-4)
    np.testing.assert_allclose(once.angular_velocities[119], whole.angular_velocities[119], atol=1e-4)
    # the first frame is as the one a round later, turned back by the round
    back = quaternion.multiply(whole.rotations[0, 0], quaternion.inverse(whole.rotations[120, 0]))
    np.testing.assert_allclose(once.velocities[0, 0], quaternion.rotate(back, whole.velocities[120, 0]), atol=1e-4)
    np.testing.assert_allclose(once.velocities[0, 1:], whole.velocities[120, 1:], atol=1e-4)


@pytest.mark.parametrize("stored", ["with its first frame repeated", "one frame short"])
def test_both_habits_of_storing_a_loop_close_to_the_same(walk, stored):
    clip = walk(turn=0.5, seconds=2)
    closed, warning = close_loop(clip if stored == "with its first frame repeated" else clip.frames(0, 120))
    assert warning is None
    assert closed.frame_count == 121
    np.testing.assert_allclose(closed.positions[-1], clip.positions[-1], atol=1e-4)
    assert quaternion.angle(closed.rotations[-1], clip.rotations[-1]).max() < 1e-3


def accelerations_over_two_rounds(closed):
    """Of the joints against the root, m/s^2, the largest inside of a round and across the seam."""
    once = forward(closed.skeleton, closed.positions, closed.rotations)[0]
    local = once - once[:, :1]
    twice = np.concatenate([local[:-1], local])
    bends = np.linalg.norm(np.diff(twice, 2, axis=0), axis=-1).max(axis=1) * closed.frame_rate**2
    across = len(local) - 2  # the second difference around the first frame of the second round
    return np.delete(bends, slice(across - 1, across + 2)).max(), bends[across - 1 : across + 2].max()


def test_a_loop_of_a_slower_file_gets_as_many_frames_as_are_missing(walk):
    slow = resample(walk(seconds=2).frames(0, 119), 60.0)  # two frames short: one of a file at 30 fps
    closed, warning = close_loop(slow)
    assert warning is None
    assert closed.frame_count == 121


def test_a_kink_at_the_seam_is_spread_over_both_sides(walk):
    clip = walk(seconds=2)
    positions = np.array(clip.positions)
    positions[:, 1, 1] += 0.02 * (np.arange(clip.frame_count) / 120) ** 8  # the hips end higher, and rising
    inside, across = accelerations_over_two_rounds(clip.with_(positions=positions))
    assert across > 3 * inside
    inside, across = accelerations_over_two_rounds(close_loop(clip.with_(positions=positions))[0])
    assert across < 1.5 * inside


def test_one_who_stands_and_hardly_sways_does_loop(walk):
    still = walk(swing=0.0, hands=0.0, speed=0.0)
    angles = np.linspace(0, np.radians(0.5), still.frame_count)  # far more than between two frames
    swaying = np.array(still.rotations)
    swaying[:, 4] = rotation.from_axis_angle([0.0, 1.0, 0.0], angles)
    assert close_loop(still.with_(rotations=swaying))[1] is None


def test_a_clip_that_does_not_loop_is_told(walk):
    _, warning = close_loop(walk(seconds=1.25))
    assert warning is not None
    assert "last pose" in warning


def test_a_loop_extends_as_the_longer_clip_does(walk):
    clip = walk(turn=0.7, seconds=6)
    p, r = clip.positions[:, 0].astype(float), clip.rotations[:, 0].astype(float)
    back = quaternion.inverse(r[120])
    loop = quaternion.rotate(back, p[240] - p[120]), quaternion.multiply(back, r[240])
    long_p, long_r = extend_track(p[120:240], r[120:240], before=120, after=121, window=6, loop=loop)
    np.testing.assert_allclose(long_p, p, atol=1e-5)
    assert quaternion.angle(long_r, r).max() < 1e-5


@pytest.mark.parametrize("turn", [0.0, 1.3, -2.0])
def test_an_end_goes_on_along_its_line_or_circle(walk, turn):
    clip = walk(turn=turn, seconds=3)
    p, r = clip.positions[:, 0].astype(float), clip.rotations[:, 0].astype(float)
    long_p, long_r = extend_track(p[60:121], r[60:121], before=60, after=60, window=6)
    np.testing.assert_allclose(long_p, p, atol=1e-4)
    assert quaternion.angle(long_r, r).max() < 1e-4


def test_tags_and_marks_reach_their_frames_only(walk):
    marks = (Mark(10, 20, frozenset({"turn"}), no_entry=True), Mark(15, 1000, no_exit=True, cost_factor=2.0))
    poses = build_poses([entry(walk("a", tags=("walk",))), entry(walk("b"), marks=marks)], np.array([2, 3]))
    assert poses.tags.names == ("turn", "walk")
    assert np.flatnonzero(poses.tags.of("walk")).tolist() == list(range(121))
    assert np.flatnonzero(poses.tags.of("turn")).tolist() == list(range(131, 141))
    assert np.flatnonzero(poses.no_entry).tolist() == list(range(131, 141))
    assert np.flatnonzero(poses.no_exit).tolist() == list(range(136, 242))
    assert set(poses.cost_factor[:136]) == {1.0}
    assert set(poses.cost_factor[136:]) == {2.0}
    with pytest.raises(KinematchError, match="did you mean 'walk'"):
        poses.tags.of("wakl")


def test_other_skeletons_and_rates_are_refused_with_the_difference(database, walk):
    other = walk("other")
    longer = np.array(other.skeleton.offsets)
    longer[2, 1] -= 0.1
    from dataclasses import replace

    with pytest.raises(KinematchError, match=r"'LeftFoot' is 0\.95"):
        database(walk(), other.with_(skeleton=replace(other.skeleton, offsets=longer)))
    with pytest.raises(KinematchError, match="30 fps"):
        database(walk(), walk("slow", rate=30))


def test_arrays_of_a_database_cannot_be_changed(database):
    poses = database()
    with pytest.raises(ValueError, match="read-only"):
        poses.positions[0] = 0


def test_single_frames_have_no_velocity(database, walk):
    poses = database(walk().frames(5, 6))
    assert not poses.velocities.any()
    assert not poses.angular_velocities.any()
