"""The verbs as a user types them: examine, prescribe, build, look, convert."""

import json
from pathlib import Path

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.database.recipe import read_recipe
from kinematch.files import read_clip, write_clip
from kinematch.motion.kinematics import global_pose
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two walks of one rig, a child's walk, a T-pose and a broken file."""
    folder = tmp_path_factory.mktemp("takes")
    walk = walk_along([(0, 0), (0, 4)])
    write_clip(folder / "straight.bvh", walk)
    write_clip(folder / "corner.bvh", walk_along([(0, 0), (0, 3), (3, 3)]))
    smaller = walk.skeleton.offsets * 0.8
    from dataclasses import replace

    child = replace(walk.skeleton, offsets=smaller, end_offsets=walk.skeleton.end_offsets * 0.8)
    small = walk.with_(skeleton=child, positions=walk.positions * 0.8)
    write_clip(folder / "child.bvh", small.frames(10, small.frame_count))  # the same motion would be taken once
    tpose = walk.with_(positions=walk.skeleton.offsets[None], rotations=walk.skeleton.tpose[None])
    write_clip(folder / "tpose.bvh", tpose)
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n")
    return folder


def test_doctor_lists_every_file_and_fails_for_the_broken_one(folder, capsys):
    assert main(["doctor", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert all(path.name in printed for path in folder.glob("*.bvh"))
    assert main(["doctor", str(folder / "straight.bvh")]) == 0


@pytest.mark.parametrize("width", [60, 80, 120])
def test_doctor_shows_names_and_verdicts_on_any_screen(folder, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    main(["doctor", str(folder)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[-1] == "verdict"
    assert any(line.split()[:1] == ["straight.bvh"] and line.rstrip().endswith("good") for line in lines)
    assert any(line.split()[:1] == ["broken.bvh"] and line.rstrip().endswith("cannot be built") for line in lines)


def test_files_with_the_same_illness_are_told_together(folder, tmp_path, capsys):
    for name in "abcde":
        write_clip(tmp_path / f"{name}.bvh", read_clip(folder / "straight.bvh").frames(0, 12))  # too short
    main(["doctor", *(str(tmp_path / f"{name}.bvh") for name in "abcde")])
    told = capsys.readouterr().out
    assert told.count("error: ") == 1
    assert "c.bvh and 2 more" in told


def test_doctor_speaks_json(folder, capsys):
    assert main(["doctor", "--json", str(folder / "straight.bvh")]) == 0
    report = json.loads(capsys.readouterr().out)[0]
    assert report["buildable"]
    assert report["frame_rate"] == pytest.approx(60)


def test_init_then_build_then_inspect(folder, capsys, tmp_path):
    recipe = folder / "recipe.toml"
    assert main(["init", str(folder)]) == 0
    text = recipe.read_text()
    assert "left out: broken.bvh" in text
    sources = read_recipe(recipe).source
    assert {name for source in sources for name in source.files} == {"straight.bvh", "corner.bvh", "child.bvh"}
    assert {source.tpose for source in sources} == {"tpose.bvh"}
    assert [source.retarget for source in sources] == [False, True]
    assert main(["build", str(recipe)]) == 0
    database = recipe.parent / read_recipe(recipe).output
    capsys.readouterr()
    assert main(["inspect", str(database), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["frames"] > 1000
    recipe.unlink()


def test_init_does_not_overwrite_a_recipe(folder, capsys):
    (folder / "recipe.toml").write_text("precious")
    assert main(["init", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert (folder / "recipe.toml").read_text() == "precious"
    (folder / "recipe.toml").unlink()


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_convert_keeps_the_motion(folder, tmp_path, suffix):
    target = tmp_path / f"out{suffix}"
    assert main(["convert", str(folder / "corner.bvh"), str(target)]) == 0
    before, after = read_clip(folder / "corner.bvh"), read_clip(target)
    assert after.skeleton.names == before.skeleton.names
    assert np.abs(global_pose(after)[0] - global_pose(before)[0]).max() < 1e-4


def test_convert_mirrors_resamples_and_adds_a_root(folder, tmp_path):
    target = tmp_path / "out.bvh"
    arguments = ["convert", str(folder / "corner.bvh"), str(target), "--mirror", "--root", "--frame-rate", "30"]
    assert main(arguments) == 0
    clip = read_clip(target)
    assert clip.frame_rate == pytest.approx(30)
    assert clip.skeleton.names[0] == "Root"
    assert clip.positions[-1, 0, 0] == pytest.approx(-3, abs=0.1)


def test_convert_retargets_to_another_rig(folder, tmp_path):
    target = tmp_path / "small.bvh"
    assert main(["convert", str(folder / "straight.bvh"), str(target), "--skeleton", str(folder / "child.bvh")]) == 0
    assert read_clip(target).skeleton.difference(read_clip(folder / "child.bvh").skeleton) is None


@pytest.mark.parametrize("name", ["walk.gif", "walk.png"])
def test_convert_draws_a_motion(folder, tmp_path, name):
    from PIL import Image

    assert main(["convert", str(folder / "straight.bvh"), str(tmp_path / name), "--start", "1", "--stop", "2"]) == 0
    with Image.open(tmp_path / name) as picture:
        assert getattr(picture, "n_frames", 1) == (25 if name.endswith("gif") else 1)


def test_convert_refuses_what_it_cannot_write(folder, tmp_path, capsys):
    assert main(["convert", str(folder / "straight.bvh"), str(tmp_path / "out.fbx")]) == 2
    assert ".bvh .glb" in capsys.readouterr().err


def test_convert_does_not_replace_what_it_reads(folder, tmp_path, capsys):
    path = tmp_path / "own.bvh"
    path.write_bytes((folder / "straight.bvh").read_bytes())
    assert main(["convert", str(path), str(path), "--mirror"]) == 2
    assert "is read, and would be replaced" in capsys.readouterr().err
    assert path.read_bytes() == (folder / "straight.bvh").read_bytes()


@pytest.mark.slow
def test_demo_writes_database_and_pictures(tmp_path, capsys):
    assert main(["demo", "-o", str(tmp_path / "demo")]) == 0
    written = {path.name for path in (tmp_path / "demo").iterdir()}
    assert written == {"recipe.toml", "built-in.kinematch", "motion.gif", "coverage.png"}


@pytest.mark.slow
def test_every_real_file_converts_and_comes_back(data, tmp_path, capsys):
    """One file of each folder, there and back through both of our formats."""
    for path in [next(iter(sorted(f.glob("*.bvh")))) for f in sorted(data.iterdir()) if list(f.glob("*.bvh"))]:
        original = read_clip(path)
        for suffix in (".bvh", ".glb"):
            target = tmp_path / f"out{suffix}"
            assert main(["convert", str(path), str(target)]) == 0, path
            back = read_clip(target, unit="cm" if suffix == ".bvh" else None)
            apart = np.abs(global_pose(back)[0] - global_pose(original)[0]).max()
            assert apart < 1e-4, f"{path} {suffix}: {apart}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--frame-rate", "nan"], "frame rate nan, expected 5 to 1000 frames per second"),
        (["--frame-rate", "0.001"], "frame rate 0.001, expected 5 to 1000 frames per second"),
        (["--frame-rate", "1e5"], "frame rate 100000.0, expected 5 to 1000 frames per second"),
        (["--seed", "-1"], "seed -1, expected zero or more"),
        (["--tag", "wakl"], "did you mean 'walk'?"),
        (["--format", "fbx"], "no format 'fbx'; choose from: bvh, glb"),
    ],
)
def test_synth_refuses_what_it_cannot_perform(tmp_path, capsys, arguments, says):
    assert main(["synth", "-o", str(tmp_path / "out"), *arguments]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--unit", "parsec"), ("--unit", "nan"), ("--up", "W")])
def test_doctor_blames_the_command_for_what_is_wrong_with_it(folder, capsys, option, value):
    assert main(["doctor", str(folder), option, value]) == 2
    printed = capsys.readouterr()
    assert value in printed.err
    assert not printed.out
