"""Users who sit: hips stay on the seat, thighs lie, feet stand flat, and everything else follows as for anybody."""

from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.calibration import Calibration
from kinematch.avatar.seat import STEP_DISTANCE, Seat
from kinematch.avatar.trackers import HEAD, LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND, WAIST, Trackers
from kinematch.math import quaternion, rotation

DT = 1 / 60
CALIBRATION = Calibration(height=1.75)
SITTING = CALIBRATION.head_height - 0.42  # m, of the head


def make_joints(head, yaw=0.0, nod=0.0, valid=(HEAD, LEFT_HAND, RIGHT_HAND)):
    """Somebody whose head is there, with hands on the lap."""
    positions, tracked = np.zeros((1, 7, 3)), np.zeros((1, 7), bool)
    positions[0] = head
    positions[0, [LEFT_HAND, RIGHT_HAND]] += [[0.2, -0.4, 0.35], [-0.2, -0.4, 0.35]]
    positions[0, [LEFT_FOOT, RIGHT_FOOT], 1] = 0.3
    rotations = quaternion.identity((1, 7))
    turn = rotation.from_axis_angle([0.0, 1, 0], yaw)
    rotations[0, HEAD] = quaternion.multiply(turn, rotation.from_axis_angle([1.0, 0, 0], nod))
    tracked[0, list(valid)] = True
    still = np.zeros((1, 7, 3))
    return Trackers([0.0], positions, rotations, still, still, tracked)


def play(avatar, moments, *, seated=True):
    """Global positions (F, J, 3) of an avatar of joints over time."""
    avatar.calibration = replace(avatar.calibration, seated=seated)
    return np.array(
        [avatar.step(avatar.calibration.place_devices(one), DT).global_positions[0].copy() for one in moments]
    )


@pytest.fixture(scope="module")
def database():
    return km.load("built-in")


@pytest.fixture
def seated(database):
    """An avatar of somebody who has sat down."""
    avatar = km.Avatar(database, calibration=CALIBRATION)
    play(avatar, [make_joints([0, CALIBRATION.head_height, 0.2])] * 60, seated=False)
    play(avatar, [make_joints([0, SITTING, 0.0])] * 90)
    return avatar


def test_thighs_lie_and_both_feet_stand_flat_below_the_knees(seated):
    (places,) = play(seated, [make_joints([0, SITTING, 0.0])])
    roles = seated.skeleton.roles
    for side in ("left", "right"):
        hip, knee, foot = (places[roles[f"{side}_{part}"]] for part in ("upper_leg", "lower_leg", "foot"))
        thigh = knee - hip
        assert thigh[2] > 0.9 * np.linalg.norm(thigh)
        assert abs(knee[2] - foot[2]) < 0.08
        assert foot[1] < 0.12
    assert places[roles["left_foot"], 0] > places[roles["right_foot"], 0] + 0.15
    assert 0.4 < places[roles["hips"], 1] < 0.62
    np.testing.assert_allclose(places[roles["head"]], [0, SITTING, 0.0], atol=1e-4)


def test_who_leans_and_looks_around_keeps_feet_and_hips(seated):
    times = np.arange(0, 4, DT)
    lean = np.sin(np.pi * times / 4) ** 2
    moments = [
        make_joints([0.05 * np.sin(2 * t), SITTING - 0.06 * x, 0.25 * x], yaw=0.6 * np.sin(t), nod=0.3 * x)
        for t, x in zip(times, lean)
    ]
    places, roles = play(seated, moments), seated.skeleton.roles
    for role in ("left_foot", "right_foot"):
        assert np.ptp(places[:, roles[role]], axis=0).max() < 1e-3, role
    assert np.ptp(places[:, roles["hips"]], axis=0).max() < 0.06
    np.testing.assert_allclose(places[-1, roles["head"]], moments[-1].positions[0, HEAD], atol=1e-4)


def test_standing_up_leaves_the_seat_smoothly(seated):
    rises = np.linspace(SITTING, CALIBRATION.head_height, 60)
    up = play(seated, [make_joints([0, height, 0.0]) for height in rises[:40]])
    after = play(seated, [make_joints([0, height, 0.0]) for height in [*rises[40:], *[rises[-1]] * 100]], seated=False)
    places, roles = np.concatenate([up, after]), seated.skeleton.roles
    assert np.linalg.norm(np.diff(places[:, roles["hips"]], axis=0), axis=-1).max() < 0.04
    stood = km.Avatar(seated.motions[0], calibration=CALIBRATION)
    expected = play(stood, [make_joints([0, CALIBRATION.head_height, 0.0])] * 60, seated=False)[-1, roles["hips"]]
    assert abs(places[-1, roles["hips"], 1] - expected[1]) < 0.03
    assert not seated.seat.taken


def test_feet_follow_a_chair_that_turns_one_after_the_other(database):
    seat = Seat(km.Avatar(database, calibration=CALIBRATION).skeleton, 1)
    heights = []
    for frame in range(600):
        yaw = np.radians(90) * min(frame / 120, 1.0)
        found = seat.sit(make_joints([0, SITTING, 0.0], yaw=yaw), np.array([yaw]), DT)
        heights.append(found.positions[0, [LEFT_FOOT, RIGHT_FOOT], 1])
    lifted = np.array(heights) > np.min(heights) + 1e-6
    assert lifted.any(axis=0).all()
    assert not lifted.all(axis=1).any()
    assert not lifted[-1].any()
    middle = found.positions[0, [LEFT_FOOT, RIGHT_FOOT]].mean(axis=0)
    assert middle[0] > abs(middle[2])  # ahead is to the left now
    assert abs(seat.yaws[0] - np.pi / 2) < 0.3


def test_a_chair_that_rolls_takes_hips_and_feet_along(database):
    seat = Seat(km.Avatar(database, calibration=CALIBRATION).skeleton, 1)
    for frame in range(400):
        head = np.array([min(frame / 200, 1.0), SITTING, 0.0])
        found = seat.sit(make_joints(head), np.zeros(1), DT)
    assert abs(seat.positions[0, 0] - 1.0) < 0.15
    assert abs(found.positions[0, [LEFT_FOOT, RIGHT_FOOT], 0].mean() - seat.positions[0, 0]) < STEP_DISTANCE + 0.01


def test_what_is_tracked_stays_and_without_a_head_nothing_is_guessed(database):
    seat = Seat(km.Avatar(database, calibration=CALIBRATION).skeleton, 1)
    given = make_joints([0, SITTING, 0.0], valid=(HEAD, WAIST, LEFT_FOOT))
    found = seat.sit(given, np.zeros(1), DT)
    for point in (HEAD, WAIST, LEFT_FOOT):
        np.testing.assert_array_equal(found.positions[0, point], given.positions[0, point])
    assert found.valid[0, RIGHT_FOOT]
    seat.reset()
    lost = make_joints([0, SITTING, 0.0], valid=(LEFT_HAND,))
    assert seat.sit(lost, np.zeros(1), DT).valid[0].sum() == 1
    np.testing.assert_array_equal(seat.find_standing(lost, 1.5).positions, lost.positions)


def test_bar_stools_and_low_sofas_have_limits(database):
    avatar = km.Avatar(database, calibration=CALIBRATION)
    for height, low, high in ((CALIBRATION.head_height, 0.6, 0.8), (0.5, 0.25, 0.4)):
        seat = Seat(avatar.skeleton, 1)
        for _ in range(10):
            seat.sit(make_joints([0, height, 0.0]), np.zeros(1), DT)
        assert low < seat.positions[0, 1] < high
