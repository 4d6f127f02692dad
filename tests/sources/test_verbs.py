"""Verbs that play a file take a database, a packed one or a model, and say what they expected of all else."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.recordings import write_trackers
from kinematch.camera.landmarks_file import write_landmarks
from kinematch.cli.main import main
from kinematch.evaluate.camera.evaluation import watch_cast
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.files import read_clip
from kinematch.files.bvh_write import write_bvh
from kinematch.motion.kinematics import global_pose
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with the trackers and landmarks of one user, and the user as a motion file."""
    folder = tmp_path_factory.mktemp("recorded")
    cast = make_cast(make_clips(2, seconds=3.0, seed=2, room=1.5)[1:])
    write_landmarks(folder / "seen.jsonl", watch_cast(cast, "front")[0])
    write_trackers(folder / "worn.jsonl", cast.users[0].devices)
    write_bvh(folder / "walk.bvh", walk_along([(0, 0), (0, 2)]))
    (folder / "recipe.toml").write_text("")
    return folder


@pytest.fixture(scope="module", params=["database", "packed", "model"])
def path(request, motions, tmp_path_factory):
    ending = ".kinematch-model" if request.param == "model" else ".kinematch"
    path = tmp_path_factory.mktemp("motions") / f"{request.param}{ending}"
    km.save(path, motions[request.param])
    return str(path)


def check_body(path):
    """Somebody who stands or walks on the floor."""
    clip = read_clip(path)
    places = global_pose(clip)[0]
    assert clip.duration > 2
    assert np.isfinite(places).all()
    heights = places[:, clip.skeleton.roles["head"], 1]
    assert 1.2 < heights.min() < heights.max() < 1.9
    assert places[..., 1].min() > -0.1


def test_avatar(path, recorded, tmp_path):
    output = tmp_path / "body.bvh"
    assert main(["avatar", str(recorded / "worn.jsonl"), "--database", path, "-o", str(output)]) == 0
    check_body(output)


@pytest.mark.parametrize("tracked", [True, False], ids=["trackers", "alone"])
def test_camera(path, recorded, tmp_path, tracked):
    output = tmp_path / "body.bvh"
    trackers = ["--trackers", str(recorded / "worn.jsonl")] if tracked else []
    assert main(["camera", str(recorded / "seen.jsonl"), *trackers, "--database", path, "-o", str(output)]) == 0
    check_body(output)


def test_stream(path, tmp_path):
    script = tmp_path / "course.jsonl"
    script.write_text('{"kinematch": "script", "version": 1}\n{"seconds": 0.2, "speed": 1.2}\n')
    asked = ["stream", path, "--controller", str(script), "--once", "--no-websocket", "--vmc", "127.0.0.1:39539"]
    # in a thread of its own, since the browser's driver leaves an event loop running in the one that tests
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(main, asked).result() == 0


@pytest.mark.parametrize("kind", ["avatar", "camera"])
def test_evaluate(path, recorded, kind, tmp_path):
    figures, report = tmp_path / "figures.json", tmp_path / "report.html"
    asked = ["evaluate", kind, path, "--quick", "--seconds", "2", "--users", str(recorded / "walk.bvh")]
    assert main([*asked, "--json", str(figures), "--report", str(report)]) == 0
    assert json.loads(figures.read_text())
    assert "<html" in report.read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("walk.bvh", "is a motion file, expected a database or a learned model"),
        ("recipe.toml", "is a recipe, expected a database or a learned model; `kinematch build`"),
        ("", "is a folder, expected a database or a learned model"),
        ("none.kinematch-model", "no such file"),
        ("worn.jsonl", "is no database"),
    ],
)
def test_what_is_no_motion_is_refused_by_every_verb(recorded, name, message, tmp_path, capsys):
    given, output = str(recorded / name), str(tmp_path / "body.bvh")
    for asked in (
        ["avatar", str(recorded / "worn.jsonl"), "--database", given, "-o", output],
        ["camera", str(recorded / "seen.jsonl"), "--database", given, "-o", output],
        ["stream", given],
        ["evaluate", "avatar", given, "--quick"],
        ["evaluate", "camera", given, "--quick"],
    ):
        assert main(asked) == 2
        assert message in capsys.readouterr().err


def test_tuning_needs_the_frames_of_a_database(motions, tmp_path, capsys):
    km.save(tmp_path / "small.kinematch-model", motions["model"])
    assert main(["tune", str(tmp_path / "small.kinematch-model"), "-o", str(tmp_path / "a.toml")]) == 2
    assert "is a learned model, which has no frames; expected a database" in capsys.readouterr().err
