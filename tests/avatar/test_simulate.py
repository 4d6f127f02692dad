"""Simulated users: seeded, within what a body can do, and as imperfect as they are told to be."""

import numpy as np
import pytest

from kinematch.avatar.calibration import make_calibration
from kinematch.avatar.simulate import (
    MAX_HEAD_TURN,
    Imperfections,
    make_glances,
    sample_at,
    simulate_user,
    track_joints,
    turn_head,
)  # fmt: skip
from kinematch.avatar.trackers import HEAD, LEFT_HAND, WAIST, Trackers
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws
from kinematch.synth import motions, perform


@pytest.fixture(scope="module")
def joints() -> Trackers:
    return track_joints(perform(next(one for one in motions() if one.name == "walk_turn_right_135")).clip)


def test_one_seed_gives_one_user(joints):
    told = {"imperfections": Imperfections(dropouts=20, latency=0.02, rate=72), "look_around": 0.5}
    users = [simulate_user(joints, np.random.default_rng(seed), **told) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(users[0].rotations, users[1].rotations)
    np.testing.assert_array_equal(users[0].valid, users[1].valid)
    assert not np.array_equal(users[0].rotations, users[2].rotations)


def test_looking_around_turns_the_head_alone_smoothly_and_no_farther_than_a_body_can(joints):
    user = simulate_user(joints, np.random.default_rng(0), look_around=1.5)
    np.testing.assert_allclose(user.positions, joints.positions)
    np.testing.assert_allclose(user.rotations[:, 1:], joints.rotations[:, 1:])
    relative = wrap_angle(facing_yaws(user.rotations[:, HEAD]) - facing_yaws(user.rotations[:, WAIST]))
    assert np.abs(relative).max() < MAX_HEAD_TURN + 0.05
    assert np.abs(relative).max() > np.radians(40)
    assert np.linalg.norm(user.angular_velocities[:, HEAD], axis=-1).max() < np.radians(900)


def test_glances_go_both_ways_and_rest():
    times = np.arange(0, 600, 1 / 60)
    yaws = make_glances(times, np.random.default_rng(0), spread=0.5)
    assert abs(yaws.mean()) < 0.1
    assert 0.3 < yaws.std() < 0.6
    assert (np.abs(np.diff(yaws)) < 1e-9).mean() > 0.5


def test_a_head_without_hips_cannot_be_turned_against_them(joints):
    with pytest.raises(KinematchError, match="both must be known"):
        turn_head(joints.keep(("head",)), np.zeros(len(joints)))


def test_a_calibration_finds_the_joints_of_its_devices_again(joints):
    calibration = make_calibration("quest", floor=0.3)
    devices = simulate_user(joints, np.random.default_rng(0), calibration=calibration)
    found = calibration.locate_joints(devices)
    np.testing.assert_allclose(found.positions, joints.positions, atol=1e-9)
    assert quaternion.angle(found.rotations, joints.rotations).max() < 1e-6
    assert np.abs(devices.positions - joints.positions)[:, LEFT_HAND].max() > 0.1


def test_latency_is_a_delay_and_the_rate_is_the_devices_own(joints):
    user = simulate_user(
        joints, np.random.default_rng(0),
        imperfections=Imperfections(latency=0.05, rate=90, position_noise=0, rotation_noise=0),
    )  # fmt: skip
    assert np.diff(user.times) == pytest.approx(1 / 90)
    late = sample_at(joints, user.times - 0.05, user.times)
    np.testing.assert_allclose(user.positions, late.positions)


def test_dropouts_spare_the_headset_and_are_as_many_as_told(joints):
    told = Imperfections(dropouts=30.0, dropout_length=0.3)
    user = simulate_user(joints, np.random.default_rng(0), imperfections=told)
    assert user.valid[:, HEAD].all()
    lost = 1 - user.valid[:, 1:].mean()
    assert 0.05 < lost < 0.3  # 30 a minute of 0.3 s each: 15 %
