"""The report: one page of valid HTML that needs nothing else."""

import base64
import io
import re
from html.parser import HTMLParser

import pytest
from PIL import Image

from kinematch.evaluate import page
from kinematch.evaluate.report import html


class Checker(HTMLParser):
    """Every element is closed, in order."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def written(evaluation) -> str:
    return html(evaluation, title="walker & <friends>")


def test_the_page_is_well_formed_and_fetches_nothing(written):
    checker = Checker()
    checker.feed(written)
    assert checker.open == []
    assert checker.links
    assert all(link.startswith("data:image/") for link in checker.links)
    assert "http" not in re.sub(r"base64,[^\"]*", "", written)
    assert "url(" not in written


def test_names_are_escaped_and_every_scenario_and_target_is_told(written, evaluation):
    assert "walker &amp; &lt;friends&gt;" in written
    assert "<friends>" not in written
    for take in evaluation.takes:
        assert take.scenario.name in written
    assert written.count('class="met"') + written.count('class="missed"') == len(evaluation.targets)


def test_pictures_open_and_the_page_stays_small(written):
    pictures = re.findall(r'src="data:image/(png|webp);base64,([^"]+)"', written)
    assert len(pictures) > 15
    for kind, content in pictures[:3] + pictures[-1:]:
        with Image.open(io.BytesIO(base64.b64decode(content))) as picture:
            assert picture.format == kind.upper()
    assert len(written) < 10_000_000


def test_a_table_marks_its_column():
    assert page.table(["a", "b"], [["1", "2"]], mark=1).count('class="ours"') == 1
