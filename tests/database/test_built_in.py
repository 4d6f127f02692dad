"""The built-in motion is built once, whichever verb opens it first."""

from kinematch.cli.opening import open_database
from kinematch.database import built_in
from kinematch.database.recipe import parse_recipe
from kinematch.studio.session import opening
from kinematch.synth import motions

SMALL = '[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\n'


def test_every_verb_opens_the_same_file(tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    monkeypatch.setattr(built_in, "RECIPE", SMALL)
    told = []
    open_database(None, None, lambda done, total, now: told.append(now))
    assert "writing" in told
    told.clear()
    assert opening.built_in(lambda stage, done, total: told.append(stage)).database.poses.clip_names == ("idle",)
    assert "write" not in told
    assert len(list(tmp_path.rglob("*.kinematch"))) == 1


def test_the_built_in_motion_is_upright_unless_a_command_says_otherwise():
    recipe = parse_recipe(built_in.RECIPE)
    assert recipe.matching.filter == "level0"
    assert any("level0" in motion.tags for motion in motions())
    assert not all("level0" in motion.tags for motion in motions())
