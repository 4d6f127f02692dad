"""`kinematch play` as a user starts it: it says where to look, plays what it is given, and ends when told to."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from kinematch.cli.main import main
from kinematch.studio.session.opening import open_path
from kinematch.studio.session.recording import save_recording

SMALL = '[[source]]\nbuiltin = "locomotion"\nclips = ["idle", "walk_1.35"]\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a recipe, the database that it describes, and a recording of it."""
    folder = tmp_path_factory.mktemp("play")
    (folder / "recipe.toml").write_text(SMALL)
    stage = open_path(folder / "recipe.toml")
    for _ in range(20):
        stage.advance()
    save_recording(folder / "walk.kinerec", stage)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("given", ["recipe.kinematch", "recipe.toml", "walk.kinerec", ""])
def test_what_is_given_is_played(folder, given):
    command = [sys.executable, "-m", "kinematch.cli.main", "play", str(folder / given), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        try:
            told = next(line for line in running.stdout if line.startswith("play at "))
            place = next(word for word in told.split() if word.startswith("http://127.0.0.1:")).rstrip(";")
            with connect(f"{place.replace('http', 'ws')}/stream", max_size=None) as page:
                welcome = json.loads(page.recv(timeout=60))
                assert [clip["name"] for clip in welcome["clips"]] == ["idle", "walk_1.35"]
                assert welcome["situation"]["playing"] == (given != "walk.kinerec")
        finally:
            running.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            rest = running.stdout.read()  # with what was read ahead, which communicate() loses
            running.wait(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in rest


@pytest.mark.slow
def test_beyond_loopback_the_printed_address_has_the_key(folder):
    command = [sys.executable, "-m", "kinematch.cli.main", "play", str(folder / "recipe.kinematch"), "--no-open"]
    command += ["--port", "0", "--host", "0.0.0.0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        try:
            told = next(line for line in running.stdout if line.startswith("play at "))
            place, _, key = told.split()[2].rstrip(";").partition("?key=")
            stream = f"{place.replace('http', 'ws')}stream"
            with pytest.raises(InvalidStatus):
                connect(stream)
            with connect(f"{stream}?key={key}", max_size=None) as page:
                assert json.loads(page.recv(timeout=60))["type"] == "welcome"
        finally:
            running.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            rest = running.stdout.read()  # with what was read ahead, which communicate() loses
            running.wait(timeout=60)
    assert running.returncode == 0
    assert "Whoever has the key" in rest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.kinematch"], "no such file"),
        (["nowhere.kinerec"], "no such file"),
        ([str(Path(__file__))], "is no database"),
        (["walk.bvh"], "is a motion file"),
        (["--port", "70000"], "expected 0 to 65535"),
        (["--vmc", "127.0.0.1:39539"], "--vmc, --vmc-in, --vrchat and --camera are about users of VR; add --vr"),
        (["--vr", "--port", "0", "--vmc", "a b"], "'a b' is not an address, expected HOST:PORT"),
        (["--vr", "--port", "0", "--camera", "nobody.jsonl"], "nobody.jsonl: no such"),
        (["--vr", "--port", "0", "--model", "nothing.task"], "nothing.task: no such model"),
        (["--vr", "--port", "0", "--vmc-in", "70000"], "is not an address, expected HOST:PORT"),
        (["--host", "no.such.host.invalid"], "no host"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_line(arguments, said, capsys):
    assert main(["play", "--no-open", *arguments]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1
