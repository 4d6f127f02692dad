"""The verb reproduce as a user types it, with experiments that take no time."""

import json

import pytest

from kinematch.cli.main import main
from kinematch.errors import KinematchError
from kinematch.evaluate.reproduction import run
from kinematch.evaluate.reproduction.claims import load_work
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.results import Result


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Every measure of the camera work is 20; nothing else can run."""

    def measure(material):
        return Result(dict.fromkeys(("network", "camera", "truth", "recurrent", "fused"), 20.0), "two users", False)

    def fail(material):
        raise KinematchError("needs recordings of dance")

    made = {name: (Experiment(name, name, fail), []) for name in run.EXPERIMENTS}
    monkeypatch.setattr(run, "EXPERIMENTS", made | {"camera": (Experiment("camera", "cameras", measure), [])})


def test_reproduce_prints_every_claim_of_a_work_and_writes_report_and_figures(tmp_path, capsys):
    page, figures = tmp_path / "own.html", tmp_path / "own.json"
    command = ["reproduce", "--quick", "--work", "camera", "-o", str(page), "--json", str(figures)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    claims = json.loads(figures.read_text())["claims"]
    assert [claim["name"] for claim in claims] == [claim.name for claim in load_work("camera").claims]
    network = next(claim for claim in claims if claim["name"] == "network")
    assert (network["value"], network["own"], network["agreement"]) == (28.9, 20.0, "no")
    assert "28.9" in printed
    assert "contradicts: expected network > camera, found 20 and 20" in printed
    assert "not comparable: not measured: truth_turning" in printed
    assert page.read_text().startswith("<!doctype html>")
    assert list((tmp_path / "own.parts").glob("camera-*.json"))
    assert main(command) == 0
    assert "kept from before: camera" in capsys.readouterr().out


def test_what_cannot_run_is_said_and_the_other_works_go_on(tmp_path, capsys):
    assert main(["reproduce", "--quick", "--work", "thesis", "camera", "-o", str(tmp_path / "own.md")]) == 1
    printed = capsys.readouterr().out
    assert "dance is left out: needs recordings of dance" in printed
    assert "28.9" in (tmp_path / "own.md").read_text()


def test_a_report_that_could_not_be_written_is_refused_before_the_work(tmp_path, capsys):
    assert main(["reproduce", "-o", str(tmp_path / "own.pdf")]) == 2
    assert "expected .html .htm .md" in capsys.readouterr().err
    (tmp_path / "own.parts").write_text("")
    assert main(["reproduce", "-o", str(tmp_path / "own.html")]) == 2
    assert "expected a folder for results" in capsys.readouterr().err
