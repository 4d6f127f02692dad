"""Cleaning in other processes gives the same clips as in this one, and nothing is lost when such a process fails."""

import sys
from dataclasses import fields

import numpy as np
import pytest

from kinematch import tasks as task_module
from kinematch.database import build as building
from kinematch.database import clean_files
from kinematch.database.cleaned import open_cleaned, write_cleaned
from kinematch.database.feature_database import build_features
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.prepare import prepare
from kinematch.database.recipe import parse_recipe
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.sources import list_files
from kinematch.errors import FileError
from kinematch.files import write_clip
from kinematch.synth import motions, perform
from kinematch.tasks import KeptTask, Store, run_tasks

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


def test_another_process_cleans_a_file_as_this_one_does(recipe, tmp_path):
    parsed = parse_recipe(RECIPE, recipe)
    files = list_files(parsed, recipe.parent, recipe, RECIPE)
    store, heard = Store(tmp_path, ".cleaned"), []
    given = {"text": RECIPE, "recipe": str(recipe), "files": ""}
    tasks = [
        KeptTask(f"key{n}", "kinematch.database.clean_files:clean_one", {**given, "number": n, "label": file.label})
        for n, file in enumerate(files)
    ]
    run_tasks(tasks, store, lambda task, error: heard.append((task, error)), processes=2)
    assert sorted(heard) == [(0, None), (1, None), (2, None)]
    for number, file in enumerate(files):
        found = open_cleaned(store.place(f"key{number}"))
        expected = prepare(file, parsed.cleaning, folder=recipe.parent)
        assert found is not None
        assert len(found) == len(expected) == 2
        for one, other in zip(found, expected):
            assert_same(one.read(), other)


def test_what_is_kept_of_clips_is_all_that_is_known_of_them(recipe, tmp_path):
    """Each field of a cleaned clip comes back, whatever it is about."""
    text = RECIPE.replace("[cleaning]", LOOPS + "[cleaning]")
    parsed = parse_recipe(text, recipe)
    expected = prepare(list_files(parsed, recipe.parent, recipe, text)[0], parsed.cleaning, folder=recipe.parent)
    assert [one.loop for one in expected] == [True] * 4
    write_cleaned(tmp_path / "key", expected)
    found = open_cleaned(tmp_path / "key")
    assert found is not None
    for one, other in zip(found, expected, strict=True):
        assert_same(one.read(), other)
        for name in ("frame_count", "frame_rate", "actions", "begins", "mirrored", "loop", "stretch", "fault"):
            assert getattr(one, name) == getattr(other, name)


def test_a_build_a_clip_at_a_time_gives_the_bits_of_one_in_memory(recipe):
    text = RECIPE.replace("[cleaning]", LOOPS.replace("loop = true\n[[", "[[", 1) + "[cleaning]")
    path = recipe.with_name("streamed.toml")
    path.write_text(text)
    parsed = parse_recipe(text, path)
    files = list_files(parsed, path.parent, path, text)
    cleaned = [one for file in files for one in prepare(file, parsed.cleaning, folder=path.parent)]
    entries = [ClipEntry(one.clip, one.contacts, loop=one.loop) for one in cleaned]
    poses = build_poses(entries, cleaned[0].contact_joints)
    features = build_features(poses, FeatureSchema(default_features()), warn=lambda _: None)
    found = building.build(path).database
    for name in ("positions", "rotations", "velocities", "angular_velocities", "contacts", "loop_positions",
                 "loop_rotations", "clip_stops"):  # fmt: skip
        assert_same(getattr(found.poses, name), getattr(poses, name))
    assert_same(found.features.values, features.values)
    assert_same(found.features.scale, features.scale)


@pytest.mark.parametrize("executable", [sys.executable, "/bin/false", "/bin/echo", "/no/such/program"])
def test_a_build_is_the_same_whatever_becomes_of_its_processes(recipe, monkeypatch, executable, tmp_path):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "first"))
    alone = building.build(recipe).database
    (recipe.parent / recipe.with_suffix(".kinematch").name).unlink()
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "second"))
    monkeypatch.setattr(clean_files, "MIN_SHARED_BYTES", 0)
    monkeypatch.setattr(task_module.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(sys, "executable", executable)
    result = building.build(recipe)
    assert result.reused == "nothing"
    assert_same(result.database.poses, alone.poses)
    assert_same(result.database.features, alone.features)


def test_an_error_of_a_file_names_it_though_another_process_found_it(recipe, monkeypatch):
    monkeypatch.setattr(clean_files, "MIN_SHARED_BYTES", 0)
    broken = recipe.parent / "broken"
    broken.mkdir()
    (broken / "x.bvh").write_text("HIERARCHY\nROOT hips\n{\n")
    (broken / "recipe.toml").write_text(RECIPE.replace("*", "x"))
    with pytest.raises(FileError, match=r"x\.bvh"):
        building.build(broken / "recipe.toml")
