import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.motion.clip import Clip


def test_duration_runs_from_the_first_frame_to_the_last(humanoid, motion):
    clip = motion(humanoid(), frames=31, frame_rate=30)
    assert clip.duration == pytest.approx(1.0)
    assert clip.dt == pytest.approx(1 / 30)


def test_frames_are_a_half_open_range(humanoid, motion):
    clip = motion(humanoid(), frames=10)
    part = clip.frames(2, 5)
    assert part.frame_count == 3
    np.testing.assert_array_equal(part.positions, clip.positions[2:5])


def test_with_replaces_and_leaves_the_old_clip_alone(humanoid, motion):
    clip = motion(humanoid())
    other = clip.with_(name="b", tags={"walk"})
    assert (clip.name, other.name, other.tags) == ("made up", "b", frozenset({"walk"}))


def test_arrays_are_kept_read_only_in_single_precision(humanoid, motion):
    clip = motion(humanoid())
    assert clip.positions.dtype == clip.rotations.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        clip.positions[0] = 0


@pytest.mark.parametrize("rate", [0, -30, np.inf, np.nan, 1e-300, 1e300])
def test_a_frame_rate_must_be_a_positive_number_within_reason(humanoid, motion, rate):
    with pytest.raises(KinematchError, match="frame rate"):
        motion(humanoid()).with_(frame_rate=rate)


def test_a_clip_without_frames_or_with_odd_shapes_is_refused(humanoid):
    body = humanoid()
    with pytest.raises(KinematchError, match="no frames"):
        Clip(body, np.zeros((0, body.joint_count, 3)), np.zeros((0, body.joint_count, 4)), 30)
    with pytest.raises(KinematchError, match="rotations has shape"):
        Clip(body, np.zeros((2, body.joint_count, 3)), np.zeros((3, body.joint_count, 4)), 30)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("positions", np.nan, r"clip 'made up': positions\[3, 1, 2\] is nan, expected a number from -1e\+09 to 1e\+09"),
        ("positions", np.inf, r"positions\[3, 1, 2\] is inf"),
        ("positions", -1e300, r"positions\[3, 1, 2\] is -inf"),
        ("rotations", np.nan, r"rotations\[3, 1, 2\] is nan, expected a number from -1\.001 to 1\.001"),
        ("rotations", 7.0, r"rotations\[3, 1, 2\] is 7\.0"),
    ],
)
def test_values_that_are_no_motion_are_refused_with_their_place(humanoid, motion, name, value, says):
    clip = motion(humanoid())
    values = getattr(clip, name).astype(np.float64)
    values[3, 1, 2] = value
    with pytest.raises(KinematchError, match=says):
        clip.with_(**{name: values})
