"""Cameras: projection, and views that hold what they should."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.draw.camera import ViewCamera, facing, follow, frame_clip, frame_points
from kinematch.errors import KinematchError
from kinematch.motion import kinematics

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_axes_are_orthonormal_and_right_is_level(seed):
    rng = np.random.default_rng(seed)
    axes = ViewCamera(rng.normal(size=3), rng.normal(size=3)).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
    assert abs(axes[0, 1]) < 1e-12
    assert axes[1, 1] >= 0


def test_the_target_is_in_the_middle_and_up_is_up():
    camera = ViewCamera((0, 1, 5), (0, 1, 0))
    (x, y), depth = camera.project(np.array([0.0, 1, 0]), (640, 480))
    np.testing.assert_allclose([x, y, depth], [320, 240, 5])
    above, _ = camera.project(np.array([0.0, 1.5, 0]), (640, 480))
    left, _ = camera.project(np.array([-0.5, 1, 0]), (640, 480))
    assert above[1] < 240
    assert left[0] < 320


@pytest.mark.parametrize("height", [2.0, -2.0])
def test_a_camera_may_look_straight_down_or_up(height):
    axes = ViewCamera((0, height, 0), (0, 0, 0)).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes[1], [0, 0, 1], atol=1e-12)


@settings(deadline=None)
@given(seeds)
def test_framed_points_are_all_in_the_picture_and_touch_its_margin(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) * rng.uniform(0.2, 5, 3)
    size, margin = (640, 400), 0.1
    camera = frame_points(points, rng.normal(size=3), size=size, margin=margin)
    pixels, depth = camera.project(points, size)
    assert (depth > 0).all()
    room = margin * camera.focal(size[1]) / depth[:, None]
    gaps = np.concatenate([pixels - room, np.array(size) - pixels - room])
    assert gaps.min() > -1e-6
    # no camera along the same line could stand nearer: some point's margin ends at an edge, or at the camera
    assert gaps.min() < 1e-6 or depth.min() < margin + 1e-6


def test_facing_is_where_hips_and_shoulders_say(person):
    p, _ = kinematics.tpose(person)
    np.testing.assert_allclose(facing(person, p), [0, 0, 1], atol=1e-6)
    turned = p @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])  # a quarter turn about +Y: forward becomes +X
    np.testing.assert_allclose(facing(person, turned), [1, 0, 0], atol=1e-6)


def test_a_whole_clip_is_in_the_picture(walking):
    p, _ = kinematics.global_pose(walking)
    camera = frame_clip(walking.skeleton, p, size=(640, 480))
    pixels, _ = camera.project(p.reshape(-1, 3), (640, 480))
    assert (pixels > 0).all()
    assert (pixels < [640, 480]).all()


def test_following_keeps_the_view_and_goes_along():
    places = np.stack([np.linspace(0, 3, 90), np.ones(90), np.zeros(90)], -1)
    camera = ViewCamera((0, 1, 4), (0, 1, 0))
    cameras = follow(camera, places, frame_rate=30)
    offsets = np.array([c.position - c.target for c in cameras])
    np.testing.assert_allclose(offsets, np.tile([0.0, 0, 4], (90, 1)), atol=1e-12)
    heights = {round(float(c.position[1]), 9) for c in cameras}
    assert heights == {1.0}
    assert abs(cameras[45].target[0] - (places[45, 0] - cameras[0].target[0])) < 0.2


def test_impossible_cameras_are_refused():
    with pytest.raises(KinematchError, match="stands on its target"):
        ViewCamera((0, 1, 0), (0, 1, 0))
    with pytest.raises(KinematchError, match="field of view"):
        ViewCamera((0, 1, 0), (0, 1, 1), field_of_view=4)
    with pytest.raises(KinematchError, match="three finite numbers"):
        ViewCamera((0, np.nan, 0), (0, 1, 1))
