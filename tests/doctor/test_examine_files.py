"""Many files are examined as each alone, and reports that are kept say the same."""

from dataclasses import fields

import numpy as np
import pytest

from kinematch import tasks
from kinematch.doctor import examine, examine_files
from kinematch.files import write_clip
from kinematch.synth import motions, perform


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    for number, name in enumerate("ab"):
        write_clip(tmp_path / f"{name}.bvh", perform(motions()[number], seed=[0, number]).clip.frames(0, 120))
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    return tmp_path


def assert_same(one, other):
    assert type(one) is type(other)
    if hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert_same(a, b)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_files_examined_by_several_processes_and_kept_have_the_reports_of_each_alone(folder, monkeypatch):
    paths = [folder / "a.bvh", folder / "broken.bvh", folder / "b.bvh", folder / "no.bvh"]
    expected = [examine(path) for path in paths]
    monkeypatch.setattr(examine_files, "MIN_SHARED_BYTES", 0)
    monkeypatch.setattr(tasks.os, "cpu_count", lambda: 3)
    for one, other in zip(examine_files.examine_files(paths), expected, strict=True):
        assert_same(one, other)

    def fail(*given, **more):
        raise AssertionError("a file was examined again")

    monkeypatch.setattr(examine_files, "examine", fail)
    seen = []
    kept = examine_files.examine_files(paths[:3], progress=lambda *step: seen.append(step))
    for one, other in zip(kept, expected):
        assert_same(one, other)
    assert seen == [(3, 3)]


def test_a_kept_report_is_of_what_the_file_holds(folder, monkeypatch):
    path = folder / "a.bvh"
    (before,) = examine_files.examine_files([path])
    path.write_bytes((folder / "b.bvh").read_bytes())
    (after,) = examine_files.examine_files([path])
    assert_same(after, examine(path))
    assert before.outlines != after.outlines


def test_reports_of_recorded_files_are_kept_as_they_are(data, tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    paths = [
        data / "cmu-actions" / "01_03.bvh",
        data / "game-characters" / "KayKit-Knight.glb",
        data / "animals" / "Fox.glb",
    ]
    first = examine_files.examine_files(paths)
    for one, other in zip(examine_files.examine_files(paths), first, strict=True):
        assert_same(one, other)
