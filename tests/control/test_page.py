"""The page about controllers is true: its snippets run one after the other, and what it links to is there."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "controllers.md").read_text(encoding="utf-8")


def test_its_snippets_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known: dict = {}
    for snippet in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(snippet, known)
    assert known["controller"].done.all()
    assert (known["again"].root_positions == known["character"].root_positions).all()
    circle = known["Circle"](known["np"].zeros(3), radius=2.5, speed=0.9)
    assert circle.command(known["character"].body, 1 / 60).velocities.shape == (1, 3)


def test_pictures_and_pages_that_it_names_are_there():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        assert (DOCS / target).exists(), target
