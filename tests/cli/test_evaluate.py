"""The verbs evaluate and tune as a user types them."""

import json

import pytest

from kinematch.character.settings import Settings
from kinematch.character.settings_file import load_settings, save_settings
from kinematch.cli.main import main
from kinematch.database.build import build
from kinematch.evaluate.scenarios import course


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walker")
    clips = '["idle", "walk_1.35", "walk_turn_*_90", "walk_turn_*_180"]'
    (folder / "walker.toml").write_text(f'[[source]]\nbuiltin = "dance-card"\nclips = {clips}\n')
    build(folder / "walker.toml")
    return str(folder / "walker.kinematch")


@pytest.fixture(autouse=True)
def short_course(monkeypatch):
    """A few scenarios of the quick course."""
    kept = ("start and stop", "turn 180", "standing")
    monkeypatch.setattr(
        "kinematch.evaluate.evaluation.course",
        lambda *given, **more: tuple(s for s in course(*given, **more) if s.group in kept),
    )


def test_evaluate_prints_every_measure_and_the_targets_and_writes_both_files(walker, tmp_path, capsys):
    save_settings(tmp_path / "own.toml", Settings(search_interval=0.2))
    page, figures = tmp_path / "report.html", tmp_path / "scores.json"
    files = ["--settings", str(tmp_path / "own.toml"), "--json", str(figures), "--report", str(page)]
    status = main(["evaluate", walker, "--quick", *files])
    printed = capsys.readouterr().out
    values = json.loads(figures.read_text())
    assert status == (0 if all(target["met"] for target in values["targets"]) else 1)
    assert values["settings"]["search_interval"] == 0.2
    assert "foot skate in contact, mean" in printed
    assert "machine" in printed  # a narrow screen breaks the line before it
    assert printed.count("  met ") + printed.count("  missed ") == len(values["targets"])
    assert page.read_text().startswith("<!doctype html>")


def test_a_sweep_has_a_table_and_a_figure(walker, tmp_path, capsys):
    figure, figures = tmp_path / "alpha.png", tmp_path / "alpha.json"
    arguments = ["--sweep", "alpha", "--quick", "--chart", str(figure), "--json", str(figures)]
    assert main(["evaluate", walker, *arguments]) == 0
    assert "5,715" in capsys.readouterr().out
    assert list(json.loads(figures.read_text())["scores"]) == ["0.1", "0.3"]
    assert figure.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.kinematch"], "nowhere.kinematch"),
        (["--sweep", "intervall"], "did you mean 'interval'"),
        (["--rate", "5"], "expected 20 to 500"),
        (["--chart", "a.png"], "name one with --sweep"),
        (["--sweep", "alpha", "--report", "a.html"], "no report"),
        (["--settings", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys):
    assert main(["evaluate", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_an_unknown_tag_is_told(walker, capsys):
    assert main(["evaluate", walker, "--filter", "wlk"]) == 2
    assert "did you mean 'walk'" in capsys.readouterr().err


def test_tune_writes_settings_that_load(walker, tmp_path, capsys):
    output = tmp_path / "tuned.toml"
    assert main(["tune", walker, "--trials", "1", "--mix", "skate_mean=1,position_mean=1", "-o", str(output)]) == 0
    assert isinstance(load_settings(output), Settings)
    assert "seeds not tuned on" in capsys.readouterr().out


def test_tune_refuses_a_mix_that_means_nothing(walker, capsys):
    assert main(["tune", walker, "--mix", "beauty=1"]) == 2
    assert "no measure 'beauty'" in capsys.readouterr().err
