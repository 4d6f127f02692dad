"""The default estimator: its kernel, symmetry, any trackers, any frame rate, and wrong starts."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.devices import MIRROR_POSITION, MIRROR_ROTATION
from kinematch.avatar.orientation import RecurrentEstimator
from kinematch.avatar.orientation.estimator import ARM_LENGTH, HEAD_HEIGHT
from kinematch.avatar.simulate import sample_at, simulate_user, track_joints
from kinematch.avatar.trackers import HEAD, MIRROR_POINTS, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.heading import facing_yaws
from kinematch.synth import motions, perform

THREE = ("head", "left_hand", "right_hand")
DT = 1 / 60


@pytest.fixture(scope="module")
def walk() -> Trackers:
    """Somebody who walks and turns, for 6 s, looking around."""
    motion = next(one for one in motions() if one.name == "walk_turn_right_135")
    joints = track_joints(perform(motion).clip).take(slice(0, 360))
    return simulate_user(joints, np.random.default_rng(0), look_around=0.5)


def run(estimator: RecurrentEstimator, joints: Trackers, dt: float = DT) -> np.ndarray:
    """Directions (F,) of one user over time."""
    return np.array([estimator.estimate(joints.take(slice(f, f + 1)), dt).yaws[0] for f in range(len(joints))])


def turn_space(joints: Trackers, yaw: float) -> Trackers:
    turned = {name: rotate_about_y(getattr(joints, name), yaw) for name in ("positions", "velocities")}
    spins = rotate_about_y(joints.angular_velocities, yaw)
    rotations = quaternion.multiply(rotation.from_axis_angle([0.0, 1, 0], yaw), joints.rotations)
    return replace(joints, **turned, angular_velocities=spins, rotations=rotations)


def mirror(joints: Trackers) -> Trackers:
    return Trackers(
        joints.times, joints.positions[:, MIRROR_POINTS] * MIRROR_POSITION,
        joints.rotations[:, MIRROR_POINTS] * MIRROR_ROTATION,
        joints.velocities[:, MIRROR_POINTS] * MIRROR_POSITION,
        joints.angular_velocities[:, MIRROR_POINTS] * -MIRROR_POSITION,
        joints.valid[:, MIRROR_POINTS],
    )  # fmt: skip


def test_a_user_in_a_mirror_faces_the_mirrored_way(walk):
    yaws = run(RecurrentEstimator(), walk.keep(THREE))
    mirrored = run(RecurrentEstimator(), mirror(walk).keep(THREE))
    np.testing.assert_allclose(wrap_angle(yaws + mirrored), 0, atol=1e-5)


@pytest.mark.parametrize("yaw", [1.0, np.pi, -2.0])
def test_a_turned_space_turns_the_answer_alone(walk, yaw):
    yaws = run(RecurrentEstimator(), walk.keep(THREE))
    turned = run(RecurrentEstimator(), turn_space(walk, yaw).keep(THREE))
    np.testing.assert_allclose(wrap_angle(turned - yaws - yaw), 0, atol=1e-4)


def test_any_frame_rate_gives_nearly_the_same(walk):
    yaws = run(RecurrentEstimator(), walk.keep(THREE))
    for rate in (30, 72, 120):
        times = np.arange(0, walk.times[-1], 1 / rate)
        other = run(RecurrentEstimator(), sample_at(walk, times, times).keep(THREE), 1 / rate)
        expected = np.interp(times, walk.times, np.unwrap(yaws))
        assert np.degrees(np.abs(wrap_angle(other - expected)).mean()) < 4


@pytest.mark.parametrize("points", [("head",), ("head", "left_hand"), THREE, (*THREE, "chest"), (*THREE, "left_foot")])
def test_any_trackers_give_a_direction_near_the_truth_on_a_walk(walk, points):
    errors = np.abs(wrap_angle(run(RecurrentEstimator(), walk.keep(points)) - facing_yaws(walk.rotations[:, WAIST])))
    headset = np.abs(wrap_angle(facing_yaws(walk.rotations[:, HEAD]) - facing_yaws(walk.rotations[:, WAIST])))
    most = 1.1 if points == ("head",) else 1.0  # on one walk, a headset alone says hardly more than where it looks
    assert errors[60:].mean() < most * headset[60:].mean()


def test_a_waist_tracker_is_believed_and_its_loss_is_smooth(walk):
    valid = walk.valid & np.isin(np.arange(7), [0, 1, 2, WAIST])
    valid[120:240, WAIST] = False
    yaws = run(RecurrentEstimator(), replace(walk, valid=valid))
    truth = facing_yaws(walk.rotations[:, WAIST])
    np.testing.assert_allclose(wrap_angle(yaws - truth)[:120], 0, atol=1e-6)
    np.testing.assert_allclose(wrap_angle(yaws - truth)[-60:], 0, atol=0.02)
    assert np.degrees(np.abs(wrap_angle(np.diff(yaws)))).max() < 12


@pytest.mark.parametrize("yaw", [0.1, 0.5, 2.0, np.pi])
def test_a_recentred_space_leaves_the_body_where_it_was_against_the_head(walk, yaw):
    joined = walk.keep(THREE)
    later = turn_space(joined, yaw).take(slice(180, None))
    estimator = RecurrentEstimator()
    run(estimator, joined.take(slice(0, 180)))
    after = run(estimator, later) - yaw
    usual = run(RecurrentEstimator(), joined)[180:]
    np.testing.assert_allclose(np.degrees(wrap_angle(after - usual))[30:], 0, atol=5)


def test_nothing_tracked_and_broken_numbers_keep_the_last_direction(walk):
    estimator = RecurrentEstimator()
    last = run(estimator, walk.keep(THREE).take(slice(0, 60)))[-1]
    nothing = walk.take(slice(60, 61)).keep(())
    broken = replace(walk.take(slice(60, 61)), positions=np.full((1, 7, 3), np.nan))
    for joints in (nothing, broken):
        found = estimator.estimate(joints, DT)
        assert found.yaws[0] == pytest.approx(last)
    assert np.isfinite(estimator.estimate(walk.take(slice(61, 62)), 5.0).yaws).all()


def test_wrong_counts_steps_and_measures_are_refused(walk):
    estimator = RecurrentEstimator(2)
    with pytest.raises(KinematchError, match=r"trackers of 1 users, expected 2: call reset\(1\) first"):
        estimator.estimate(walk.take(slice(0, 1)), DT)
    with pytest.raises(KinematchError, match="a step of nan s"):
        estimator.estimate(walk.take(slice(0, 2)), float("nan"))
    with pytest.raises(KinematchError, match="arm lengths"):
        estimator.reset(1, arm_lengths=np.array([0.0]))


def test_a_calibration_gives_the_measures():
    calibration = Calibration(height=1.7)
    assert calibration.head_height == pytest.approx(HEAD_HEIGHT, abs=0.01)
    assert calibration.arm_length == pytest.approx(ARM_LENGTH, abs=0.01)
