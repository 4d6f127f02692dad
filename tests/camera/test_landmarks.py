"""Landmarks: shapes are checked, what is not finite was not seen, and mirroring twice changes nothing."""

import numpy as np
import pytest

from kinematch.camera.landmarks import NAMES, Landmarks, find_mirror, join_landmarks
from kinematch.camera.projection import find_slopes, locate_bodies, project
from kinematch.errors import KinematchError


def make_landmarks(count=4, seed=0):
    rng = np.random.default_rng(seed)
    places = rng.normal(0, 0.4, (count, len(NAMES), 3))
    body = np.array([0.3, -0.2, 3.0])
    image = project(places + body, 1.1, 4 / 3)
    return Landmarks(np.arange(count) / 20, places, image, np.ones((count, len(NAMES))), 4 / 3), body


def test_a_wrong_shape_is_refused_with_both_shapes():
    with pytest.raises(KinematchError, match=r"places of shape \(2, 3\), expected \(1, 33, 3\)"):
        Landmarks(np.zeros(1), np.zeros((2, 3)), np.zeros((1, 33, 2)), np.zeros((1, 33)))


def test_an_estimator_without_hips_is_refused():
    with pytest.raises(KinematchError, match="no landmark 'nose'"):
        Landmarks(np.zeros(1), np.zeros((1, 1, 3)), np.zeros((1, 1, 2)), np.zeros((1, 1)), names=("chin",))


def test_a_landmark_that_is_not_finite_was_not_seen():
    found, _ = make_landmarks()
    places = found.places.copy()
    places[1, 5] = np.nan
    broken = Landmarks(found.times, places, found.image, found.visibility)
    assert broken.visibility[1, 5] == 0
    assert np.isfinite(broken.places).all()
    assert broken.seen.all()


def test_mirroring_twice_changes_nothing():
    mirror = find_mirror(NAMES)
    assert (mirror[mirror] == np.arange(len(NAMES))).all()
    assert NAMES[mirror[NAMES.index("mouth_left")]] == "mouth_right"
    assert mirror[0] == 0


def test_frames_taken_apart_join_to_the_whole():
    found, _ = make_landmarks()
    joined = join_landmarks([found.take(slice(0, 1)), found.take(slice(1, 4))])
    np.testing.assert_array_equal(joined.places, found.places)


def test_slopes_undo_the_projection():
    places = np.array([[0.4, -0.3, 2.0], [-1.0, 0.2, 5.0]])
    slopes = find_slopes(project(places, 1.0, 1.5), 1.0, 1.5)
    np.testing.assert_allclose(slopes, places[:, :2] / places[:, 2:])


def test_a_body_is_where_its_picture_says():
    found, body = make_landmarks()
    np.testing.assert_allclose(locate_bodies(found, 1.1), np.tile(body, (4, 1)), atol=1e-9)


def test_a_body_of_which_too_little_is_seen_is_nowhere():
    found, _ = make_landmarks()
    visibility = np.zeros_like(found.visibility)
    visibility[:, :3] = 1
    assert np.isnan(locate_bodies(Landmarks(found.times, found.places, found.image, visibility))).all()
