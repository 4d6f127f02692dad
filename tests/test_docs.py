"""Links of the pages lead somewhere, in the repository and in the site that is made of it."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kinematch.cli import main as command

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def make_site() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "docs"))
    yield importlib.import_module("make_site")
    sys.path.remove(str(ROOT / "docs"))


def test_links_and_pictures_of_every_page_lead_somewhere(make_site):
    pages, broken, count = make_site.list_pages(), [], 0
    for page in pages:
        for link in make_site.find_links(page):
            target, _, anchor = link.partition("#")
            path = (page.parent / target).resolve() if target else page
            count += 1
            if not path.exists() or (anchor and anchor not in make_site.find_anchors(path)):
                broken.append(f"{page.name}: {link}")
    assert broken == []
    assert len(pages) > 25
    assert count > 200


def test_a_broken_link_is_found(make_site, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title, with `code`\n```\n[no](link)\n```\n[a](other.md#b) ![c](d.png) [e](https://f)\n")
    assert make_site.find_links(page) == ["other.md#b", "d.png"]
    assert make_site.find_anchors(page) == {"a-title-with-code"}


def test_the_front_page_leads_to_every_page(make_site):
    named = {(ROOT / link.split("#")[0]).resolve() for link in make_site.find_links(ROOT / "README.md")}
    assert set(make_site.list_pages()) - named == {ROOT / "README.md"}


def test_the_site_has_every_page_link_and_heading(make_site, need_extra, tmp_path):
    need_extra("zensical", "docs")
    make_site.build_site(tmp_path)
    written = {file: file.read_text(encoding="utf-8") for file in tmp_path.rglob("*.html")}
    for page in make_site.list_pages():
        name = make_site.name_page(page)
        place = tmp_path / ("index.html" if name == "index.md" else f"{name.removesuffix('.md')}/index.html")
        anchors = set(re.findall(r'<h\d id="([^"]+)"', written[place]))
        assert make_site.find_anchors(page) <= anchors, f"{name}: {make_site.find_anchors(page) - anchors}"
    for file, text in written.items():
        if file.name != "404.html":
            for link in re.findall(r'<(?:a|img)[^>]+(?:href|src)="(?![a-z]+:)([^"#]+)', text):
                assert (file.parent / link).exists(), f"{file.relative_to(tmp_path)}: {link}"
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)', text), "loads from elsewhere"
    assert "motion" in (tmp_path / "search.json").read_text(encoding="utf-8")


def test_the_worked_example_of_contributing_runs(monkeypatch, tmp_path, capsys):
    verb, line, test = EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    name = Path(verb[0]).stem
    module = ModuleType(f"kinematch.cli.{name}")
    exec(verb[1], module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert line[0] == "VERBS"
    monkeypatch.setattr(command, "VERBS", command.VERBS | ast.literal_eval(line[1]))
    tests: dict = {}
    exec(test[1], tests)
    found = [value for key, value in tests.items() if key.startswith("test_")]
    assert len(found) == 2
    for function in found:
        function(tmp_path, capsys)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/figures/architecture.py"])
def test_files_that_pages_for_contributors_name_exist(page):
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    named = re.findall(r"[`\" ]((?:[\w.]+/)+[\w.]+\.(?:py|ts|md|txt|toml))\b", text)
    assert len(named) > 10
    homes = [ROOT / home for home in ("", "src/kinematch", "src/kinematch/character")]
    missing = [name for name in named if not any((home / name).exists() for home in homes)]
    assert [name for name in missing if not re.search("NAME|length", name)] == []  # those of the worked example
