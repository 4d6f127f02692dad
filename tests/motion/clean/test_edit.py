import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematch.errors import KinematchError
from kinematch.motion import kinematics
from kinematch.motion.clean.edit import drop, leg_length, scale, scale_to_leg_length, split, trim, unroll
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton


def counting(frames=30, rate=10.0) -> Clip:
    """A clip whose position is its frame number."""
    positions = np.zeros((frames, 1, 3))
    positions[:, 0, 0] = np.arange(frames)
    rotations = np.tile([1.0, 0, 0, 0], (frames, 1, 1))
    return Clip(skeleton(["dot"], [-1], [[0, 0, 0]]), positions, rotations, rate, name="counting")


def numbers(clip: Clip) -> list[int]:
    return clip.positions[:, 0, 0].astype(int).tolist()


def test_trim_takes_the_frames_from_start_until_before_stop():
    assert numbers(trim(counting(), 0.5, 0.8)) == [5, 6, 7]
    assert numbers(trim(counting(), 2.7)) == [27, 28, 29]
    assert numbers(trim(counting(), 0, 3.0)) == list(range(30))


@given(st.lists(st.floats(0, 3), max_size=5))
def test_split_loses_and_repeats_nothing(times):
    pieces = split(counting(), times)
    assert [n for piece in pieces for n in numbers(piece)] == list(range(30))


def test_split_begins_the_next_piece_at_the_time():
    assert [numbers(p)[0] for p in split(counting(), [1.0, 2.0])] == [0, 10, 20]


def test_drop_leaves_the_pieces_around_the_ranges():
    pieces = drop(counting(), [(0.5, 1.0), (0.8, 2.0), (2.9, 3.0)])
    assert [numbers(p) for p in pieces] == [[0, 1, 2, 3, 4], list(range(20, 29))]


@pytest.mark.parametrize("time", [-0.2, 3.2, np.nan, np.inf])
def test_times_outside_the_clip_are_refused_with_its_length(time):
    for cut in (lambda c: trim(c, time), lambda c: split(c, [time]), lambda c: drop(c, [(0, time)])):
        with pytest.raises(KinematchError, match=r"from 0 to 3\.000 s"):
            cut(counting())


def test_empty_results_are_refused():
    with pytest.raises(KinematchError, match="nothing lies between"):
        trim(counting(), 2, 1)
    with pytest.raises(KinematchError, match="nothing lies between"):
        drop(counting(), [(1, 1)])
    with pytest.raises(KinematchError, match="drop all"):
        drop(counting(), [(0, 3)])


def test_unroll_changes_signs_alone(humanoid, motion):
    clip = motion(humanoid(1))
    flipped = np.array(clip.rotations)
    flipped[5:9] *= -1
    fixed = unroll(clip.with_(rotations=flipped))
    np.testing.assert_array_equal(np.abs(fixed.rotations), np.abs(flipped))
    assert (np.sum(fixed.rotations[1:] * fixed.rotations[:-1], axis=-1) > 0).all()


def test_leg_length_is_thigh_plus_shank_whatever_the_axes(humanoid):
    expected = np.hypot(0.42, 0.01) + np.hypot(0.41, 0.01)
    assert leg_length(humanoid()) == pytest.approx(expected, abs=1e-6)
    assert leg_length(humanoid(7)) == pytest.approx(expected, abs=1e-6)


def test_scaling_to_a_leg_length_scales_the_world(humanoid, motion):
    clip = motion(humanoid(2))
    small = scale_to_leg_length(clip, 0.5)
    assert leg_length(small.skeleton) == pytest.approx(0.5, abs=1e-6)
    factor = 0.5 / leg_length(clip.skeleton)
    np.testing.assert_allclose(kinematics.global_pose(small)[0], kinematics.global_pose(clip)[0] * factor, atol=1e-6)


def test_impossible_sizes_and_legless_rigs_are_refused(humanoid, motion):
    clip = motion(humanoid())
    for wrong in (0, -1, np.nan):
        with pytest.raises(KinematchError, match="positive"):
            scale_to_leg_length(clip, wrong)
        with pytest.raises(KinematchError, match="positive"):
            scale(clip, wrong)
    with pytest.raises(KinematchError, match="left_upper_leg"):
        scale_to_leg_length(counting(), 0.8)
