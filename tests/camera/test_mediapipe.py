"""MediaPipe on the real video: the one who walks is followed, and the hips face where she walks."""

import numpy as np
import pytest
from PIL import Image

from kinematch.avatar.trackers import WAIST
from kinematch.camera.alone import find_joints
from kinematch.camera.landmarks import NAMES
from kinematch.camera.mediapipe import PoseEstimator, estimate_landmarks
from kinematch.errors import FileError
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws


@pytest.fixture(scope="module")
def model(data, need_extra):
    need_extra("mediapipe", "camera")
    return data / "blazepose" / "pose_lite.task"


def test_the_hips_of_somebody_who_walks_face_where_she_walks(data, model):
    video = data / "video" / "sports2d-demo.mp4"
    landmarks, crowded = estimate_landmarks(video, model=model, start=2.6, seconds=1.0, near=(0.7, 0.75))
    assert landmarks.seen.mean() > 0.8
    assert crowded > 0
    joints = find_joints(landmarks)
    assert joints.positions[-1, WAIST, 0] < joints.positions[0, WAIST, 0] - 0.8
    # she walks across the picture to its left; how far away she is, is too noisy to tell more of her way
    gaps = wrap_angle(facing_yaws(joints.rotations[:, WAIST]) + np.pi / 2)
    assert np.degrees(np.abs(gaps)).mean() < 30


def test_a_folder_without_anybody_in_its_pictures_says_so(model, tmp_path):
    for number in range(2):
        Image.new("RGB", (160, 120), (90, 120, 90)).save(tmp_path / f"{number}.png")
    with pytest.raises(FileError, match="no person is visible in 2 pictures"):
        estimate_landmarks(tmp_path, model=model)


def test_what_holds_no_pictures_is_named(model, tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"no video")
    cases = ((tmp_path, "holds no pictures"), (tmp_path / "a.mp4", "is not a video"), ("b.mp4", "no such"))
    for source, message in cases:
        with pytest.raises(FileError, match=message):
            estimate_landmarks(source, model=model)


def test_a_second_person_is_not_taken_for_the_first():
    estimator = PoseEstimator.__new__(PoseEstimator)
    estimator._place, estimator._first, estimator._since = None, True, 0.0

    def body(x, size):
        return np.full((len(NAMES), 2), x) + np.linspace(0, size, len(NAMES))[:, None] * [0, 1]

    assert estimator._choose([body(0.2, 0.4), body(0.8, 0.6)], 0.0) == 1
    assert estimator._choose([body(0.79, 0.6), body(0.2, 0.9)], 0.1) == 0
    assert estimator._choose([body(0.2, 0.9)], 0.2) is None
    assert estimator._choose([body(0.2, 0.9)], 3.0) == 0
