"""Databases that tests of the search share; each is built once in a run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinematch.database.build import build


@pytest.fixture(scope="session")
def built_in(tmp_path_factory) -> Path:
    """The database of the built-in motion."""
    folder = tmp_path_factory.mktemp("built-in")
    recipe = folder / "recipe.toml"
    recipe.write_text('output = "card.kinematch"\n[[source]]\nbuiltin = "locomotion"\n[cleaning]\nframe_rate = 60\n')
    build(recipe)
    return folder / "card.kinematch"


S = (
    *("walk1_subject1_walk", "run2_subject4_run2", "fightAndSports1_subject1_sidesteps"),
    *("fightAndSports1_subject1_backward", "pushAndFall1_subject4_stand", "obstacles3_subject4_slalom"),
)
M = (
    *(*S, "walk3_subject4_walk", "run2_subject4_run", "obstacles4_subject2_turning", "jumps1_subject1_walkNturn"),
    *("walk2_subject4_walk", "obstacles6_subject1_walk", "pushAndStumble1_subject2_sidesteps", "walk3_subject1_walk"),
)


@pytest.fixture(params=["built-in", "S", "M", "XL"])
def real_database(request, built_in, tmp_path) -> Iterator[Path]:
    """The built-in database and sets of real mocap that measurements name, each built for one test; XL has all of L."""
    if request.param == "built-in":
        yield built_in
        return
    clips = request.getfixturevalue("data") / "lafan1-clips"
    every = sorted(path.stem for path in clips.glob("*.bvh") if not path.stem.endswith("_mirror"))
    names = {"S": S, "M": M}.get(request.param, every)
    files = ", ".join(f'"{(clips / name).as_posix()}.bvh"' for name in names)
    mirror = "true" if request.param == "XL" else "false"
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'output = "set.kinematch"\n[[source]]\nfiles = [{files}]\n[cleaning]\nmirror = {mirror}\n')
    build(recipe)
    yield tmp_path / "set.kinematch"
    shutil.rmtree(tmp_path)  # hundreds of megabytes
