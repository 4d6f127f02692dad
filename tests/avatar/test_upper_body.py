"""The upper body: head and wrists exact, the rest plausible, whatever is tracked or lost."""

from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.body_frames import find_point_joints, to_body_rotations
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.avatar.upper_body import UpperBody
from kinematch.math import quaternion

DT = 1 / 60
STAND = km.move([0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def database():
    return km.dance_card()


@pytest.fixture(scope="module")
def idle(database):
    """The joints of a character that stands, as trackers would report them."""
    crowd = km.Crowd(database)
    poses = [crowd.step(STAND, DT) for _ in range(60)]
    return track_joints(km.record(poses, crowd.skeleton, 60)).keep(POINTS[:3])


def make_crowd(database, count=1, **options):
    crowd = km.Crowd(database, count, settings=km.Settings(pelvis=False), **options)
    layer = UpperBody(crowd.skeleton, count)
    crowd.layers.append(layer)
    return crowd, layer


def measure_misses(crowd, pose, joints: Trackers) -> tuple[np.ndarray, np.ndarray]:
    """How far (N, 3) m and by which angles (N, 3) rad head and hands are off."""
    points = find_point_joints(crowd.skeleton)[:3]
    places, turns = pose.global_positions[:, points], pose.global_rotations[:, points]
    away = np.linalg.norm(places - joints.positions[:, :3], axis=-1)
    return away, quaternion.angle(to_body_rotations(crowd.skeleton, points, turns), joints.rotations[:, :3])


def test_head_and_wrists_are_exact_within_reach(database, idle):
    crowd, layer = make_crowd(database)
    rng = np.random.default_rng(0)
    for f in range(len(idle)):
        layer.joints = idle.take(slice(f, f + 1))
        layer.joints.positions[:, HEAD] += rng.normal(size=3) * 0.02
        shoulders = layer.joints.positions[:, HEAD] - [0, 0.2, 0]
        layer.joints.positions[:, HANDS] = shoulders[:, None] + [[0.2, -0.1, 0.3], [-0.1, -0.2, 0.35]]
        pose = crowd.step(STAND, DT)
        away, angles = measure_misses(crowd, pose, layer.joints)
        assert away.max() < 1e-4
        assert angles.max() < 1e-3


def test_a_squat_lowers_the_pelvis_and_leaves_the_feet(database, idle):
    crowd, layer = make_crowd(database)
    hips, foot = (crowd.skeleton.roles[role] for role in ("hips", "left_foot"))
    places = []
    for f in range(120):
        layer.joints = idle.take(slice(-1, None))
        layer.joints.positions[:, :3, 1] -= min(f / 60, 1.0) * 0.3
        pose = crowd.step(STAND, DT)
        places.append(pose.global_positions[0, [hips, foot]].copy())
    assert places[0][0, 1] - places[-1][0, 1] > 0.12
    assert abs(places[0][1, 1] - places[-1][1, 1]) < 0.02


def test_a_lost_hand_goes_back_to_the_animation_and_takes_over_again_without_a_jump(database, idle):
    crowd, layer = make_crowd(database)
    free, _ = make_crowd(database)
    hand = crowd.skeleton.roles["left_hand"]
    raised = replace(idle)
    raised.positions[:, LEFT_HAND] = raised.positions[:, HEAD] + [0.3, 0.1, 0.2]
    places = []
    for f in range(180):
        layer.joints = raised.take(slice(10, 11))
        if 60 <= f < 120:
            layer.joints = layer.joints.keep(("head", "right_hand"))
        pose, unled = crowd.step(STAND, DT), free.step(STAND, DT)
        places.append(pose.global_positions[0, hand].copy())
        if f == 119:
            assert np.linalg.norm(places[-1] - unled.global_positions[0, hand]) < 0.15
    places = np.array(places)
    assert np.linalg.norm(places[[59, 179]] - raised.positions[10, LEFT_HAND], axis=-1).max() < 1e-3
    assert np.linalg.norm(np.diff(places[1:], axis=0), axis=-1).max() < 0.08


@pytest.mark.parametrize("points", [(), ("head",), ("head", "right_hand"), ("left_hand",), POINTS])
def test_any_set_of_points_gives_a_finite_pose(database, idle, points):
    crowd, layer = make_crowd(database)
    rng = np.random.default_rng(1)
    for _ in range(30):
        layer.joints = idle.take(slice(5, 6)).keep(points)
        layer.joints.positions[layer.joints.valid] += rng.normal(size=3)
        pose = crowd.step(STAND, DT)
        assert np.isfinite(pose.global_positions).all()
        assert not pose.restarted.any()


def test_users_are_independent(database, idle):
    crowd, layer = make_crowd(database, 3)
    one, single = make_crowd(database)
    for f in range(20):
        layer.joints = idle.take(np.array([f, f + 20, f + 30]))
        layer.joints.positions[1:, RIGHT_HAND, 1] += 0.3
        single.joints = idle.take(slice(f, f + 1))
        together, alone = crowd.step(km.move(np.zeros((3, 3))), DT), one.step(STAND, DT)
    points = find_point_joints(crowd.skeleton)[:3]
    assert np.allclose(together.global_positions[0, points], alone.global_positions[0, points], atol=1e-4)


def test_trackers_of_another_number_of_users_are_refused(database, idle):
    crowd, layer = make_crowd(database)
    layer.joints = idle.take(slice(0, 2))
    with pytest.raises(km.KinematchError, match="2 users"):
        crowd.step(STAND, DT)
