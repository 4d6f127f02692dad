"""Every example runs, prints something and leaves nothing outside its own folder."""

import re
import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def test_examples_are_numbered_without_gaps():
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_imports_kinematch_alone(path):
    """Whatever users need is in `km`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    imports = {line for line in lines if re.match(r"\s*(import|from) kinematch", line)}
    assert imports <= {"import kinematch as km"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(path, tmp_path, monkeypatch, capsys, need_extra):
    if "kinematch[gym]" in path.read_text(encoding="utf-8"):
        need_extra("gymnasium", "gym")
        need_extra("mujoco", "gym")
    before = set(FOLDER.iterdir())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()
    assert set(FOLDER.iterdir()) - before <= {FOLDER / "__pycache__"}
