"""Bad input of one user: each kind is told in words, and the body goes on where the headset is."""

import math
import sys

import numpy as np
import pytest

from kinematch.avatar.calibrator import Calibrator
from kinematch.avatar.trackers import HEAD, LEFT_HAND, RIGHT_HAND
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.stream.layout import AVATAR, unpack
from kinematch.studio.server.messages import Calibrate
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.samples import read_sample, to_webxr
from kinematch.studio.vr.user import VrUser

RATE = 60
EYES = 1.62  # m
HANGING = np.array([[0.22, -0.75, 0.05], [-0.22, -0.75, 0.05]])  # m from the eyes to controllers
STRETCHED = np.array([[0.85, -0.15, 0.0], [-0.85, -0.15, 0.0]])


class Wearer:
    """Somebody who stands or sits still in the room, with a user's body and what the user is told."""

    def __init__(self, database, make_sample):
        calibrator = Calibrator("generic")
        self.user = VrUser(
            1, "a", "", 0, make_outfit(database, "small", calibration=calibrator.calibration), calibrator
        )
        self.make_sample, self.time, self.sequence, self.told = make_sample, 10.0, 0, []
        self.lost = 0.0  # m between the head of the body and the headset, the largest yet

    def hold(self, seconds, *, eyes=EYES, hands=HANGING, valid=7, **changes):
        for _ in range(round(seconds * RATE)):
            self.time += 1 / RATE
            self.sequence += 1
            positions, rotations = np.zeros((7, 3)), quaternion.identity((7,))
            positions[HEAD] = [0.0, eyes, 0.0]
            positions[[LEFT_HAND, RIGHT_HAND]] = positions[HEAD] + hands
            downwards = rotation.from_axis_angle([1.0, 0, 0], np.pi / 2)
            rotations[[LEFT_HAND, RIGHT_HAND]] = downwards
            given = {"time": self.time, "positions": positions, "rotations": to_webxr(rotations), "valid": valid}
            sample = read_sample(self.make_sample(self.sequence, **(given | changes)))
            self.told += [told] if (told := self.user.hear(sample)) else []
            if self.user.fresh is not None:
                self._step(eyes)
        return " | ".join(self.told)

    def _step(self, eyes):
        _, arrays = unpack(AVATAR, self.user.step_own())
        assert all(np.isfinite(array).all() for array in arrays.values())
        self.told += self.user.take_words()
        pose, skeleton = self.user.pose, self.user.outfit.skeleton
        head = pose.global_positions[0, skeleton.roles["head"]]
        self.lost = max(self.lost, float(np.linalg.norm(head - [0.0, eyes, 0.0])))


@pytest.fixture
def wearer(database, walker, monkeypatch):
    wearer = Wearer(database, sys.modules[walker.__module__].make_sample)
    monkeypatch.setattr("kinematch.studio.vr.user.monotonic", lambda: wearer.sequence / RATE)  # as if live
    wearer.hold(1.5)
    assert wearer.told == []
    return wearer


def test_a_missing_controller_and_a_missing_headset_are_told(wearer):
    assert "the right controller is not tracked" in wearer.hold(1.5, valid=3)
    assert "the headset is not tracked" in wearer.hold(1.5, valid=6)
    assert "the headset is tracked again" in wearer.hold(0.5)
    assert wearer.lost < 0.25


def test_poses_of_nan_are_told_and_the_body_stays(wearer):
    assert "no usable pose of the head and the left hand" in wearer.hold(0.5, positions=np.full((7, 3), math.nan))
    wearer.hold(0.5)
    assert wearer.lost < 0.25


def test_time_that_goes_backwards_is_told_and_left_out(wearer):
    wearer.time -= 0.5
    assert "time went backwards" in wearer.hold(0.2)
    wearer.time += 0.5
    wearer.hold(0.5)
    assert wearer.lost < 0.25


def test_swapped_hands_are_told_and_put_right(wearer):
    assert "the left and right controllers were swapped" in wearer.hold(9.0, hands=HANGING[::-1])
    assert wearer.user.calibrator.calibration.swapped
    places, roles = wearer.user.pose.global_positions[0], wearer.user.outfit.skeleton.roles
    left = places[roles["left_hand"]] - places[roles["right_hand"]]
    shoulders = places[roles["left_upper_arm"]] - places[roles["right_upper_arm"]]
    assert left @ shoulders > 0
    assert wearer.lost < 0.25


def test_a_t_pose_while_sitting_is_refused_and_the_body_goes_on(wearer):
    wearer.hold(1.0, eyes=EYES - 0.5, hands=STRETCHED)
    before = wearer.user.calibrator.calibration
    with pytest.raises(KinematchError, match="you seem to sit"):
        wearer.user.measure(Calibrate(by="pose"))
    assert wearer.user.calibrator.calibration is before
    wearer.hold(1.0, eyes=EYES - 0.5)
    assert wearer.lost < 0.25


def test_who_sits_has_a_body_that_sits(wearer):
    assert "you seem to sit" in wearer.hold(6.0, eyes=EYES - 0.45)
    assert wearer.user.outfit.own.calibration.seated
    wearer.hold(1.0, eyes=EYES - 0.45)
    places, roles = wearer.user.pose.global_positions[0], wearer.user.outfit.skeleton.roles
    thigh = places[roles["left_lower_leg"]] - places[roles["left_upper_leg"]]
    assert abs(thigh[1]) < 0.35 * np.linalg.norm(thigh)
    wearer.hold(3.0)
    assert not wearer.user.outfit.own.calibration.seated
    assert wearer.user.pose.global_positions[0, roles["hips"], 1] > 0.75
