import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion import kernels, kinematics
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton

DOT = skeleton(["dot"], [-1], [[0, 0, 0]])


def moving_dot(path, rate: float, seconds: float, turn=None) -> Clip:
    """path and turn are functions of time; the turn is an angle about a slanted axis."""
    times = np.arange(int(seconds * rate) + 1) / rate
    angles = np.zeros_like(times) if turn is None else turn(times)
    rotations = from_rotation_vector(angles[:, None] * np.array([0.6, 0, 0.8]))
    positions = np.stack([path(times), 0 * times, 0 * times], axis=-1)
    return Clip(DOT, positions[:, None], rotations[:, None], rate)


def test_the_same_rate_changes_nothing(humanoid, motion):
    clip = motion(humanoid(1))
    same = resample(clip, 30)
    np.testing.assert_array_equal(same.positions, clip.positions)
    np.testing.assert_array_equal(same.rotations, clip.rotations)


@pytest.mark.parametrize("times", [2, 3, 4])
def test_going_up_by_a_whole_number_keeps_every_frame(humanoid, motion, times):
    clip = motion(humanoid(1))
    more = resample(clip, 30 * times)
    assert more.frame_count == times * (clip.frame_count - 1) + 1
    np.testing.assert_array_equal(more.positions[::times], clip.positions)
    assert quaternion.angle(more.rotations[::times], clip.rotations).max() < 1e-6


def test_a_frame_time_rounded_in_the_file_is_still_thirty_frames(humanoid, motion):
    clip = motion(humanoid(1), frames=3000, frame_rate=1 / 0.033333)
    more = resample(clip, 60)
    np.testing.assert_array_equal(more.positions[::2], clip.positions)


@settings(max_examples=60, deadline=None)
@given(
    frames=st.integers(1, 40),
    old=st.sampled_from([23.976, 24, 25, 30, 60, 120]),
    new=st.floats(5, 240),
)
def test_it_ends_at_or_less_than_a_frame_before_the_old_end(frames, old, new):
    clip = moving_dot(lambda t: t, old, (frames - 1) / old)
    other = resample(clip, new)
    slack = 1e-3 * clip.duration + 1e-9  # rates within a ten-thousandth count as the same
    assert other.duration <= clip.duration + slack
    assert other.duration > clip.duration - 1 / new - slack
    assert np.isfinite(other.positions).all()
    np.testing.assert_allclose(np.linalg.norm(other.rotations, axis=-1), 1, atol=1e-5)


def test_cubic_paths_and_steady_turns_are_met_exactly_at_any_rate():
    clip = moving_dot(lambda t: t**3 - 2 * t, 30, 3, turn=lambda t: 2 * t)
    for rate in (60, 47.3, 90):
        other = resample(clip, rate)
        times = np.arange(other.frame_count) / rate
        np.testing.assert_allclose(other.positions[:, 0, 0], times**3 - 2 * times, atol=2e-5)
        true = from_rotation_vector(2 * times[:, None] * np.array([0.6, 0, 0.8]))
        assert quaternion.angle(other.rotations[:, 0], true).max() < 1e-4


def test_sign_flips_in_the_source_leave_no_trace(humanoid, motion):
    clip = motion(humanoid(1))
    flipped = np.array(clip.rotations)
    flipped[::3] *= -1
    a, b = resample(clip, 60), resample(clip.with_(rotations=flipped), 60)
    assert quaternion.angle(a.rotations, b.rotations).max() < 1e-6


def test_going_down_keeps_slow_motion_and_drops_what_would_alias():
    slow = resample(moving_dot(lambda t: np.sin(2 * np.pi * 2 * t), 120, 3), 30)
    times = np.arange(slow.frame_count) / 30
    np.testing.assert_allclose(slow.positions[15:-15, 0, 0], np.sin(4 * np.pi * times)[15:-15], atol=0.02)
    hum = resample(moving_dot(lambda t: np.sin(2 * np.pi * 28 * t), 120, 3), 30)  # would come out as 2 Hz
    assert np.abs(hum.positions[15:-15]).max() < 0.05


def test_up_and_down_again_comes_back(humanoid, motion):
    clip = motion(humanoid(1))
    back = resample(resample(clip, 60), 30)
    assert back.frame_count == clip.frame_count
    assert np.degrees(quaternion.angle(back.rotations, clip.rotations).max()) < 0.2


@pytest.mark.parametrize("rate", [0, -1, np.nan, np.inf])
def test_an_impossible_rate_is_refused(humanoid, motion, rate):
    with pytest.raises(KinematchError, match="frame rate"):
        resample(motion(humanoid()), rate)


def test_running_at_sixty_is_recovered_from_thirty(data):
    clip = read_clip(data / "xsens" / "JL_mm_run.bvh").frames(1100, 2301)
    thirty = clip.with_(positions=clip.positions[::2], rotations=clip.rotations[::2], frame_rate=30)
    again = resample(thirty, 60)
    angles = np.degrees(quaternion.angle(again.rotations, clip.rotations))
    assert np.sqrt(np.mean(angles**2)) < 0.2
    apart = np.linalg.norm(kinematics.global_pose(again)[0] - kinematics.global_pose(clip)[0], axis=-1)
    assert np.sqrt(np.mean(apart**2)) < 1e-3


def test_a_rate_that_would_fill_memory_is_refused_before_it_does():
    slow = moving_dot(np.sin, 0.001, 1e6)
    with pytest.raises(KinematchError, match=r"from 0\.001 to 1e\+06 fps: 1e\+12 frames of 1 joints, expected at most"):
        resample(slow, 1e6)


@pytest.mark.parametrize("frames", [2, 3, 4, 5, 300])
def test_the_compiled_spline_is_that_of_scipy(frames):
    from scipy.interpolate import CubicSpline

    values = np.random.default_rng(frames).normal(size=(frames, 4)).cumsum(axis=0)
    times = np.linspace(0, frames - 1, 3 * frames)
    out = np.empty((len(times), 4))
    kernels.sample_spline(values, times, out)
    np.testing.assert_allclose(out, CubicSpline(np.arange(frames), values, axis=0)(times), atol=1e-12)
