"""Alignment: it finds the camera that made the points, and stays with it."""

import numpy as np
import pytest

from kinematch.camera.alignment import CONVERGED_FRAMES, Alignment, find_pitch, fit_yaw
from kinematch.camera.pose import CameraPose
from kinematch.camera.refinement import Prior, refine_pose
from kinematch.camera.simulate import SimulatedCamera, to_camera
from kinematch.math.angles import rotate_about_y, wrap_angle

CAMERA = SimulatedCamera((1.0, 1.2, 3.5), 2.6, 0.2)


def make_points(count=100, seed=0):
    """Nose and wrists (F, 3, 3) of somebody who walks about."""
    rng = np.random.default_rng(seed)
    way = np.cumsum(rng.normal(0, 0.06, (count, 1, 3)) * [1, 0, 1], axis=0)
    body = np.array([[0.0, 1.6, 0.1], [0.3, 1.0, 0.2], [-0.3, 1.1, 0.1]])
    return way + body + rng.normal(0, 0.05, (count, 3, 3))


def run(alignment, points, seen, weights=None):
    for place, target in zip(seen, points):
        alignment.watch(place, target, np.ones(3) if weights is None else weights)
    return alignment.pose


def test_a_yaw_and_a_shift_are_found_exactly():
    points = make_points().reshape(-1, 3)
    places = rotate_about_y(points - [1, 2, 3], -0.7)
    yaw, shift = fit_yaw(places, points, np.random.default_rng(0).uniform(0.1, 1, len(points)))
    assert yaw == pytest.approx(0.7)
    np.testing.assert_allclose(shift, [1, 2, 3], atol=1e-9)


def test_a_pose_takes_what_the_camera_sees_back_to_the_world():
    points = make_points()
    pose = CameraPose(CAMERA.yaw, np.array(CAMERA.position), CAMERA.pitch, 1.25)
    np.testing.assert_allclose(pose.to_world(to_camera(points, CAMERA) / 1.25), points, atol=1e-9)


def test_a_camera_that_looks_down_sees_people_lean_towards_it():
    up = to_camera(np.array([[0.0, 1.0, 0.0]]) + CAMERA.position, CAMERA)
    assert find_pitch(up) == pytest.approx(CAMERA.pitch)


def test_camera_and_scale_are_found_in_spite_of_noise_and_outliers():
    points, rng = make_points(), np.random.default_rng(1)
    seen = to_camera(points, CAMERA) / 1.1 + rng.normal(0, 0.02, points.shape)
    seen[rng.random(points.shape[:2]) < 0.05] += 0.8
    pose = run(Alignment(pitch=CAMERA.pitch), points, seen)
    assert abs(np.degrees(wrap_angle(pose.yaw - CAMERA.yaw))) < 2
    assert np.linalg.norm(pose.position - CAMERA.position) < 0.1
    assert pose.scale == pytest.approx(1.1, abs=0.04)


def test_a_camera_far_away_is_found_in_spite_of_depths_that_are_wrong():
    """Errors grow with the distance, and mostly along the line of sight."""
    far, rng = SimulatedCamera((1.0, 1.2, 7.0), 2.6, 0.1), np.random.default_rng(3)
    points = make_points(200)
    seen = to_camera(points, far) / 1.1
    seen *= 1 + 0.02 * np.repeat(rng.normal(size=(40, 1, 1)), 5, axis=0)
    pose = run(Alignment(scale=1.1), points, seen)
    assert abs(np.degrees(wrap_angle(pose.yaw - far.yaw))) < 1
    assert np.linalg.norm(pose.position - far.position) < 0.15
    assert pose.pitch == pytest.approx(far.pitch, abs=0.01)


def test_a_refined_pose_is_exact_without_errors_and_keeps_what_is_given():
    points = make_points().reshape(-1, 3)
    start = CameraPose(CAMERA.yaw + 0.2, np.array(CAMERA.position) + 0.3, 0.0, 1.0)
    known = {"scale": Prior(1.25, 0.1), "steps": 12}
    seen = to_camera(points, CAMERA) / 1.25
    pose = refine_pose(start, seen, points, np.ones(len(points)), pitch=Prior(0.1, 0.3), **known)
    assert (pose.yaw, pose.pitch, pose.scale) == pytest.approx((CAMERA.yaw, CAMERA.pitch, 1.25), abs=2e-3)
    np.testing.assert_allclose(pose.position, CAMERA.position, atol=0.01)
    assert pose.deviation < 0.02
    held = refine_pose(start, seen, points, np.ones(len(points)), pitch=Prior(0.1, 1e-5), **known)
    assert held.pitch == pytest.approx(0.1, abs=1e-3)


def test_the_pitch_is_found_by_somebody_who_walks_towards_the_camera():
    points = make_points()
    alignment = Alignment(scale=1.0)
    alignment.watch_standing(
        to_camera(np.array([0.0, 1.0, 0.0]) + CAMERA.position, SimulatedCamera(CAMERA.position, 2.6, 0.15))
    )
    assert run(alignment, points, to_camera(points, CAMERA)).pitch == pytest.approx(CAMERA.pitch, abs=0.01)


def test_points_that_are_not_seen_change_nothing():
    points = make_points()
    seen = to_camera(points, CAMERA)
    alignment = Alignment(pitch=CAMERA.pitch, scale=1.0)
    before = run(alignment, points, seen)
    assert run(alignment, points, seen + 1.0, np.zeros(3)) is before


def test_an_aligned_camera_moves_slowly_until_it_was_moved():
    points = make_points(400)
    alignment = Alignment(pitch=CAMERA.pitch, scale=1.0)
    run(alignment, points[:100], to_camera(points[:100], CAMERA))
    moved = SimulatedCamera((-2.0, 1.2, -3.0), -0.5, 0.2)
    one = run(alignment, points[100:101], to_camera(points[100:101], moved))
    assert np.linalg.norm(one.position - CAMERA.position) < 0.05
    pose = run(alignment, points[100:], to_camera(points[100:], moved))
    assert alignment.frames < 400 - CONVERGED_FRAMES
    assert np.linalg.norm(pose.position - moved.position) < 0.05
