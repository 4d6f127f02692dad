"""`kinematch build` and `kinematch inspect` from the command line."""

import json
import sys

import pytest
from PIL import Image

from kinematch.cli.build import STAGES
from kinematch.cli.main import main
from kinematch.database import features

RECIPE = '[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\ntags = ["calm"]\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("databases")
    (folder / "a.toml").write_text(RECIPE)
    assert main(["build", str(folder / "a.toml")]) == 0
    return folder


def test_build_ends_with_a_summary_and_says_what_it_reused(folder, capsys):
    assert main(["build", str(folder / "a.toml")]) == 0
    out = capsys.readouterr().out
    assert "nothing has changed" in out
    assert "27 feature columns" in out
    assert "calm" in out


def test_inspect_shows_what_is_in_it_and_what_is_missing(folder, capsys):
    assert main(["inspect", str(folder / "a.kinematch")]) == 0
    out = capsys.readouterr().out
    assert "hips_velocity" in out
    assert "worth recording next" in out
    assert "walking forward (0.8 to 1.8 m/s)" in out


def test_inspect_as_json_and_as_a_picture(folder, capsys):
    picture = folder / "map.png"
    assert main(["inspect", str(folder / "a.kinematch"), "--json", "--picture", str(picture)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["clips"][0]["name"] == "idle"
    assert [feature["name"] for feature in report["features"]][-1] == "trajectory_direction"
    assert report["gaps"]
    assert Image.open(picture).size == (1380, 520)


def test_mistakes_are_one_line_without_a_traceback(folder, capsys):
    (folder / "bad.toml").write_text("[[source]]\nfiels = []\n")
    assert main(["build", str(folder / "bad.toml")]) == 2
    assert "unknown key 'fiels'; did you mean 'files'?" in capsys.readouterr().err
    assert main(["inspect", str(folder / "a.toml")]) == 2
    assert "is no database" in capsys.readouterr().err
    assert main(["inspect", str(folder / "a.kinematch"), "--picture", str(folder / "map.jpg")]) == 2


def test_features_of_ones_own_come_from_a_file_named_on_the_command_line(folder, capsys):
    (folder / "own.py").write_text(
        "import numpy as np\n"
        "from kinematch.database.features import register_feature\n"
        "speed = lambda pose: np.linalg.norm(pose.velocities[:, 0], axis=-1, keepdims=True)\n"
        "register_feature('speed', build=lambda f, p: speed(p), query=lambda f, q: speed(q.pose), width=1)\n"
    )
    (folder / "own.toml").write_text(RECIPE + '[[feature]]\nkind = "speed"\n')
    assert main(["build", str(folder / "own.toml")]) == 2
    told = capsys.readouterr().err
    assert "no feature kind 'speed'" in told
    assert "--features" in told
    assert main(["build", str(folder / "own.toml"), "--features", str(folder / "nowhere.py")]) == 2
    assert "nowhere.py: no such file" in capsys.readouterr().err
    try:
        assert main(["build", str(folder / "own.toml"), "--features", str(folder / "own.py")]) == 0
    finally:
        features.KINDS.pop("speed", None)
    assert "1 feature columns" in capsys.readouterr().out
    assert main(["inspect", str(folder / "own.kinematch")]) == 0


OWN = "from kinematch.database.features import register_feature\nregister_feature('own', query=None, {})\n"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def x(:\n", "own.py: SyntaxError: invalid syntax (own.py, line 1)"),
        ("\n\nraise ValueError('boom')", "own.py: ValueError: boom (own.py, line 3)"),
        ("import sys; sys.exit(3)", "own.py: SystemExit: 3 (own.py, line 1)"),
        ("import no_such_module", "own.py: ModuleNotFoundError: No module named 'no_such_module' (own.py, line 1)"),
        (OWN.format("build=lambda f, p: 1 / 0, width=1"), "feature 'own': ZeroDivisionError: division by zero (own.py"),
        (OWN.format("build=lambda f, p: [['x']], width=1"), "feature 'own': ValueError: could not convert"),
        (OWN.format("build=lambda f, p: [[]], width=0"), "feature 'own': width 0, expected a whole number from 1 on"),
    ],
)
def test_what_fails_in_a_users_own_code_is_one_line_with_its_place(folder, capsys, code, says):
    (folder / "own.py").write_text(code)
    (folder / "failing.toml").write_text(RECIPE + '[[feature]]\nkind = "own"\n')
    try:
        assert main(["build", str(folder / "failing.toml"), "--features", str(folder / "own.py")]) == 2
    finally:
        features.KINDS.pop("own", None)
    stages, _, error = capsys.readouterr().err.partition("kinematch build: ")
    assert says in error
    assert error.count("\n") == 1
    assert set(stages.splitlines()) <= set(STAGES.values())


def test_a_file_of_features_may_be_called_like_any_module(folder, capsys):
    numpy = sys.modules["numpy"]
    (folder / "numpy.py").write_text("")
    assert main(["build", str(folder / "a.toml"), "--features", str(folder / "numpy.py")]) == 0
    assert sys.modules["numpy"] is numpy


def test_the_default_filter_is_told_by_build_and_inspect(folder, capsys):
    (folder / "calm.toml").write_text(RECIPE + '[matching]\nfilter = "calm"\n')
    assert main(["build", str(folder / "calm.toml")]) == 0
    assert "default filter: calm" in capsys.readouterr().out
    assert main(["inspect", str(folder / "calm.kinematch")]) == 0
    assert "default filter: calm" in capsys.readouterr().out
    assert main(["inspect", str(folder / "calm.kinematch"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["filter"] == "calm"
