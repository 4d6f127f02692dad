"""Cleaning in other processes gives the same clips as in this one, and nothing is lost when such a process fails."""

import sys
from dataclasses import fields

import numpy as np
import pytest

from kinematch.database import build as building
from kinematch.database.cleaner import Cleaner
from kinematch.database.prepare import prepare
from kinematch.database.recipe import parse_recipe
from kinematch.database.sources import list_files
from kinematch.errors import FileError
from kinematch.files import write_clip
from kinematch.synth import motions, perform

RECIPE = '[[source]]\nfiles = ["*.bvh"]\ntags = ["walk"]\n[cleaning]\nmirror = true\n'
LOOPS = 'loop = true\n[[source.range]]\nfiles = "a.bvh"\nfrom = 0.0\nto = 1.2\ntags = ["idle"]\nloop = true\n'


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    """A recipe that mirrors three files."""
    folder = tmp_path_factory.mktemp("files")
    for number, name in enumerate("abc"):
        write_clip(folder / f"{name}.bvh", perform(motions()[number], seed=[0, number]).clip.frames(0, 90))
    (folder / "recipe.toml").write_text(RECIPE)
    return folder / "recipe.toml"


def assert_same(one, other):
    """Equal to the last bit, field by field."""
    assert type(one) is type(other)
    if hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_another_process_cleans_a_file_as_this_one_does(recipe):
    parsed = parse_recipe(RECIPE, recipe)
    cleaner = Cleaner(RECIPE, recipe)
    try:
        for number, file in enumerate(list_files(parsed, recipe.parent, recipe, RECIPE)):
            found = cleaner.prepare(number)
            expected = prepare(file, parsed.cleaning, folder=recipe.parent)
            assert found is not None
            assert len(found) == len(expected) == 2
            for one, other in zip(found, expected):
                assert_same(one, other)
    finally:
        cleaner.close()


def test_another_process_keeps_what_is_known_of_loops(recipe):
    """Each field of a cleaned clip comes back, whatever it is about."""
    text = RECIPE.replace("[cleaning]", LOOPS + "[cleaning]")
    parsed, cleaner = parse_recipe(text, recipe), Cleaner(text, recipe)
    try:
        file = list_files(parsed, recipe.parent, recipe, text)[0]
        found, expected = cleaner.prepare(0), prepare(file, parsed.cleaning, folder=recipe.parent)
        assert found is not None
        assert [one.loop for one in expected] == [True] * 4
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    finally:
        cleaner.close()


def test_a_process_that_has_ended_answers_nothing(recipe):
    cleaner = Cleaner(RECIPE, recipe)
    cleaner.close()
    assert cleaner.prepare(0) is None


@pytest.mark.parametrize("executable", [sys.executable, "/bin/false", "/bin/echo", "/no/such/program"])
def test_a_build_is_the_same_whatever_becomes_of_its_processes(recipe, monkeypatch, executable):
    alone = building.build(recipe).database
    (recipe.parent / recipe.with_suffix(".kinematch").name).unlink()
    monkeypatch.setattr(building, "WORTH_CLEANERS", 0)
    monkeypatch.setattr(building.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(sys, "executable", executable)
    result = building.build(recipe)
    assert result.reused == "nothing"
    assert_same(result.database.poses, alone.poses)
    assert_same(result.database.features, alone.features)


def test_an_error_of_a_file_names_it_though_another_process_found_it(recipe, monkeypatch):
    monkeypatch.setattr(building, "WORTH_CLEANERS", 0)
    broken = recipe.parent / "broken"
    broken.mkdir()
    (broken / "x.bvh").write_text("HIERARCHY\nROOT hips\n{\n")
    (broken / "recipe.toml").write_text(RECIPE)
    with pytest.raises(FileError, match=r"x\.bvh"):
        building.build(broken / "recipe.toml")
