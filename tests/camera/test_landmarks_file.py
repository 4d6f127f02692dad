"""Recorded landmarks: what is written is read again, and broken files are refused with the line."""

import json

import numpy as np
import pytest

from kinematch.camera.landmarks import NAMES, Landmarks
from kinematch.camera.landmarks_file import read_landmarks, write_landmarks
from kinematch.errors import FileError


@pytest.fixture
def landmarks():
    rng = np.random.default_rng(0)
    count = len(NAMES)
    visibility = rng.uniform(0.1, 1, (3, count))
    visibility[1] = 0
    return Landmarks(
        np.array([0.0, 0.05, 0.11]), rng.normal(size=(3, count, 3)), rng.random((3, count, 2)), visibility, 1.5
    )


def test_what_is_written_is_read_again(landmarks, tmp_path):
    write_landmarks(tmp_path / "a.jsonl", landmarks)
    found = read_landmarks(tmp_path / "a.jsonl")
    np.testing.assert_array_equal(found.times, landmarks.times)
    np.testing.assert_array_equal(found.seen, [True, False, True])
    np.testing.assert_allclose(found.places[[0, 2]], landmarks.places[[0, 2]], atol=1e-5)
    np.testing.assert_allclose(found.visibility, landmarks.visibility, atol=1e-5)
    assert (found.aspect, found.names) == (1.5, NAMES)


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (0, {"kinematch": "trackers"}, "no landmarks"),
        (0, {"version": 7}, "version 7, expected 1"),
        (0, {"names": "nose"}, ":1: names are not a list"),
        (1, {"landmarks": [[1, 2]]}, ":2: landmarks, expected 33 lists of 6 numbers"),
        (3, {"time": 0.01}, ":4: time is 0.01, expected a number of seconds that grows"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(landmarks, tmp_path, line, change, message):
    path = tmp_path / "a.jsonl"
    write_landmarks(path, landmarks)
    lines = path.read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | change)
    path.write_text("\n".join(lines))
    with pytest.raises(FileError, match=message):
        read_landmarks(path)


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"[1]", b'{"kinematch": "landmarks"'])
def test_what_is_no_landmark_file_is_refused(tmp_path, content):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(FileError):
        read_landmarks(path)
