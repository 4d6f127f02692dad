"""`kinematch avatar`: a recording becomes motion, a film or a stream; what cannot be is said in a line."""

import time

import numpy as np
import pytest

from kinematch.avatar.calibration import make_calibration
from kinematch.avatar.calibration_file import save_calibration
from kinematch.avatar.recordings import read_trackers, write_trackers
from kinematch.cli.main import main
from kinematch.files import read_clip
from kinematch.files.bvh_write import write_bvh
from kinematch.motion.kinematics import global_pose
from kinematch.stream.vmc_in import VmcReceiver
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def recording(data, tmp_path_factory):
    """Two seconds of a real recording in our own format."""
    trackers = read_trackers(data / "vr-tracking" / "aframe-tracked-recording.json")
    path = tmp_path_factory.mktemp("recordings") / "user.jsonl"
    write_trackers(path, trackers.take(slice(500, 680)))
    return path


@pytest.mark.parametrize("ending", [".glb", ".bvh"])
def test_a_recording_becomes_motion_under_the_recorded_head(recording, tmp_path, capsys, ending):
    output = tmp_path / f"body{ending}"
    assert main(["avatar", str(recording), "-o", str(output), "--device", "vive", "--frame-rate", "30"]) == 0
    said = capsys.readouterr().out
    assert "2.0 s of head, left hand, right hand; the user is 1.91 m tall (guessed)" in said
    assert f"{output}: 62 frames at 30 fps" in said
    clip = read_clip(output)
    heads = global_pose(clip)[0][:, clip.skeleton.roles["head"]]
    trackers = read_trackers(recording)
    joints = make_calibration("vive", height=1.91).locate_joints(trackers)
    assert np.linalg.norm(heads[-1] - joints.positions[-1, 0]) < 0.03
    assert np.linalg.norm(heads[0] - joints.positions[0, 0]) < 0.03


def test_a_recording_becomes_a_film_of_another_character(recording, data, tmp_path):
    output = tmp_path / "body.gif"
    character = str(data / "characters" / "CesiumMan.glb")
    arguments = ["--character", character, "--height", "1.6", "--frame-rate", "20", "--points", "head", "left_hand"]
    assert main(["avatar", str(recording), "-o", str(output), *arguments]) == 0
    assert output.read_bytes()[:4] == b"GIF8"


def test_a_motion_file_plays_a_user(tmp_path, capsys):
    write_bvh(tmp_path / "walk.bvh", walk_along([(0, 0), (0, 2)]))
    assert main(["avatar", str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "out.bvh"), "--points", "head"]) == 0
    assert "s of head; the user is" in capsys.readouterr().out


def test_the_body_is_sent_when_told(recording, capsys):
    receiver = VmcReceiver(0)
    assert main(["avatar", str(recording), "--vmc", f"127.0.0.1:{receiver.port}", "--frame-rate", "10"]) == 0
    assert "sent " in capsys.readouterr().out
    bones, until = (
        {"hips", "head", "left_foot"},
        time.monotonic() + 60,
    )  # an update ends after 5 ms: few datagrams on a busy machine
    while not bones <= set(receiver.find_bone_poses()) and time.monotonic() < until:
        receiver.update()
    assert bones <= set(receiver.find_bone_poses())
    receiver.close()


def test_the_calibration_of_a_user_is_taken(recording, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("KINEMATCH_SETTINGS", str(tmp_path))
    arguments = ["avatar", str(recording), "-o", str(tmp_path / "out.bvh"), "--user", "ada", "--frame-rate", "10"]
    assert main(arguments) == 2
    assert "no calibration of user 'ada' is stored" in capsys.readouterr().err
    save_calibration("ada", make_calibration("vive", height=1.83))
    assert main(arguments) == 0
    assert "1.83 m tall (stored)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{recording}"], "nothing to do: name a file with -o"),
        (["{recording}", "-o", "a.txt"], "ending '.txt', expected .bvh .glb"),
        (
            ["{recording}", "-o", "{folder}/a.glb", "--device", "oculus"],
            "no device 'oculus'; choose from: none, generic",
        ),
        (["{recording}", "-o", "{folder}/a.glb", "--points", "tail"], "no tracked point 'tail'"),
        (["{recording}", "-o", "{folder}/a.glb", "--points", "left_hand"], "no headset in it"),
        (["{recording}", "-o", "{folder}/a.glb", "--height", "17"], "height is 17.0, expected 0.8 to 2.5"),
        (["{recording}", "-o", "{folder}/a.glb", "--frame-rate", "0"], "0.0 samples per second"),
        (["{recording}", "--vmc", "host:x"], "'host:x' is not an address"),
        (["{folder}/none.json", "-o", "{folder}/a.glb"], "no such file"),
        (["{recording}", "-o", "{folder}/a.glb", "--character", "{recording}"], "user.jsonl"),
        (["{recording}", "-o", "{folder}/a.glb", "--database", "{recording}"], "user.jsonl"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(recording, tmp_path, capsys, arguments, message):
    assert main(["avatar", *(a.format(recording=recording, folder=tmp_path) for a in arguments)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())
