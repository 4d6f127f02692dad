"""The calibrator measures users of all sizes by itself, refuses what makes no sense, and goes on whatever happens."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from kinematch.avatar.calibration import EYE_TO_CROWN, REACH_SHARE, Calibration, make_calibration
from kinematch.avatar.calibrator import Calibrator
from kinematch.avatar.recordings import read_trackers
from kinematch.avatar.stance import NECK_OFFSET
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_FOOT, LEFT_HAND, RIGHT_HAND, WAIST, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y

RATE = 72


class User:
    """Somebody who wears devices: poses over time as the devices report them."""

    def __init__(self, height=1.75, *, device="quest", yaw=0.7, seed=0, noise=0.0003, seat=0.0):
        self.truth = make_calibration(device, height=height)
        self.yaw, self.noise, self.seat = yaw, noise, seat  # rad, m, m that the head is lower when seated
        self.random, self.time = np.random.default_rng(seed), 0.0

    def hold(self, arms, seconds, *, place=(0.0, 0.0), moving=0.0, tilt=0.0):
        """Samples of a pose: arms 'out', 'down', 'forward' or a function of time that gives hands (2, 3)."""
        count = round(seconds * RATE)
        times = self.time + np.arange(1, count + 1) / RATE
        self.time = times[-1]
        height, reach = self.truth.height, self.truth.arm_length
        positions, rotations = np.zeros((count, 7, 3)), quaternion.identity((count, 7))
        neck = np.array([0, height - EYE_TO_CROWN - self.seat, 0]) + NECK_OFFSET
        positions[:, HEAD] = neck - NECK_OFFSET - self.truth.positions[HEAD]
        side = np.array([[1.0, 0, 0], [-1, 0, 0]])
        turns = np.tile(quaternion.IDENTITY, (2, 1))
        if arms == "out":
            hands = neck + side * reach
        elif arms == "down":
            hands = neck + side * 0.22 - [0, 0.75 * reach, 0]
            turns = rotation.from_axis_angle([0.0, 0, 1], np.array([-np.pi / 2, np.pi / 2]))
        else:
            hands = neck + side * 0.15 + [0, -0.25, 0.5 * reach]
            turns = rotation.from_axis_angle([0.0, 1, 0], np.array([-np.pi / 2, np.pi / 2]))
        positions[:, list(HANDS)], rotations[:, list(HANDS)] = hands, turns
        positions[:, :, 0] += moving * np.sin(3 * times)[:, None]
        rotations[:, HEAD] = rotation.from_axis_angle([1.0, 0, 0], tilt)
        turn = rotation.from_axis_angle([0.0, 1, 0], self.yaw)
        positions = rotate_about_y(positions, self.yaw) + np.array([place[0], 0, place[1]])
        rotations = quaternion.multiply(turn, rotations)
        valid = np.isin(np.arange(7), [HEAD, *HANDS])
        devices = self.truth.place_devices(
            find_velocities(Poses(times, positions, rotations, np.tile(valid, (count, 1))))
        )
        jitter = self.random.normal(size=devices.positions.shape) * self.noise
        return replace(devices, positions=np.clip(devices.positions + jitter * devices.valid[..., None], -1e9, 1e9))


def watch(calibrator, devices):
    for n in range(len(devices)):
        calibrator.watch(devices.take(slice(n, n + 1)))
    return calibrator.calibration


def say_joint(calibration, devices, point):
    """Position and rotation of a joint in the last sample."""
    joints = calibration.locate_joints(devices)
    return joints.positions[-1, point], joints.rotations[-1, point]


@pytest.mark.parametrize("height", [1.45, 1.6, 1.75, 1.95, 2.1])
def test_somebody_who_stands_still_is_measured(height):
    calibrator = Calibrator("quest")
    assert watch(calibrator, User(height).hold("down", 2)).height == pytest.approx(height, abs=0.01)
    assert "height" in calibrator.measured
    assert calibrator.calibration.arm_length == pytest.approx(REACH_SHARE * height, abs=0.01)
    assert not calibrator.messages


@pytest.mark.parametrize("height", [1.33, 1.4])
def test_a_child_who_has_walked_about_is_measured(height):
    user, calibrator = User(height), Calibrator("quest")
    watch(calibrator, user.hold("down", 2))
    assert calibrator.calibration.height == 1.70  # as likely an adult who sits
    watch(calibrator, user.hold("down", 1, place=(1.0, 0.5)))
    assert watch(calibrator, user.hold("down", 2, place=(1.0, 0.5))).height == pytest.approx(height, abs=0.01)
    assert not calibrator.calibration.seated


def test_a_small_child_is_measured_at_a_button():
    user, calibrator = User(1.05), Calibrator("quest")
    watch(calibrator, user.hold("down", 1))
    assert calibrator.measure_height().height == pytest.approx(1.05, abs=0.01)


def test_somebody_who_is_never_still_is_guessed():
    user, calibrator = User(1.9), Calibrator("quest")
    watch(calibrator, user.hold("down", 25, moving=0.1))
    assert calibrator.calibration.height == pytest.approx(1.9, abs=0.04)
    assert "height" not in calibrator.measured


def test_the_highest_stand_counts():
    user, calibrator = User(1.8), Calibrator("quest")
    user.seat = 0.1
    assert watch(calibrator, user.hold("down", 2)).height == pytest.approx(1.7, abs=0.01)
    user.seat = 0
    assert watch(calibrator, user.hold("down", 2)).height == pytest.approx(1.8, abs=0.01)
    user.seat = 0.1
    assert watch(calibrator, user.hold("down", 2)).height == pytest.approx(1.8, abs=0.01)


@pytest.mark.parametrize("stand", [{"moving": 0.02}, {"tilt": 0.5}])
def test_who_moves_or_looks_down_is_not_measured_at_once(stand):
    calibrator = Calibrator("quest")
    watch(calibrator, User(1.9).hold("down", 2, **stand))
    assert "height" not in calibrator.measured


def test_a_seat_is_recognised_and_left():
    user, calibrator = User(1.8), Calibrator("quest")
    user.seat = 0.5
    sitting = watch(calibrator, user.hold("forward", 8))
    assert sitting.seated
    assert sitting.height == 1.70
    assert "you seem to sit" in calibrator.messages[0]
    user.seat = 0
    standing = watch(calibrator, user.hold("down", 2))
    assert not standing.seated
    assert standing.height == pytest.approx(1.8, abs=0.01)


def test_who_sits_down_later_keeps_the_height():
    user, calibrator = User(1.8), Calibrator("quest")
    watch(calibrator, user.hold("down", 2))
    user.seat = 0.5
    assert watch(calibrator, user.hold("forward", 8)).seated
    assert calibrator.calibration.height == pytest.approx(1.8, abs=0.01)


def test_a_short_crouch_is_no_seat():
    user, calibrator = User(1.8), Calibrator("quest")
    watch(calibrator, user.hold("down", 2))
    for _ in range(4):
        user.seat = 0.5
        watch(calibrator, user.hold("forward", 1.5))
        user.seat = 0
        watch(calibrator, user.hold("down", 1))
    assert not calibrator.calibration.seated


@pytest.mark.parametrize("arms", ["out", "down"])
def test_a_held_pose_tells_how_devices_are_turned(arms):
    """Straps and grips of any kind: every device is turned at random, waist and foot trackers too."""
    user = User(1.82, yaw=2.5, noise=0.0)
    turns = quaternion.normalize(np.random.default_rng(5).normal(size=(7, 4)))
    turns[HEAD] = quaternion.IDENTITY
    devices = user.hold(arms, 1)
    true_joints = user.truth.locate_joints(devices)
    mounted = quaternion.multiply(devices.rotations, turns)
    valid = devices.valid | np.isin(np.arange(7), [WAIST, LEFT_FOOT])
    rotations = np.where(devices.valid[..., None], mounted, quaternion.multiply(devices.rotations[:, :1], turns))
    devices = replace(devices, rotations=rotations, valid=valid)
    calibrator = Calibrator("quest")
    watch(calibrator, devices)
    calibration = calibrator.measure_pose()
    for point in (LEFT_HAND, RIGHT_HAND):
        place, turn = say_joint(calibration, devices, point)
        assert quaternion.angle(turn, true_joints.rotations[-1, point]) < 1e-6
        assert np.linalg.norm(place - true_joints.positions[-1, point]) < 1e-6
    for point in (WAIST, LEFT_FOOT):
        assert quaternion.angle(say_joint(calibration, devices, point)[1], devices.rotations[-1, HEAD]) < 1e-6
    assert calibration.height == pytest.approx(1.82, abs=0.01)
    if arms == "out":
        assert calibration.arm_length == pytest.approx(user.truth.arm_length, abs=0.02)


def test_a_t_pose_while_sitting_is_refused_and_changes_nothing():
    user, calibrator = User(1.8), Calibrator("quest")
    user.seat = 0.5
    before = watch(calibrator, user.hold("out", 1))
    with pytest.raises(KinematchError, match=r"you seem to sit: eyes 1\.19 m above the floor, arms of a user of 1\.8"):
        calibrator.measure_pose()
    assert calibrator.calibration is before
    assert watch(calibrator, user.hold("out", 1)).rotations is before.rotations


def test_a_height_is_not_measured_while_sitting_but_for_another_person():
    user, calibrator = User(1.8), Calibrator("quest")
    watch(calibrator, user.hold("out", 2))
    calibrator.measure_pose()
    user.seat = 0.5
    watch(calibrator, user.hold("forward", 1))
    with pytest.raises(KinematchError, match="you seem to sit"):
        calibrator.measure_height()
    calibrator.restart()
    watch(calibrator, User(1.3).hold("down", 1))
    assert calibrator.measure_height().height == pytest.approx(1.3, abs=0.01)


def test_who_stood_and_now_sits_keeps_the_height_at_the_button():
    user, calibrator = User(1.8), Calibrator("quest")
    watch(calibrator, user.hold("down", 2))
    assert calibrator.measure_height().height == pytest.approx(1.8, abs=0.01)
    user.seat = 0.5
    before = watch(calibrator, user.hold("down", 6))
    with pytest.raises(KinematchError, match=r"you seem to sit: .* you were 1\.80 m tall when you stood"):
        calibrator.measure_height()
    assert calibrator.calibration is before


def test_buttons_without_devices_or_in_other_poses_are_refused():
    calibrator = Calibrator("quest")
    for button in (calibrator.measure_height, calibrator.measure_pose):
        with pytest.raises(KinematchError, match="no headset is tracked"):
            button()
    with pytest.raises(KinematchError, match="no controller is tracked"):
        calibrator.measure_floor()
    user = User(1.8)
    watch(calibrator, user.hold("forward", 1))
    with pytest.raises(KinematchError, match="neither a T-pose nor hanging arms"):
        calibrator.measure_pose()
    watch(calibrator, user.hold("down", 1, tilt=0.8))
    with pytest.raises(KinematchError, match="the headset is tilted"):
        calibrator.measure_height()


def test_arms_are_as_long_as_they_reach():
    user, calibrator = User(1.75), Calibrator("quest")
    user.truth = replace(user.truth, arm_length=0.86)
    watch(calibrator, user.hold("down", 2))
    assert watch(calibrator, user.hold("out", 1.5)).arm_length == pytest.approx(0.86, abs=0.02)


def swap(devices):
    order = [HEAD, RIGHT_HAND, LEFT_HAND, 3, 4, 5, 6]
    names = ("positions", "rotations", "velocities", "angular_velocities", "valid")
    return replace(devices, **{name: getattr(devices, name)[:, order] for name in names})


def test_swapped_controllers_are_found_and_reported():
    user, calibrator = User(), Calibrator("quest")
    devices = user.hold("down", 9)
    assert watch(calibrator, swap(devices)).swapped
    assert calibrator.messages == ["the left and right controllers were swapped; each now drives the other hand"]
    true_joints = user.truth.locate_joints(devices)
    for hand in HANDS:
        place, turn = say_joint(calibrator.calibration, swap(devices), hand)
        assert np.linalg.norm(place - true_joints.positions[-1, hand]) < 0.01
        assert quaternion.angle(turn, true_joints.rotations[-1, hand]) < 0.01
    # once they are in the right hands again, that is found too
    assert not watch(calibrator, user.hold("down", 9)).swapped


def test_crossed_arms_are_not_swapped_controllers():
    user, calibrator = User(), Calibrator("quest")
    for _ in range(5):
        watch(calibrator, swap(user.hold("down", 3)))
        watch(calibrator, user.hold("down", 3))
    assert not calibrator.calibration.swapped


@pytest.mark.parametrize("hand", HANDS)
def test_a_hand_that_turns_about_its_wrist_shows_where_the_wrist_is(hand):
    user = User(noise=0.0005)
    offset = user.truth.positions.copy()
    offset[hand] += [0.03, -0.02, 0.04]  # held otherwise than the preset says
    user.truth = replace(user.truth, positions=offset)
    still = user.truth.locate_joints(user.hold("forward", 12))
    times = still.times
    wiggle = np.stack([np.sin(4 * times), 0.7 * np.sin(5.3 * times + 1), 0.8 * np.cos(3.1 * times)], axis=-1)
    rotations = still.rotations.copy()
    rotations[:, hand] = quaternion.multiply(rotations[:, hand], rotation.from_rotation_vector(wiggle * 0.6))
    joints = find_velocities(Poses(times, still.positions, rotations, still.valid))
    devices = user.truth.place_devices(joints)
    noise = user.random.normal(size=devices.positions.shape) * 0.0005 * devices.valid[..., None]
    devices = find_velocities(Poses(times, devices.positions + noise, devices.rotations, devices.valid))
    calibrator = Calibrator("quest")
    calibration = watch(calibrator, devices)
    assert "wrists" in calibrator.measured
    assert np.linalg.norm(calibration.positions[hand] - offset[hand]) < 0.015
    other = LEFT_HAND + RIGHT_HAND - hand
    assert np.array_equal(calibration.positions[other], make_calibration("quest").positions[other])


def test_a_floor_is_measured_with_a_controller_that_lies_on_it():
    user, calibrator = User(1.8), Calibrator("quest")
    devices = user.hold("down", 1)
    positions = devices.positions + np.array([0, 0.5, 0])
    positions[:, RIGHT_HAND] = [0.3, 0.53, 0.3]
    watch(calibrator, replace(devices, positions=np.where(devices.valid[..., None], positions, 0)))
    assert calibrator.measure_floor().floor == pytest.approx(0.5, abs=0.01)
    assert calibrator.measure_height().height == pytest.approx(1.8, abs=0.01)


def test_a_space_without_a_floor_gets_one():
    user, calibrator = User(1.8), Calibrator("quest")
    devices = user.hold("down", 3)
    positions = np.where(devices.valid[..., None], devices.positions - [0, 1.69, 0], 0.0)
    calibration = watch(calibrator, replace(devices, positions=positions))
    assert calibration.floor == pytest.approx(-1.59, abs=0.01)
    assert "Lay a controller on the floor" in calibrator.messages[0]


def test_nothing_new_gives_the_same_calibration():
    user, calibrator = User(), Calibrator("quest")
    before = watch(calibrator, user.hold("down", 3))
    assert watch(calibrator, user.hold("down", 3)) is before


def test_time_that_goes_backwards_is_told_and_the_body_goes_on():
    user, calibrator = User(1.9), Calibrator("quest")
    watch(calibrator, user.hold("down", 0.5))
    user.time = 0.1
    assert watch(calibrator, user.hold("down", 2)).height == pytest.approx(1.9, abs=0.01)
    assert calibrator.messages == ["time went back by 0.39 s; continuing from there"]


def test_a_lost_device_is_told_once_and_so_is_its_return():
    user, calibrator = User(), Calibrator("quest")
    watch(calibrator, user.hold("down", 2))
    devices = user.hold("down", 5)
    watch(
        calibrator,
        replace(devices, positions=devices.positions * np.where(np.arange(7) == LEFT_HAND, np.nan, 1)[:, None]),
    )
    watch(calibrator, user.hold("down", 1).keep(()))
    watch(calibrator, user.hold("down", 2))
    assert calibrator.messages[0] == "the left controller is not tracked"
    assert "the left controller is tracked again" in calibrator.messages
    assert sum("is not tracked" in message for message in calibrator.messages) <= 3


def test_a_headset_that_never_comes_is_told():
    user, calibrator = User(), Calibrator("quest")
    watch(calibrator, user.hold("down", 3).keep(("left_hand",)))
    assert calibrator.messages == ["the headset is not tracked"]


@pytest.mark.parametrize("seed", range(5))
def test_random_samples_never_stop_it(seed):
    noise = np.random.default_rng(seed)
    calibrator = Calibrator("generic")
    for _ in range(300):
        scale = 10.0 ** noise.integers(-3, 8)
        values = [noise.normal(size=(1, 7, n)) * scale for n in (3, 4, 3, 3)]
        for value in values:
            value[noise.random(value.shape) < 0.01] = noise.choice([np.nan, np.inf, -np.inf])
        time = noise.choice([noise.normal() * 10, np.nan, np.inf])
        calibrator.watch(Trackers([time], *values, noise.random((1, 7)) < 0.9))
        button = noise.choice([calibrator.measure_height, calibrator.measure_pose, calibrator.measure_floor, None])
        if button is not None:
            with suppress(KinematchError):
                button()
    assert isinstance(calibrator.calibration, Calibration)
    assert len(calibrator.messages) <= 50


@pytest.mark.parametrize("name", ["aframe-dev-recording.json", "aframe-tracked-recording.json"])
def test_people_in_recordings_get_a_plausible_size(data, name):
    devices = read_trackers(data / "vr-tracking" / name)
    calibration = watch(Calibrator("vive"), devices)
    assert 1.5 < calibration.height < 2.0
    assert not calibration.seated
    assert not calibration.swapped


def test_a_stored_calibration_is_kept_and_can_be_measured_anew():
    user, calibrator = User(1.6), Calibrator(make_calibration("quest", height=1.8))
    assert watch(calibrator, user.hold("down", 2)).height == 1.8  # the highest counts
    assert calibrator.measure_height().height == pytest.approx(1.6, abs=0.01)


def test_starting_anew_forgets_the_person_but_not_the_devices():
    calibrator = Calibrator(make_calibration("index", height=1.95, swapped=True))
    offsets = calibrator.calibration.positions
    calibrator.restart()
    assert calibrator.calibration.height == 1.70
    assert not calibrator.calibration.swapped
    assert np.array_equal(calibrator.calibration.positions, offsets)
    assert watch(calibrator, User(1.5, device="index").hold("down", 2)).height == pytest.approx(1.5, abs=0.01)


def test_several_users_at_once_are_refused():
    with pytest.raises(KinematchError, match="trackers of 2 users, expected one"):
        Calibrator().watch(User().hold("down", 1).take(slice(2)))


def test_nodding_says_nothing_about_size():
    heights = []
    for tilt in (-0.2, 0.0, 0.2):
        user, calibrator = User(1.75), Calibrator("quest")
        heights.append(watch(calibrator, user.hold("down", 2, tilt=tilt)).height)
    assert np.ptp(heights) < 0.003
