"""Calibration takes devices to joints and back, for any user, and works before anything is measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.avatar.calibration import Calibration, locate_joints, make_calibration
from kinematch.avatar.devices import DEVICES, Device, make_offsets
from kinematch.avatar.trackers import HEAD, LEFT_HAND, RIGHT_HAND, Trackers
from kinematch.errors import KinematchError
from kinematch.math import difference, quaternion, rotation


def make_trackers(count=40, seed=0, valid=True):
    """Smooth motion of every point, with velocities by differences over a short step."""
    noise, dt = np.random.default_rng(seed), 1e-4
    times = np.arange(count) * dt
    starts, speeds = noise.normal(size=(7, 3)), noise.normal(size=(7, 3))
    positions = starts + np.sin(speeds * times[:, None, None])
    turns = rotation.from_rotation_vector(noise.normal(size=(7, 3)) * (1 + times[:, None, None] * 3))
    return Trackers(
        times, positions, turns, difference.central(positions, dt), difference.angular_central(turns, dt),
        np.full((count, 7), valid),
    )  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
def test_devices_placed_on_joints_locate_the_same_joints(device):
    calibration = make_calibration(device, height=1.5, floor=0.3, scale=1.2)
    joints = make_trackers()
    again = calibration.locate_joints(calibration.place_devices(joints))
    for name in ("positions", "rotations", "velocities", "angular_velocities", "valid"):
        assert np.allclose(getattr(again, name), getattr(joints, name), atol=1e-12), name


@settings(deadline=None)
@given(st.integers(0, 100))
def test_joint_velocities_are_the_rates_of_change_of_joint_positions(seed):
    calibration = make_calibration("quest", scale=0.7)
    joints = calibration.locate_joints(make_trackers(seed=seed))
    rates = difference.central(joints.positions, 1e-4)
    assert np.abs(rates - joints.velocities)[2:-2].max() < 1e-3


def test_the_device_none_leaves_joints_as_they_are():
    joints = make_trackers()
    again = make_calibration("none").locate_joints(joints)
    assert np.array_equal(again.positions, joints.positions)
    assert np.allclose(again.rotations, joints.rotations, atol=1e-15)


def test_points_that_are_not_tracked_stay_so_and_stay_zero():
    located = Calibration().locate_joints(make_trackers(valid=False))
    assert not located.valid.any()
    assert not located.positions.any()
    assert not located.velocities.any()


def test_the_wrist_lies_above_a_controller_that_hangs_at_the_side_and_the_hand_points_down():
    devices = Trackers(
        [0.0], np.zeros((1, 7, 3)), quaternion.identity((1, 7)), np.zeros((1, 7, 3)), np.zeros((1, 7, 3)),
        np.ones((1, 7), bool),
    )  # fmt: skip
    positions, rotations = make_offsets(Device((0, 0, 0), (0.14, 0, 0), tilt=0.2))
    joints = Calibration(positions=positions, rotations=rotations).locate_joints(devices)
    for hand, fingers in ((LEFT_HAND, [1.0, 0, 0]), (RIGHT_HAND, [-1.0, 0, 0])):
        along = quaternion.rotate(joints.rotations[0, hand], np.array(fingers))
        thumb = quaternion.rotate(joints.rotations[0, hand], np.array([0.0, 0, 1]))
        assert along[1] < -0.9
        assert thumb[2] > 0.9
        assert joints.positions[0, hand, 1] > 0.1
    # palms face the body, so that the back of the left hand points to the left
    back = quaternion.rotate(joints.rotations[0, LEFT_HAND], np.array([0.0, 1, 0]))
    assert back[0] > 0.9


def test_the_head_joint_lies_behind_and_below_the_headset():
    devices = Trackers(
        [0.0], np.zeros((1, 7, 3)), quaternion.identity((1, 7)), np.zeros((1, 7, 3)), np.zeros((1, 7, 3)),
        np.ones((1, 7), bool),
    )  # fmt: skip
    head = Calibration().locate_joints(devices).positions[0, HEAD]
    assert head[1] < 0
    assert head[2] < 0


@pytest.mark.parametrize("device", [name for name in DEVICES if name != "none"])
def test_left_and_right_mirror_each_other(device):
    calibration = make_calibration(device)
    assert np.allclose(calibration.positions[LEFT_HAND] * [-1, 1, 1], calibration.positions[RIGHT_HAND])
    mirrored = calibration.rotations[LEFT_HAND] * [1, 1, -1, -1]
    assert quaternion.angle(mirrored, calibration.rotations[RIGHT_HAND]) < 1e-9


def test_each_user_has_a_calibration():
    trackers = make_trackers(3)
    calibrations = [make_calibration("none", floor=n) for n in range(3)]
    joints = locate_joints(calibrations, trackers)
    assert np.allclose(joints.positions[:, :, 1], trackers.positions[:, :, 1] - np.arange(3)[:, None])
    with pytest.raises(KinematchError, match="2 calibrations for 3 users"):
        locate_joints(calibrations[:2], trackers)


def test_arm_length_follows_from_the_height_when_it_is_not_known():
    assert make_calibration(height=1.2).arm_length == pytest.approx(0.54)
    assert make_calibration(height=1.2, arm_length=0.6).arm_length == 0.6


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"height": 170}, "height is 170, expected 0.8 to 2.5"),
        ({"height": float("nan")}, "height is nan"),
        ({"height": "tall"}, "height is 'tall'"),
        ({"floor": np.inf}, "floor is inf"),
        ({"positions": np.zeros((3, 3))}, "positions, expected shape"),
        ({"positions": np.full((7, 3), np.nan)}, "positions, expected"),
        ({"rotations": np.zeros((7, 4))}, "a rotation is zero"),
    ],
)
def test_a_calibration_that_makes_no_sense_is_refused(fields, message):
    with pytest.raises(KinematchError, match=message):
        Calibration(**fields)


def test_an_unknown_device_is_named_with_the_choices():
    with pytest.raises(KinematchError, match="no device 'quest9'; did you mean 'quest'"):
        make_calibration("quest9")
