"""The benchmark of builds builds from nothing, and leaves what was there as it was."""

import json

import pytest

from kinematch.cli.bench import build
from kinematch.cli.main import main
from kinematch.errors import KinematchError

RECIPE = 'output = "mine.kinematch"\n[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\n'


def test_stages_are_measured_and_nothing_is_left_behind(tmp_path):
    recipe = tmp_path / "small.toml"
    recipe.write_text(RECIPE)
    (tmp_path / "mine.kinematch").write_text("keep me")
    assert main(["bench", "build", str(recipe), "--rounds", "2", "--json", str(tmp_path / "times.json")]) == 0
    (found,) = json.loads((tmp_path / "times.json").read_text())["builds"]
    assert found["recipe"] == "small"
    assert found["frames"] > 0
    assert found["peak_bytes"] > 10_000_000
    assert set(found["stages"]) == {"look", "clips", "features"}
    assert sum(found["stages"].values()) <= found["seconds"] * 1.5
    assert (tmp_path / "mine.kinematch").read_text() == "keep me"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.kinematch", "small.toml", "times.json"]


def test_no_rounds_are_refused():
    with pytest.raises(KinematchError, match="0 rounds"):
        build([], rounds=0)
