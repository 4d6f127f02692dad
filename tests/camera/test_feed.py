"""A feed replays recorded landmarks in real time, again and again, and says why a camera gives nothing."""

from time import monotonic, sleep

import numpy as np
import pytest

from kinematch.camera.feed import CameraFeed
from kinematch.camera.landmarks import NAMES, Landmarks
from kinematch.camera.landmarks_file import is_landmarks, write_landmarks
from kinematch.errors import KinematchError

PATIENCE = 60.0  # s; only a failure waits for it


def wait_for(found):
    end = monotonic() + PATIENCE
    while not (value := found()):
        assert monotonic() < end
        sleep(0.02)
    return value


@pytest.fixture
def recording(tmp_path):
    count, rng = 4, np.random.default_rng(0)
    shape = (count, len(NAMES))
    landmarks = Landmarks(
        5 + np.arange(count) / 20, rng.normal(size=(*shape, 3)), rng.random((*shape, 2)), np.ones(shape)
    )
    write_landmarks(tmp_path / "seen.jsonl", landmarks)
    return tmp_path / "seen.jsonl", landmarks


def test_recorded_landmarks_come_in_their_own_time_and_begin_again(recording):
    path, landmarks = recording
    feed, seen, began = CameraFeed(path), [], monotonic()
    feed.start()
    wait_for(lambda: seen.extend(feed.take()) or len(seen) > 5)
    feed.stop()
    times = [float(one.landmarks.times[0]) for one in seen]
    assert (np.diff(times) > 0).all()
    assert times[0] >= began
    np.testing.assert_allclose(np.diff(times[:4]), 0.05, atol=1e-6)
    np.testing.assert_allclose(seen[4].landmarks.places[0], landmarks.places[0], atol=1e-4)
    assert not feed.trouble


def test_a_camera_that_is_not_there_is_named_and_a_file_or_model_that_is_wrong_is_refused(data, tmp_path, need_extra):
    need_extra("mediapipe", "camera")
    feed = CameraFeed("63", model=data / "blazepose" / "pose_lite.task")
    feed.start()
    assert "no camera 63" in wait_for(lambda: feed.trouble)
    feed.stop()
    (tmp_path / "model.task").write_bytes(b"PK rubbish")
    with pytest.raises(KinematchError, match="is not a pose model"):
        CameraFeed("0", model=tmp_path / "model.task")
    with pytest.raises(KinematchError, match="no such video"):
        CameraFeed(tmp_path / "nothing.mp4", model=data / "blazepose" / "pose_lite.task")


@pytest.mark.parametrize("content", ['{"frames": []}', "\n [1, 2]", '\ufeff{"kinematch": "trackers", "version": 1}'])
def test_json_that_holds_no_landmarks_is_taken_for_landmarks_and_not_for_a_video(tmp_path, content):
    path = tmp_path / "something.txt"
    path.write_text(content, encoding="utf-8")
    assert is_landmarks(path)
    with pytest.raises(KinematchError, match=r"something\.txt"):
        CameraFeed(path)
    assert is_landmarks(tmp_path / "not_there.json")
    assert not is_landmarks(tmp_path)
