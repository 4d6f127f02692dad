"""`kinematch train orientation`: writes weights with a record, takes settings from one, and refuses in words."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from kinematch.avatar.orientation import PaperNetwork, RecurrentEstimator
from kinematch.avatar.orientation.network import load_network
from kinematch.avatar.orientation.paper import load_paper
from kinematch.avatar.orientation.training.train import NetworkPlan
from kinematch.cli import train as train_verb
from kinematch.cli.main import main
from kinematch.files import write_clip
from kinematch.synth import motions, perform

SMALL = NetworkPlan(hidden=8, vectors=2, steps=3, batch=4, length=24)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three subjects with a clip each."""
    made = tmp_path_factory.mktemp("people")
    for number, motion in enumerate(motions()[:3]):
        write_clip(made / f"{number + 1}_01.bvh", perform(motion).clip)
    return made


def test_a_network_is_trained_from_a_records_settings_and_has_a_record_itself(
    folder, tmp_path, capsys, need_extra, monkeypatch
):
    need_extra("torch", "train")
    monkeypatch.setenv("COLUMNS", "160")
    settings, output = tmp_path / "settings.json", tmp_path / "mine.safetensors"
    settings.write_text(json.dumps({"settings": asdict(SMALL)}))
    command = ["train", "orientation", str(folder), "-o", str(output), "--plan", str(settings), "--without-card"]
    assert main([*command, "--resume", str(tmp_path / "run.checkpoint"), "--seed", "4"]) == 0
    assert "held out, looking around" in capsys.readouterr().out
    network, about = load_network(output)
    assert network.size == SMALL.hidden
    assert about["seed"] == 4
    assert np.isfinite(RecurrentEstimator(network=network).network.trust).all()
    record = json.loads(output.with_suffix(".json").read_text())
    assert record["held out"] == ["2"]
    assert set(record["clips"]) == {"1_01", "2_01", "3_01"}
    assert record["command"] == f"kinematch train orientation {folder.name} --network recurrent --seed 4"
    assert record["settings"] == json.loads(json.dumps(asdict(SMALL)))


def test_the_papers_network_is_trained_by_the_same_command(folder, tmp_path, need_extra):
    need_extra("torch", "train")
    output = tmp_path / "paper.safetensors"
    command = ["train", "orientation", str(folder), "-o", str(output), "--network", "paper-r1-adamw", "--without-card"]
    assert main([*command, "--steps", "5"]) == 0
    assert PaperNetwork(weights=load_paper(output)[0]) is not None
    assert json.loads(output.with_suffix(".json").read_text())["settings"]["optimizer"] == "adamw"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seed", "-1"], "seed -1"),
        (["--network", "paper-r1-adam", "--tune", "3"], "--tune is for the recurrent network"),
        (["-o", "nowhere/a.safetensors"], "no folder"),
        (["-o", "a.bin"], "ending '.bin'"),
        (["--plan", "no.json"], "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(folder, tmp_path, monkeypatch, capsys, need_extra, more, message):
    need_extra("torch", "train")
    monkeypatch.chdir(tmp_path)
    assert main(["train", "orientation", str(folder), "--without-card", *more]) == 2
    assert message in capsys.readouterr().err


def test_without_torch_the_extra_is_named(folder, monkeypatch, capsys):
    from kinematch.learned.training import plan as training

    monkeypatch.setattr(training, "find_spec", lambda name: None)
    assert main(["train", "orientation", str(folder)]) == 2
    assert "pip install 'kinematch[train]'" in capsys.readouterr().err
    assert train_verb.train["orientation"].__doc__
