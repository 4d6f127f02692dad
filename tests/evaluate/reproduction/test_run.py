"""Running experiments: what is kept, what is run again, and what fails without stopping the others."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinematch.errors import KinematchError
from kinematch.evaluate.reproduction import run
from kinematch.evaluate.reproduction.claims import NOT_COMPARABLE, YES, CitedWork, Claim
from kinematch.evaluate.reproduction.effort import FULL, QUICK
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.report import make_html, make_markdown, to_json, write_report
from kinematch.evaluate.reproduction.results import Chart, Result, make_key, read_result, write_result

CHARTS = (
    Chart("lines", "an error", "s", "cm", lines={"one": ([0.0, 1.0], [2.0, 3.0])}),
    Chart("bars", "a comparison", groups=("a", "b"), bars={"work": (1.0, float("nan")), "here": (2.0, 3.0)}),
)
PICTURE = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
RESULT = Result(
    {"a": 1.5, "b": float("nan")},
    "made",
    False,
    "kinematch evaluate",
    CHARTS,
    (("a strip", PICTURE),),
    (("LMM", b"film"),),
)


def test_a_result_is_read_back_as_it_was_and_a_damaged_one_is_not(tmp_path):
    write_result(tmp_path, "one", "key", RESULT)
    found = read_result(tmp_path, "one", "key")
    assert found is not None
    assert found.values["a"] == 1.5
    assert np.isnan(found.values["b"])
    assert found.charts[0].lines["one"] == [[0.0, 1.0], [2.0, 3.0]]
    assert np.array_equal(np.asarray(found.pictures[0][1]), np.asarray(PICTURE))
    assert found.films == (("LMM", b"film"),)
    assert read_result(tmp_path, "one", "other") is None
    picture = next(tmp_path.glob("*.png"))
    picture.write_bytes(picture.read_bytes()[:-9])
    assert read_result(tmp_path, "one", "key") is None
    write_result(tmp_path, "one", "key", RESULT)
    kept = tmp_path / "one-key.json"
    kept.write_bytes(kept.read_bytes()[:-20])
    assert read_result(tmp_path, "one", "key") is None


def test_a_key_changes_with_experiment_effort_data_and_code(tmp_path):
    code = tmp_path / "code.py"
    code.write_text("1")
    keys = [make_key("one", FULL, "data", [code]), make_key("two", FULL, "data", [code])]
    keys += [make_key("one", QUICK, "data", [code]), make_key("one", FULL, "other", [code])]
    code.write_text("2")
    keys.append(make_key("one", FULL, "data", [code]))
    assert len(set(keys)) == len(keys)
    assert make_key("one", FULL, "data", [code]) == keys[-1]


@pytest.fixture
def two(monkeypatch, tmp_path):
    """A work of two claims, one of whose experiments cannot run; and how often the other did."""
    ran: list[str] = []

    def measure(material):
        ran.append("good")
        material.progress("measuring", 0, 1)
        return RESULT

    def fail(material):
        raise KinematchError("training needs an extra: pip install 'kinematch[train]'")

    claims = [
        Claim("mmvr", name, "7.4", "a is less than 2.", name, "cm", "a", "measured", "made", 3.0, expects=("a < 2",))
        for name in ("good", "bad")
    ]
    work = CitedWork("mmvr", "A | work <of> one", "one", tuple(claims))
    monkeypatch.setattr(run, "load_work", lambda name: work)
    found = {name: (Experiment(name, name, own), []) for name, own in (("good", measure), ("bad", fail))}
    monkeypatch.setattr(run, "EXPERIMENTS", found)
    return lambda **more: (run.reproduce(None, tmp_path / "parts", effort=QUICK, works=("mmvr",), **more), ran)


def test_what_fails_says_why_and_the_rest_goes_on_and_is_not_measured_twice(two):
    found, ran = two()
    assert [row.verdict.agreement for row in found.rows] == [YES, NOT_COMPARABLE]
    assert "pip install" in found.rows[1].verdict.reason
    assert np.isnan(found.rows[1].own)
    assert (ran, found.reused) == (["good"], ())
    again, ran = two()
    assert (ran, again.reused) == (["good"], ("good",))
    assert again.rows[0].own == found.rows[0].own
    assert "bad" in again.failures  # which is tried again
    two(seed=1)
    assert ran == ["good", "good"]


def test_the_report_shows_every_row_in_all_three_forms(two):
    found, _ = two()
    html, markdown, plain = make_html(found), make_markdown(found, "figures"), to_json(found)
    assert "A | work &lt;of&gt; one" in html
    assert html.count("<img") == 4
    assert html.count("image/webp") == 1
    assert "Checked: a &lt; 2: 1.5 and 2" in html
    assert "kinematch reproduce --work mmvr --quick" in html
    row = "| 7.4 | a is less than 2.<br>*There: measured; made* | 3 | 1.5 | – | cm | yes (a < 2: 1.5 and 2) | made<br>"
    assert row in markdown
    assert "made<br>`kinematch reproduce --work mmvr --quick` |" in markdown
    assert {one["command"] for one in plain["claims"]} == {"kinematch reproduce --work mmvr --quick"}
    assert "### good\n\nData: made; took 0 s; command: `kinematch reproduce" in markdown
    assert "![a comparison](figures/bars.png)" in markdown
    assert "not comparable: training needs an extra" in html.replace("&#x27;", "'")
    assert "1 agree, 0 contradict, 1 not comparable" in html
    assert "1 agree" in markdown
    assert json.loads(json.dumps(plain, allow_nan=False))["claims"][0]["own"] == 1.5
    assert plain["claims"][1]["own"] is None
    assert plain["left_out"]["bad"].startswith("training needs")


def test_markdown_has_its_figures_in_a_folder_beside_it(two, tmp_path):
    found, _ = two()
    write_report(tmp_path / "own.md", found)
    figures = re.findall(r"]\((own-figures/.+?)\)", (tmp_path / "own.md").read_text())
    assert sorted(figures) == [f"own-figures/{name}.png" for name in ("bars", "good-1", "lines")]
    assert all(Image.open(tmp_path / name).format == "PNG" for name in figures)


def test_a_difference_is_discussed_whether_or_not_the_order_agrees(two):
    found, _ = two()
    row = found.rows[0]
    agreeing = replace(row, claim=replace(row.claim, discuss="Ours is clamped."))
    assert "- 7.4: Ours is clamped." in make_markdown(replace(found, rows=(agreeing,)), "figures")
    row = replace(row, claim=replace(row.claim, discuss="Ours is clamped."), verdict=run.ClaimVerdict("no", "found 3"))
    assert "contradicts: found 3. Ours is clamped." in make_markdown(replace(found, rows=(row,)), "figures")


def test_a_folder_that_is_not_there_and_an_unknown_work_are_refused(tmp_path):
    with pytest.raises(KinematchError, match="no such folder"):
        run.reproduce(Path("/nowhere/at all"), tmp_path, effort=QUICK)
    with pytest.raises(KinematchError, match="no work 'thesys'"):
        run.reproduce(None, tmp_path, effort=QUICK, works=("thesys",))
