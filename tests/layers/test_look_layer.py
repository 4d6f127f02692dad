"""Laws of looking and aiming: head and arm come to point where they are told, within limits, and let go smoothly."""

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.layers.aim_layer import AimLayer
from kinematch.layers.look_layer import BEHIND, MAX_LOOK_ANGLES, LookLayer
from kinematch.math import quaternion
from kinematch.motion.kinematics import tpose

DT = 1 / 60


def find_gaze(crowd: Crowd, pose) -> np.ndarray:
    """(3,) where the face of the first character points."""
    head = crowd.skeleton.roles["head"]
    ahead = quaternion.rotate(quaternion.inverse(tpose(crowd.skeleton)[1][head]), np.array([0.0, 0.0, 1.0]))
    return quaternion.rotate(pose.global_rotations[0, head].astype(np.float64), ahead)


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1.0, 1.0))))


@pytest.mark.parametrize("around", [[2.0, 1.6, 2.0], [-1.5, 2.2, 1.0], [0.3, 0.9, 3.0]])
def test_a_walking_character_looks_at_a_point_that_goes_along(database, around):
    look = LookLayer(database.skeleton)
    crowd = Crowd(database, layers=[look])
    for _ in range(120):
        look.targets = crowd.root_positions + np.array(around)
        pose = crowd.step(move([0, 0, 1.2]), DT)
    head = pose.global_positions[0, crowd.skeleton.roles["head"]]
    assert angle_between(find_gaze(crowd, pose), look.targets[0] - head) < 4.0


def test_a_head_turns_no_farther_than_it_can_and_not_at_all_behind(database):
    look = LookLayer(database.skeleton)
    crowd = Crowd(database, layers=[look])
    yaws = {}
    for degrees in (0, 120, 175):
        look.targets = 5.0 * np.array([np.sin(np.radians(degrees)), 0.3, np.cos(np.radians(degrees))])
        for _ in range(90):
            pose = crowd.step(move([0, 0, 0]), DT)
        gaze = find_gaze(crowd, pose)
        yaws[degrees] = np.degrees(np.arctan2(gaze[0], gaze[2]) - crowd.root_yaws[0])
    assert yaws[120] == pytest.approx(np.degrees(MAX_LOOK_ANGLES[0]), abs=4.0)
    assert np.degrees(BEHIND) < 175
    assert abs(yaws[175]) < 15.0


def test_letting_go_leads_back_to_the_animation_without_a_jerk(database):
    look = LookLayer(database.skeleton, [3.0, 1.5, 3.0])
    crowd, plain = Crowd(database, layers=[look]), Crowd(database)
    rotations = []
    for step in range(240):
        look.weights = 1.0 if 60 <= step < 140 else 0.0
        pose, other = (one.step(move([0, 0, 0]), DT) for one in (crowd, plain))
        rotations.append(pose.global_rotations[0, crowd.skeleton.roles["head"]].copy())
    turns = np.array(rotations, np.float64)
    assert np.degrees(quaternion.angle(turns[1:], turns[:-1])).max() < 6.0  # a step: 360 degrees a second
    np.testing.assert_allclose(pose.rotations[0], other.rotations[0], atol=1e-3)


def test_an_arm_follows_a_moving_point_that_is_far_away(database):
    aim = AimLayer(database.skeleton, "right_hand")
    crowd = Crowd(database, layers=[aim])
    shoulder, hand = (crowd.skeleton.roles[f"right_{part}"] for part in ("upper_arm", "hand"))
    angles = []
    for step in range(240):
        time = step * DT
        aim.targets = crowd.root_positions + [-2.0 + np.sin(time), 1.4 + 0.4 * np.cos(time), 6.0]
        pose = crowd.step(move([0, 0, 1.2]), DT)
        arm = pose.global_positions[0, hand] - pose.global_positions[0, shoulder]
        angles.append(angle_between(arm, aim.targets[0] - pose.global_positions[0, shoulder]))
    assert max(angles[90:]) < 3.0


def test_bad_looks_are_refused(database):
    with pytest.raises(KinematchError, match="half-life"):
        LookLayer(database.skeleton, halflife=-1.0)
    crowd = Crowd(database, layers=[LookLayer(database.skeleton, np.zeros(2))])
    with pytest.raises(KinematchError, match="look: targets"):
        crowd.step(move([0, 0, 0]), DT)
