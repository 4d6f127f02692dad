"""N-poses, carrying, and hands on knees: rules tried on written clips, and on the little of it that real takes have."""

import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from kinematch.doctor.labels import list_labels
from kinematch.doctor.report import Activity, HeldPose, Report
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import tpose
from kinematch.motion.labels.activity import flag_activities
from kinematch.motion.labels.calibration import find_calibration_poses
from kinematch.motion.labels.idles import find_idles

TAKES = {take["path"]: take for take in tomllib.loads((Path(__file__).parent / "takes.toml").read_text())["take"]}


@pytest.fixture
def hold_box(arms_at):
    """hold_box(clip, frames, bend=80, sway=0, standing=False)"""
    return partial(_hold_box, arms_at)


def _hold_box(
    arms_at, clip: Clip, frames: slice, *, bend: float = 80.0, sway: float = 0.0, standing: bool = False
) -> Clip:
    """The clip with hanging upper arms and elbows bent forward [degrees]; sway [degrees] opens and closes the arms."""
    held = arms_at(clip, frames, -80, standing=standing)
    rig, rotations = held.skeleton, held.rotations.copy()
    turned = tpose(rig)[1].astype(np.float64)
    times = np.arange(frames.stop - frames.start) / clip.frame_rate
    for side, sign in (("left", 1), ("right", -1)):
        elbow, shoulder = rig.joint(f"{side}_lower_arm"), rig.joint(f"{side}_upper_arm")
        hang = from_axis_angle(np.array([0.0, 0, 1]), sign * np.radians(-80))
        ahead = from_axis_angle(np.array([1.0, 0, 0]), np.radians(-bend))
        above = quaternion.multiply(hang, turned[shoulder])  # the elbow's parent, in a body that faces +Z
        opened = from_axis_angle(np.array([0.0, 1, 0]), sign * np.radians(sway) * np.sin(2 * np.pi * times))
        wanted = quaternion.multiply(opened, quaternion.multiply(ahead, quaternion.multiply(hang, turned[elbow])))
        rotations[frames, elbow] = quaternion.multiply(quaternion.inverse(above), wanted)
    return held.with_(rotations=rotations)


def test_whoever_walks_with_something_in_both_hands_carries(walk, hold_box):
    frames = slice(120, walk.frame_count - 120)
    found = flag_activities(hold_box(walk, frames))["carrying"]
    assert found[frames].mean() > 0.8
    assert not found[: frames.start - 30].any()
    assert not found[frames.stop + 30 :].any()


@pytest.mark.parametrize("change", [{"bend": 10.0}, {"sway": 25.0}, {"standing": True}])
def test_straight_arms_moving_hands_and_stands_carry_nothing(walk, hold_box, change):
    assert not flag_activities(hold_box(walk, slice(120, walk.frame_count - 120), **change))["carrying"].any()
    assert not flag_activities(walk)["carrying"].any()


def test_a_frozen_stand_with_hanging_arms_at_an_end_of_a_take_is_an_n_pose(walk, arms_at):
    length = round(2.5 * walk.frame_rate)
    for start in (0, walk.frame_count - length):
        (pose,) = find_calibration_poses(arms_at(walk, slice(start, start + length), -78))
        assert pose.kind == "N"
        assert abs(pose.start - start) <= 4
        assert abs(pose.stop - start - length) <= 4
    assert not find_calibration_poses(arms_at(walk, slice(200, 200 + length), -78))
    assert not find_calibration_poses(arms_at(walk, slice(0, walk.frame_count), -78))  # a still, and nothing else


def test_an_n_pose_that_somebody_holds_is_not_told_from_an_idle(walk, arms_at):
    length = round(2.5 * walk.frame_rate)
    clip = arms_at(walk, slice(0, length), -78)
    positions = clip.positions.copy()
    hips = clip.skeleton.roles["hips"]
    positions[:length, hips, 0] += 0.01 * np.sin(2 * np.pi * 0.4 * np.arange(length) / clip.frame_rate)  # 2 cm/s
    swaying = clip.with_(positions=positions)
    assert not find_calibration_poses(swaying)
    assert len(find_idles(swaying)) == 1


def test_a_single_frame_of_an_n_pose_is_found_where_the_body_jumps_into_it(walk, arms_at):
    clip = arms_at(walk, slice(0, walk.frame_count), 30, standing=False)
    (pose,) = find_calibration_poses(arms_at(clip, slice(0, 1), -78))
    assert (pose.kind, pose.start, pose.stop) == ("N", 0, 1)


def test_hands_on_knees_are_found_in_a_part_of_a_take_that_the_rule_was_not_made_on(data):
    take = TAKES["lafan1-clips/walk3_subject4_walk"]
    clip = read_clip(data / "lafan1-clips" / "walk3_subject4_walk.bvh")
    times = (np.arange(clip.frame_count) + 0.5) / clip.frame_rate
    unseen, flags = times > take["made_until"], flag_activities(clip)
    labels = take["hands-on-knees"]
    near = np.any([(times > a - 0.5) & (times < b + 0.5) for a, b in labels], axis=0)
    within = np.any([(times > a + 0.3) & (times < b - 0.3) for a, b in labels], axis=0)
    found = flags["hands-on-knees"]
    assert found[unseen].any()
    assert near[found & unseen].mean() >= 0.95
    assert found[within & unseen].mean() >= 0.95
    assert flags["low"][found].all()  # nobody who is told to stand does it


def test_a_moment_has_one_label_and_the_first_in_order():
    seen = (
        ("lying", 1.0, 2.0),
        ("crouching", 0.5, 2.5),
        ("walking", 2.0, 4.0),
        ("forward", 2.0, 4.0),
        ("low", 0.0, 3.0),
    )
    report = Report(
        "take.bvh",
        clips=("",),
        calibration_poses=(HeldPose("A", 3.5, 4.5, (3.4, 4.6)),),
        activities=tuple(Activity(*one) for one in seen),
    )
    assert [(one.name, one.start, one.stop) for one in list_labels(report)] == [
        ("crouching", 0.5, 1), ("lying", 1, 2), ("crouching", 2, 2.5), ("walking", 2.5, 3.5), ("A-pose", 3.5, 4.5),
    ]  # fmt: skip
