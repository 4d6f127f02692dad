"""The boundary around a project's files, however its folder is named; and recipes of pages that say odd things."""

from pathlib import Path

import pytest

from kinematch.files.safe_paths import OutsideError
from kinematch.studio.workshop.labelling import keep_filter
from kinematch.studio.workshop.project_files import Project, list_page_files


@pytest.fixture(params=["absolute", "relative", "here"])
def project(request, tmp_path, monkeypatch):
    (tmp_path / "takes").mkdir()
    (tmp_path / "outside").mkdir()
    for name in ("takes/own.bvh", "outside/secret.bvh"):
        (tmp_path / name).write_text("HIERARCHY")
    (tmp_path / "takes" / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)
    (tmp_path / "takes" / "link.bvh").symlink_to(tmp_path / "outside" / "secret.bvh")
    monkeypatch.chdir(tmp_path / "takes" if request.param == "here" else tmp_path)
    folder = {"absolute": tmp_path / "takes", "relative": Path("takes"), "here": Path(".")}[request.param]
    return Project(folder / "recipe.toml")


@pytest.mark.parametrize("pattern", ["../outside/*.bvh", "linked/*.bvh", "link.bvh", "*.bvh", "**/*.bvh", "l*/*.bvh"])
def test_files_outside_are_refused_however_the_folder_is_named(project, pattern):
    with pytest.raises(OutsideError):
        list_page_files(project, f'[[source]]\nfiles = ["{pattern}"]\n')


@pytest.mark.parametrize(
    "line", ['output = "../outside/x.kinematch"', 'output = "linked/x.kinematch"', 'skeleton = "../outside/secret.bvh"']
)
def test_names_outside_are_refused_however_the_folder_is_named(project, line):
    with pytest.raises(OutsideError):
        list_page_files(project, f'{line}\n[[source]]\nfiles = ["own.bvh"]\n')


def test_files_inside_are_found_however_the_folder_is_named(project):
    found = list_page_files(project, '[[source]]\nfiles = ["own.bvh"]\n')
    assert [one.path for one in found] == [(project.folder / "own.bvh").resolve()]


@pytest.mark.parametrize(
    "text",
    [
        *("source = 1", "source = [1]", "matching = 1", "[source]\na = 1", "[matching]\nfilter = 3"),
        *("[[source]]\nrange = 1", "[[source]]\nrange = [1]", "[[source]]\nrange = [{tags = 3}]"),
        "[[source]]\nrange = [{tags = [3, 'walk']}]",
    ],
)
def test_a_recipe_of_odd_types_is_left_as_it_is(text):
    assert keep_filter("", text) == keep_filter(text, text) == text
