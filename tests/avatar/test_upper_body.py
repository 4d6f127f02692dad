"""The upper body: head and wrists exact, the rest plausible, whatever is tracked or lost."""

import importlib
import sys
from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.body_frames import find_point_joints, to_body_rotations
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import (
    HANDS,
    HEAD,
    LEFT_FOOT,
    LEFT_HAND,
    POINTS,
    RIGHT_FOOT,
    RIGHT_HAND,
    WAIST,
    Trackers,
)
from kinematch.avatar.upper_body import UpperBody
from kinematch.avatar.upper_body.kernels.solve import solve_bodies
from kinematch.avatar.upper_body.layer import LocalPose
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

DT = 1 / 60
STAND = km.move([0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def database():
    return km.load("built-in")


@pytest.fixture(scope="module")
def idle(database):
    """The joints of a character that stands, as trackers would report them."""
    crowd = km.Crowd(database)
    poses = [crowd.step(STAND, DT) for _ in range(60)]
    return track_joints(km.record(poses, crowd.skeleton, 60)).keep(POINTS[:3])


def make_crowd(database, count=1, **options):
    crowd = km.Crowd(database, count, **options)
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


def test_waist_and_feet_are_where_they_are_tracked(database, idle):
    crowd, layer = make_crowd(database)
    points = find_point_joints(crowd.skeleton)
    pose = km.Crowd(database).step(STAND, DT)
    places = pose.global_positions[:, points].astype(np.float64)
    turns = to_body_rotations(crowd.skeleton, points, pose.global_rotations[:, points])
    for _ in range(5):
        layer.joints = Trackers(
            np.zeros(1), places.copy(), turns, np.zeros((1, 7, 3)), np.zeros((1, 7, 3)), np.ones((1, 7), bool)
        )
        layer.joints.positions[0, LEFT_FOOT] += [0.1, 0.2, 0.15]
        shown = crowd.step(STAND, DT)
    away = np.linalg.norm(shown.global_positions[:, points] - layer.joints.positions, axis=-1)[0]
    assert away[[HEAD, LEFT_HAND, RIGHT_HAND, LEFT_FOOT, RIGHT_FOOT]].max() < 1e-3
    assert away[WAIST] < 0.03


@pytest.mark.parametrize("lowers", [True, False])
def test_feet_that_lower_the_pelvis_leave_the_head(database, idle, lowers):
    crowd, layer = make_crowd(database)
    crowd.settings = km.Settings(pelvis=lowers)
    walk = km.move([0.0, 0.0, 1.2])
    for f in range(90):
        layer.joints = idle.take(slice(10, 11))
        layer.joints.positions[0, :3] += [0.0, 0.03 * np.sin(f / 5), 1.2 * f * DT]
        away, _ = measure_misses(crowd, crowd.step(walk, DT), layer.joints)
        assert away[0, HEAD] < 1e-4


@pytest.mark.parametrize("size", [0.6, 1.25])
def test_children_and_tall_people_reach_as_well(database, idle, size):
    crowd, layer = make_crowd(database, skeleton=database.skeleton.with_scale(size))
    for f in range(30):
        layer.joints = idle.take(slice(f, f + 1))
        layer.joints.positions[:] *= size
        away, _ = measure_misses(crowd, crowd.step(STAND, DT), layer.joints)
        assert away.max() < 1e-3


def test_a_hand_beyond_reach_stays_on_the_way_to_its_target(database, idle):
    crowd, layer = make_crowd(database)
    upper, hand = (crowd.skeleton.roles[f"left_{part}"] for part in ("upper_arm", "hand"))
    for _ in range(30):
        layer.joints = idle.take(slice(10, 11))
        layer.joints.positions[0, LEFT_HAND] = layer.joints.positions[0, HEAD] + [0.3, -0.2, 2.0]
        pose = crowd.step(STAND, DT)
    shoulder, wrist = pose.global_positions[0, upper], pose.global_positions[0, hand]
    wanted, shown = layer.joints.positions[0, LEFT_HAND] - shoulder, wrist - shoulder
    assert wanted @ shown / np.linalg.norm(wanted) / np.linalg.norm(shown) > 0.9999


def test_elbows_stay_out_of_the_trunk_when_hands_cross(database, idle):
    crowd, layer = make_crowd(database)
    roles = crowd.skeleton.roles
    crossed = np.array([[-0.15, -0.35, 0.22], [0.15, -0.4, 0.25]])
    inwards = rotation.from_axis_angle(np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]), np.radians([135, 135]))
    for _ in range(30):
        layer.joints = idle.take(slice(10, 11))
        layer.joints.positions[0, HANDS] = layer.joints.positions[0, HEAD] + crossed
        layer.joints.rotations[0, HANDS] = inwards
        pose = crowd.step(STAND, DT)
    places = pose.global_positions[0]
    elbows, shoulders = (
        places[[roles[f"{side}_{part}"] for side in ("left", "right")]] for part in ("lower_arm", "upper_arm")
    )
    x, z = (elbows - places[roles["spine"]])[:, [0, 2]].T
    half = abs(shoulders[0, 0] - shoulders[1, 0]) / 2
    assert (np.hypot(x / (0.8 * half), z / (0.6 * half)) > 1).all()
    assert x[0] > 0 > x[1]


def test_the_step_size_does_not_matter(database, idle):
    def play(rate):
        crowd, layer = make_crowd(database)
        for f in range(rate // 2):
            layer.joints = idle.take(slice(10, 11))
            turn = np.sin(2 * np.pi * f / rate)
            layer.joints.positions[0, LEFT_HAND] = layer.joints.positions[0, HEAD] + [0.3, 0.3 * turn - 0.2, 0.3]
            pose = crowd.step(STAND, 1 / rate)
        return pose.global_positions[0, crowd.skeleton.roles["left_lower_arm"]]

    assert np.linalg.norm(play(60) - play(180)) < 0.02


def test_fingers_curl_as_tracked_and_open_again_when_lost(humanoid, database):
    skeleton = add_fingers(humanoid(3))
    crowd, layer = make_crowd(database, skeleton=skeleton)
    roles, points = crowd.skeleton.roles, find_point_joints(crowd.skeleton)
    pose = km.Crowd(database, skeleton=skeleton).step(STAND, DT)
    places = pose.global_positions[:, points].astype(np.float64)
    turns = to_body_rotations(crowd.skeleton, points, pose.global_rotations[:, points])
    bent = quaternion.rotate(turns[0, LEFT_HAND], [0.0, -1.0, 0.0])  # into the palm
    fingers = np.full((1, 2, 25, 3), np.nan)
    fingers[0, 0] = places[0, LEFT_HAND] + np.arange(25)[:, None] * 0.02 * bent
    valid = np.arange(7) < 3
    for f in range(90):
        layer.joints = Trackers(
            np.zeros(1),
            places,
            turns,
            np.zeros((1, 7, 3)),
            np.zeros((1, 7, 3)),
            valid[None],
            fingers if f < 30 else None,
        )
        shown = crowd.step(STAND, DT)
        knuckle, tip = (shown.global_positions[0, roles[f"left_index_{part}"]] for part in ("proximal", "intermediate"))
        along = (tip - knuckle) @ bent / np.linalg.norm(tip - knuckle)
        if f == 29:
            assert along > 0.999
    assert along < 0.5


def add_fingers(body: Skeleton) -> Skeleton:
    """The skeleton with an index finger on its left hand, which points along the hand."""
    hand = body.roles["left_hand"]
    names = (*body.names, "Index1", "Index2", "Index3")
    count = body.joint_count
    along = quaternion.rotate(quaternion.inverse(kinematics.tpose(body)[1][hand]), [1.0, 0.0, 0.0])
    identity = quaternion.identity((3,))
    parts = ("proximal", "intermediate", "distal")
    return Skeleton(
        names=names, parents=np.concatenate([body.parents, [hand, count, count + 1]]),
        offsets=np.concatenate([body.offsets, [along * 0.09, along * 0.04, along * 0.03]]),
        rotations=np.concatenate([body.rotations, identity]), end_parents=body.end_parents,
        end_offsets=body.end_offsets, file_order=np.arange(count + 3), tpose=np.concatenate([body.tpose, identity]),
        roles={**body.roles, **{f"left_index_{part}": count + k for k, part in enumerate(parts)}},
    )  # fmt: skip


def test_the_compiled_solver_computes_what_its_source_says(database, idle, monkeypatch):
    plain = import_uncompiled(monkeypatch)
    crowd, layer = make_crowd(database)
    for f in range(20):
        layer.joints = idle.take(slice(f, f + 1))
        layer.joints.positions[0, HEAD] -= [0.0, 0.01 * f, -0.02 * f]
        crowd.step(STAND, DT)
    pose = crowd.step(STAND, DT)
    memory = type(layer._memory)(*(array.copy() for array in layer._memory))
    again = LocalPose(*(array.copy() for array in pose[:4]))
    compiled = LocalPose(*(array.copy() for array in pose[:4]))
    plain.solve_bodies(layer.plan, again, layer._tracked, memory, layer.leans.copy(), DT)
    solve_bodies(layer.plan, compiled, layer._tracked, layer._memory, layer.leans, DT)
    for one, other in zip((*again, *memory), (*compiled, *layer._memory)):
        assert np.allclose(one, other, atol=1e-6)


def import_uncompiled(monkeypatch):
    """The solver's module with its kernels left as they are written."""
    from kinematch.compile import jit

    folder = "kinematch.avatar.upper_body.kernels."
    shared = "kinematch.math.kernels"
    for name in [name for name in sys.modules if name.startswith(folder) or name == shared]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("kernel", "part", "inner"):
        monkeypatch.setattr(jit, name, lambda function: function)
    return importlib.import_module(f"{folder}solve")


def test_legs_that_run_straight_do_not_snap_and_toes_stay(database, idle):
    crowd, layer = make_crowd(database)
    knee, toes, head = (crowd.skeleton.roles[role] for role in ("left_lower_leg", "left_toes", "head"))
    shown = []
    for f in range(300):
        layer.joints = idle.take(slice(30, 31))
        layer.joints.positions[:, :3, 1] += 0.04 * np.sin(2 * np.pi * f * DT)
        shown.append(crowd.step(STAND, DT).global_positions[0, [knee, toes, head]])
    shown = np.array(shown[60:], np.float64)
    jerks = np.linalg.norm(np.diff(shown, n=3, axis=0), axis=-1).max(axis=0) / DT**3
    assert np.ptp(shown[:, 2, 1]) > 0.079  # the head goes up and down, beyond what legs reach
    assert jerks[0] < 4 * jerks[2]
    assert np.ptp(shown[:, 1], axis=0).max() < 0.002
