"""Whatever names files and joints have, what the doctor writes is TOML that means them."""

import glob
import os
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematch.cli.main import main
from kinematch.database.recipe import read_recipe
from kinematch.database.sources import list_files
from kinematch.doctor import examine
from kinematch.doctor.quoting import can_be_quoted, quoted, quoted_glob, quoted_list
from kinematch.files import write_clip
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along

UNICODE = st.text(st.characters(exclude_categories=["Cs"]))
NAMES = [
    "[1].bvh",
    "a*?.bvh",
    "quo\"te'.bvh",
    "new\nline.bvh",
    "\U0001f600.bvh",
    "back\\slash.bvh",
    "\x7f\x85\u2028.bvh",
]


@given(UNICODE)
def test_every_text_comes_back_from_one_line_of_toml(text):
    line = f"x = {quoted(text)}"
    assert len(line.splitlines()) == 1
    assert tomllib.loads(line)["x"] == text
    assert tomllib.loads(f"x = {quoted_list([text, text])}")["x"] == [text, text]


@given(st.text())
def test_bytes_that_are_no_unicode_are_told_apart(text):
    assert can_be_quoted(text) == all(not 0xD800 <= ord(character) < 0xE000 for character in text)


def test_a_glob_means_its_own_file_alone(tmp_path):
    for name in (*NAMES, "1.bvh", "ab.bvh"):
        (tmp_path / name).touch()
    for name in NAMES:
        pattern = tomllib.loads(f"x = {quoted_glob(name)}")["x"]
        assert glob.glob(pattern, root_dir=tmp_path) == [name]


@pytest.fixture(scope="module")
def walk():
    return walk_along([(0, 0), (0, 2)])


def sources(recipe):
    return {file.path for file in list_files(read_recipe(recipe), recipe.parent, recipe, recipe.read_text())}


@pytest.mark.parametrize("broken", [False, True])
def test_init_writes_a_recipe_that_means_the_files_whatever_their_names(tmp_path, walk, broken):
    """Beside a broken file each is named; without one a glob names them all."""
    folder = tmp_path / 'odd [x] "\n#{y}'
    folder.mkdir()
    for number, name in enumerate(NAMES):
        write_clip(folder / name, walk.frames(number, walk.frame_count))  # equal ones would be taken once
    if broken:
        (folder / "bro\nken\x1b.bvh").write_text("x")
    assert main(["init", str(folder)]) == 0
    recipe = folder / "recipe.toml"
    assert sources(recipe) == {folder / name for name in NAMES}
    assert read_recipe(recipe).output == folder.name + ".kinematch"
    assert "\x1b" not in recipe.read_text()


@pytest.mark.parametrize("place", ["recipe.toml", "takes/recipe.toml", "takes/a/recipe.toml", "elsewhere/recipe.toml"])
def test_init_means_the_folder_it_was_given_wherever_the_recipe_is_written(tmp_path, walk, place):
    for number, folder in enumerate(("takes/a", "takes/b [1]", "other", "elsewhere")):
        (tmp_path / folder).mkdir(parents=True)
        write_clip(tmp_path / folder / "walk.bvh", walk.frames(2 * number, walk.frame_count))
        write_clip(tmp_path / folder / "again.bvh", walk.frames(2 * number + 1, walk.frame_count))
    recipe = tmp_path / place
    for folder in (tmp_path / "takes", tmp_path / "takes" / "b [1]"):
        assert main(["init", str(folder), "-o", str(recipe), "--force"]) == 0
        assert sources(recipe) == set(folder.rglob("*.bvh"))


def test_names_that_are_no_unicode_are_left_out_with_a_reason(tmp_path, walk):
    write_clip(tmp_path / "good.bvh", walk)
    write_clip(os.fsdecode(os.fsencode(tmp_path) + b"/latin\xe9.bvh"), walk)
    assert main(["init", str(tmp_path)]) == 0
    assert sources(tmp_path / "recipe.toml") == {tmp_path / "good.bvh"}
    assert (
        "# left out: latin\\udce9.bvh: its name is no Unicode text: rename it" in (tmp_path / "recipe.toml").read_text()
    )


def test_init_without_a_file_that_can_be_built_writes_nothing(tmp_path, capsys):
    (tmp_path / "broken.bvh").write_text("x")
    assert main(["init", str(tmp_path)]) == 2
    assert "none of its 1 motion file can be built" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["broken.bvh"]


def test_the_lines_that_mend_a_file_are_toml_whatever_its_joints_are_called(tmp_path):
    names = ['bo"dy', "l foot [x]", "r foot [x]", "t\u2028ail\x7f"]
    rig = skeleton(names, [-1, 0, 0, 0], np.array([[0, 0.5, 0], [0.1, -0.5, 0], [-0.1, -0.5, 0], [0, 0.1, -0.5]]))
    still = np.tile(np.array([1.0, 0, 0, 0]), (60, 4, 1))
    moving = np.tile(rig.offsets, (60, 1, 1)) + np.linspace(0, 1, 60)[:, None, None] * [0, 0, 1]
    write_clip(tmp_path / 'ani"mal.glb', Clip(rig, moving, still, 60.0))
    problems = examine(tmp_path / 'ani"mal.glb').problems
    assert any("root_joint" in problem.fix for problem in problems)
    for problem in problems:
        tomllib.loads(problem.fix)
    (tmp_path / 'bro"ken.bvh').write_text("x")
    assert tomllib.loads(examine(tmp_path / 'bro"ken.bvh').problems[0].fix) == {"exclude": ['bro"ken.bvh']}
