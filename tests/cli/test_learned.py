"""`kinematch train learned` and `kinematch evaluate MODEL` from end to end, on half a minute of motion."""

import json

import pytest

import kinematch as km
from kinematch.cli.main import main
from kinematch.learned.training import plan as plans


@pytest.fixture(scope="module")
def database(built_of):
    return built_of("walk_1.35", "idle").path


@pytest.fixture(autouse=True)
def small_networks(monkeypatch):
    """The plan of a run that takes a second."""
    make = plans.make_plan
    small = {"latents": 8, "hidden": 24, "stepper_hidden": 24, "batch": 16, "windows": 8, "window": 6}
    monkeypatch.setattr(plans, "make_plan", lambda *given, **more: make(*given, **(small | more)))
    monkeypatch.setattr("kinematch.learned.training.finish.STICK_SECONDS", 1.0)


def test_a_model_is_trained_scored_and_judged(database, tmp_path, monkeypatch, capsys, need_extra):
    need_extra("torch", "train")
    monkeypatch.chdir(tmp_path)
    status = main(["train", "learned", str(database), "-o", "a.kinematch-model", "--steps", "6"])
    told = capsys.readouterr().out
    assert status == 1, "six steps make no good model"
    assert "verdict: bad" in told
    assert "train longer" in told
    model = km.load("a.kinematch-model")
    assert model.scores["database_mean"] > 0
    assert model.about["command"] == f"kinematch train learned {database.name} --design snap --seed 0 --steps 6"
    assert str(tmp_path) not in json.dumps(dict(model.about))

    assert main(["evaluate", "a.kinematch-model", "--quick", "--json", "a.json"]) == 1
    assert "--against" in capsys.readouterr().out
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "bad"


def test_three_models_show_what_capacity_does(database, built_of, tmp_path, capsys, need_extra):
    need_extra("torch", "train")
    other, folder = built_of("idle", "run_2.6").path, tmp_path / "three"
    command = ["train", "capacity", str(other), str(database), "-o", str(folder), "--steps", "4"]
    assert main(command) == 1, "four steps make no good model"
    capsys.readouterr()
    times = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.kinematch-model")}
    assert main(command) == 1
    table = capsys.readouterr().out
    assert all(name in table for name in ("small ", "big-small-network", "big "))
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.kinematch-model")} == times
    large, small = (km.load(folder / f"{name}.kinematch-model") for name in ("big", "big-small-network"))
    assert large.about["plan"]["codebook_bytes"] > small.about["plan"]["codebook_bytes"]
    assert main(["train", "capacity", str(database), str(other), *command[4:]]) == 2
    assert "another database" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seed", "-1"], "expected 0 or more"),
        (["--steps", "3", "--minutes", "2"], "give one of them"),
        (["-o", "a.kinematch"], ".kinematch-model"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(database, tmp_path, monkeypatch, capsys, need_extra, more, message):
    need_extra("torch", "train")
    monkeypatch.chdir(tmp_path)
    assert main(["train", "learned", str(database), *more]) == 2
    assert message in capsys.readouterr().err


def test_options_of_another_kind_of_evaluation_are_refused(tmp_path, capsys):
    assert main(["evaluate", str(tmp_path / "a.kinematch-model"), "--sweep", "rate"]) == 2
    assert "need a database" in capsys.readouterr().err
    assert main(["evaluate", "--against", "x"]) == 2
    assert "needs a learned model" in capsys.readouterr().err
