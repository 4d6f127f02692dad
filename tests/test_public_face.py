"""`import kinematch as km`: quick, complete, documented, and the five lines of the first page do the job."""

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinematch as km

ROOT = Path(__file__).parents[1]
SOURCE = Path(km.__file__).read_text()
LINES = """\
import kinematch as km

database = km.load("built-in")  # or km.build("recipe.toml"), km.load("my.kinematch")
character = km.Crowd(database)
poses = [character.step(km.move([0, 0, 1.35]), 1 / 60) for _ in range(600)]
km.save("walk.glb", km.record(poses, database.skeleton, 60))
"""


def run(code: str, folder: Path = ROOT) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder).stdout


def test_importing_it_imports_nothing_heavy():
    heavy = ("numba", "numpy", "scipy", "pydantic", "PIL", "starlette")
    assert run(f"import sys, kinematch as km; print([one for one in {heavy} if one in sys.modules])") == "[]\n"


def test_every_name_is_there_and_what_it_says():
    for name in km.__all__:
        found = getattr(km, name)
        if name != "__version__":
            assert found.__name__ == name
    assert set(km.__all__) <= set(dir(km))
    assert len(km.__all__) <= 62  # a face, not a catalogue
    with pytest.raises(AttributeError, match="no attribute 'Crwd'"):
        _ = km.Crwd


@pytest.mark.parametrize("folder", km._FOLDERS)
def test_every_name_that_a_folder_offers_is_there(folder):
    module = importlib.import_module(f"kinematch.{folder}")
    calls = [node for node in ast.walk(ast.parse(Path(module.__file__).read_text())) if isinstance(node, ast.Call)]
    offers = [call.args[1] for call in calls if getattr(call.func, "id", "") == "offer_names"]
    for name in [ast.literal_eval(key) for offer in offers for key in offer.keys]:
        assert getattr(module, name) is not None


def test_names_do_not_hide_folders():
    folders = {path.stem for path in Path(km.__file__).parent.iterdir()}
    assert not folders & set(km.__all__)


def test_type_checkers_see_the_same_names():
    guarded = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    imported = {
        alias.asname: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("kinematch.")
        for alias in node.names
        if alias.asname == alias.name
    }
    assert imported == {name: f"kinematch.{home}" for name, home in km._HOMES.items()}
    folders = [node.names[0].name for node in guarded.body if getattr(node, "module", "") == "kinematch"]
    assert folders == list(km._FOLDERS)


def test_every_name_and_every_public_method_says_what_it_is_for():
    silent = []
    for name in set(km.__all__) - {"__version__"}:
        thing = getattr(km, name)
        if not (thing.__doc__ or "").strip() or thing.__doc__.startswith(f"{name}("):  # dataclasses make one up
            silent.append(name)
        if inspect.isclass(thing):
            for part, member in vars(thing).items():
                if part.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
                    continue
                if not inspect.getdoc(member) and part not in ("command", "apply"):  # those of Controller and Layer
                    silent.append(f"{name}.{part}")
    assert silent == []


def test_the_five_lines_work_word_for_word(tmp_path, monkeypatch):
    assert LINES in (ROOT / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(LINES, {})
    clip = km.read("walk.glb")
    assert clip.frame_count == 600
    hips = clip.positions[:, clip.skeleton.joint("hips")] + clip.positions[:, 0]
    assert hips[-1, 2] - hips[0, 2] > 10.0


def test_a_database_is_saved_and_loaded_and_a_clip_is_saved_and_read(tmp_path, built_of):
    database = built_of("idle").database
    km.save(tmp_path / "a.kinematch", database)
    again = km.load(tmp_path / "a.kinematch")
    assert again.skeleton.names == database.skeleton.names
    np.testing.assert_array_equal(again.poses.positions, database.poses.positions)
    clip = km.Clip(database.skeleton, database.poses.positions[:5], database.poses.rotations[:5], 60.0)
    for suffix in (".bvh", ".glb"):
        km.save(tmp_path / f"a{suffix}", clip)
        assert km.read(tmp_path / f"a{suffix}").frame_count == 5


def test_a_recipe_builds_a_database(tmp_path):
    (tmp_path / "small.toml").write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\n')
    database = km.build(tmp_path / "small.toml")
    assert isinstance(database, km.Database)
    assert (tmp_path / "small.kinematch").exists()


def test_what_cannot_be_saved_is_refused_in_words(tmp_path, built_of):
    database = built_of("idle").database
    with pytest.raises(km.KinematchError, match=r"a database cannot be written as '.glb', expected '.kinematch'"):
        km.save(tmp_path / "a.glb", database)
    clip = km.Clip(database.skeleton, database.poses.positions[:5], database.poses.rotations[:5], 60.0)
    with pytest.raises(km.KinematchError, match=r"a clip cannot be written as '.fbx', expected one of '.bvh', '.glb'"):
        km.save(tmp_path / "a.fbx", clip)
    with pytest.raises(km.KinematchError, match=r"not a list; km\.record makes a clip of poses"):
        km.save(tmp_path / "a.glb", [])
    with pytest.raises(km.KinematchError, match="a path of type int"):
        km.save(3, clip)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["api", "commands"])
def test_pages_made_from_the_code_are_up_to_date(name):
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        module = importlib.import_module(f"make_{name}")
    finally:
        sys.path.pop(0)
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert page == module.write_page(), f"docs/{name}.md is out of date: run `python docs/make_{name}.py`"


def test_pages_name_nothing_that_is_not_there():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    named = {(page.name, name) for page in pages for name in re.findall(r"\bkm\.(\w+)", page.read_text("utf-8"))}
    assert len(named) > 60
    assert sorted(one for one in named if one[1] not in (*km.__all__, *km._FOLDERS)) == []


def test_what_pages_import_is_there():
    pages = [page for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if page.name != "api.md"]
    blocks = [
        block for page in pages for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    imports = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ImportFrom)]
    ours = [
        (node.module, name.name)
        for node in imports
        if (node.module or "").startswith("kinematch")
        for name in node.names
    ]
    assert len(ours) > 10
    for module, name in ours:
        found = importlib.import_module(module)
        assert hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}"), f"{module}.{name}"
