"""The page about characters is true: its tables say what the settings are, its snippets run, its pictures are there."""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import get_args

import pytest

from kinematch.character.reason import Reason
from kinematch.character.settings import Settings, Transition

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "character.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in PAGE.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 5 and cells[0].startswith("`")
}


def test_every_setting_has_a_row_and_every_row_is_a_setting():
    assert set(ROWS) == {one.name for one in fields(Settings)}


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda one: one.name)
def test_a_row_tells_the_default_unit_and_range(setting):
    default, unit, span, text = ROWS[setting.name]
    value = setting.default if setting.default is not MISSING else setting.default_factory()
    assert default == (f"{value:g}" if isinstance(value, float) else str(value))
    assert len(text) > 10
    if setting.metadata:
        assert unit == setting.metadata["unit"]
        assert span == f"{setting.metadata['low']:g} to {setting.metadata['high']:g}"
    elif setting.name == "transition":
        assert span == ", ".join(get_args(Transition))


def test_every_setting_is_in_a_picture():
    scripts = "".join((DOCS / "figures" / f"{name}.py").read_text() for name in ("character", "character_feet"))
    assert [one.name for one in fields(Settings) if f'"{one.name}"' not in scripts] == []


def test_pictures_and_pages_that_it_names_are_there():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        assert (DOCS / target).exists(), target


def test_files_that_its_tables_name_are_there():
    folder = DOCS.parent / "src" / "kinematch" / "character"
    named = re.findall(r"`((?:step/)?\w+\.py)`", PAGE)
    assert len(named) > 12
    for name in named:
        assert (folder / name).exists() or list((DOCS.parent / "src").rglob(name)), name


def test_it_names_every_reason():
    assert [one.name for one in Reason if f"`{one.name}`" not in PAGE] == []


def test_its_snippets_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known: dict = {}
    for snippet in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(snippet, known)
    assert "frame" in capsys.readouterr().out
    assert known["crowd"].settings == Settings(foot_lock=False)
