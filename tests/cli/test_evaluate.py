"""The verbs evaluate and tune as a user types them."""

import json

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.character.settings_file import load_settings, save_settings
from kinematch.cli.main import main
from kinematch.database import container, storage
from kinematch.database.build import build
from kinematch.evaluate.scenarios import course


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walker")
    clips = '["idle", "walk_1.35", "walk_turn_*_90", "walk_turn_*_180"]'
    (folder / "walker.toml").write_text(f'[[source]]\nbuiltin = "locomotion"\nclips = {clips}\n')
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
    missed = [target for target in values["targets"] if not target["met"]]
    verdict, table = printed.index("targets\n"), printed.index("foot skate in contact, mean")
    assert verdict < table, "the verdict comes first"
    assert f"missed {len(missed)} of" in printed if missed else "met all" in printed
    # those missed stand below the verdict, and again among all of them
    assert printed.count("  met ") + printed.count("  missed ") == len(values["targets"]) + len(missed)
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
        (["--seed", "-1"], "seed -1, expected 0 to 4294967295"),
        (["--report", "."], "is a folder"),
        (["--report", "a.pdf"], "expected .html .htm"),
        (["--json", "nowhere/a.json"], "no folder"),
        (["--sweep", "alpha", "--chart", "a.txt"], "expected .png"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys):
    assert main(["evaluate", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["--vr"], "avatar"), (["x.kinematch", "--camera"], "camera"), (["--robot=g1.xml"], "robot")],
)
def test_an_old_option_names_the_subcommand_that_replaces_it(arguments, name, capsys):
    assert main(["evaluate", *arguments]) == 2
    assert f"subcommand: `kinematch evaluate {name}`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "-1"], "seed -1, expected 0 to 4294967295"),
        (["--trials", "0"], "tune: 0 trials, expected 1 or more"),
        (["-o", "a.yaml"], "expected .toml .json"),
        (["-o", "nowhere/a.toml"], "no folder"),
    ],
)
def test_tune_refuses_at_once_what_would_fail_in_the_end(arguments, message, capsys):
    assert main(["tune", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_damage_and_missing_tags_are_told_with_the_name_of_the_file(walker, tmp_path, capsys):
    whole = storage.load(walker)
    arrays, about = storage.to_arrays(whole)
    rotations = np.array(arrays["poses.rotations"])
    rotations[50, 3] = np.nan
    bare = {"poses.tags": np.zeros((len(rotations), 0), bool)}
    for name, changes, tags in (("damaged", {"poses.rotations": rotations}, about["tags"]), ("bare", bare, ())):
        path = tmp_path / f"{name}.kinematch"
        container.write_arrays(
            path, {**arrays, **changes}, format=storage.FORMAT, version=storage.VERSION, about={**about, "tags": tags}
        )
    assert main(["evaluate", str(tmp_path / "damaged.kinematch"), "--quick"]) == 2
    assert "damaged.kinematch: is damaged: poses.rotations[50, 3, 0] is [nan, " in capsys.readouterr().err
    assert main(["evaluate", str(tmp_path / "bare.kinematch"), "--filter", "nope"]) == 2
    assert "bare.kinematch: filter 'nope': no tag 'nope'; there are none" in capsys.readouterr().err


def test_an_unknown_tag_is_told(walker, capsys):
    assert main(["evaluate", walker, "--filter", "wlk"]) == 2
    assert "did you mean 'walk'" in capsys.readouterr().err


def test_tune_writes_settings_that_load(walker, tmp_path, capsys, monkeypatch):
    # so few clips that some target is missed either way; that no target is traded has a test of its own
    monkeypatch.setattr("kinematch.evaluate.tune.breaks_a_target", lambda *_: False)
    output, start = tmp_path / "tuned.toml", tmp_path / "start.toml"
    save_settings(start, Settings(search_interval=1.0))  # so slow that the first trial, at 0.3 s, is better
    given = [walker, "--settings", str(start), "--trials", "1", "--mix", "position_mean=1"]
    assert main(["tune", *given, "-o", str(output)]) == 0
    assert load_settings(output).search_interval == 0.3
    assert "seeds not tuned on" in capsys.readouterr().out


def test_tune_that_finds_nothing_better_says_so_and_writes_nothing(walker, tmp_path, capsys):
    output = tmp_path / "tuned.toml"
    assert main(["tune", walker, "--trials", "1", "--mix", "skate_mean=1", "-o", str(output)]) == 1
    assert "none of 1 trials moves better" in capsys.readouterr().out.replace("\n", " ")
    assert not output.exists()


def test_tune_writes_nothing_that_was_better_by_luck(walker, tmp_path, capsys, monkeypatch):
    """Better on the seed tuned on, and a target missed on an unseen one."""
    asked = []  # the trial on the seed tuned on, then the two unseen seeds
    monkeypatch.setattr("kinematch.evaluate.tune.breaks_a_target", lambda *_: asked.append(1) or len(asked) > 1)
    output, start = tmp_path / "tuned.toml", tmp_path / "start.toml"
    save_settings(start, Settings(search_interval=1.0))
    given = [walker, "--settings", str(start), "--trials", "1", "--mix", "position_mean=1"]
    assert main(["tune", *given, "-o", str(output)]) == 1
    assert "none of 1 trials moves better" in capsys.readouterr().out.replace("\n", " ")
    assert len(asked) == 2
    assert not output.exists()


def test_tune_refuses_a_mix_that_means_nothing(walker, capsys):
    assert main(["tune", walker, "--mix", "beauty=1"]) == 2
    assert "no measure 'beauty'" in capsys.readouterr().err
