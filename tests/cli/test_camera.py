"""`kinematch camera`: recorded landmarks become a body, with trackers and without."""

import numpy as np
import pytest

from kinematch.avatar.recordings import write_trackers
from kinematch.camera.landmarks_file import write_landmarks
from kinematch.cli.main import main
from kinematch.evaluate.camera.evaluation import watch_cast
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.files import read_clip


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with landmarks and trackers of one user."""
    folder = tmp_path_factory.mktemp("recorded")
    cast = make_cast(make_clips(2, seconds=4.0, seed=2, room=1.5)[1:])
    write_landmarks(folder / "seen.jsonl", watch_cast(cast, "front")[0])
    write_trackers(folder / "worn.jsonl", cast.users[0].devices)
    return folder


def test_landmarks_and_trackers_become_a_body(recorded, capsys):
    output = recorded / "both.bvh"
    asked = ["camera", str(recorded / "seen.jsonl"), "--trackers", str(recorded / "worn.jsonl"), "-o", str(output)]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "the camera is at" in shown
    assert "ms late" in shown
    assert read_clip(output).duration > 3.5


def test_the_camera_alone_drives_a_body(recorded, capsys):
    output = recorded / "alone.bvh"
    assert main(["camera", str(recorded / "seen.jsonl"), "-o", str(output)]) == 0
    clip = read_clip(output)
    hips = clip.skeleton.roles["hips"]
    assert clip.duration > 3
    assert np.ptp(clip.positions[:, hips, 1]) < 0.5


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "name a file with -o"),
        (["-o", "a.xyz"], "expected"),
        (["-o", "a.glb", "--pitch", "95"], "--pitch 95, expected -80 to 80"),
        (["-o", "a.glb", "--field-of-view", "3"], "expected 12 to 160"),
        (["-o", "a.glb", "--address", "http://x"], "means nothing without setup"),
        (["-o", "a.glb", "--device", "quest"], "means nothing without --trackers"),
    ],
)
def test_what_means_nothing_is_refused(recorded, more, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["camera", str(recorded / "seen.jsonl"), *more]) == 2
    assert message in capsys.readouterr().err
