"""The soak: rude clients are as rude as they say, the honest page is served, and a run goes on where it stopped."""

import asyncio
import json

import pytest

from kinematch.bench import rude_clients
from kinematch.bench import soak as module
from kinematch.bench.rude_clients import ACTS, Server
from kinematch.cli.main import main


def test_a_short_soak_serves_the_honest_page_and_goes_on(tmp_path, capsys):
    state = tmp_path / "new" / "state.json"
    arguments = ["bench", "soak", "--clients", "6", "--state", str(state)]
    assert main([*arguments, "--minutes", "0.1"]) == 0
    first = json.loads(state.read_text())
    assert first["seconds"] == 6
    assert first["acts"].keys() <= {act.__name__ for act in ACTS}
    assert sum(first["acts"].values()) >= 6
    assert sum(first["rates"]) > 0
    assert first["findings"] == []
    assert main([*arguments, "--minutes", "0.1"]) == 0  # which is done already
    assert json.loads(state.read_text()) == first
    assert "an honest page beside rude clients" in capsys.readouterr().out


@pytest.mark.parametrize("act", ["come_without_key", "guess_secrets", "send_body_slowly"])
def test_a_server_that_lets_everybody_in_is_a_finding(act, monkeypatch):
    monkeypatch.setattr(rude_clients, "BODY_PIECES", 2)

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/api/room/motion" not in head:  # of a slow body it waits for the rest
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")

    async def be_rude():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        found = await getattr(rude_clients, act)(Server("127.0.0.1", port, "a key"))
        server.close()
        return found

    assert asyncio.run(be_rude())


def test_a_state_that_is_none_is_refused(tmp_path, capsys):
    (tmp_path / "state.json").write_text('{"minutes": 3}')
    assert main(["bench", "soak", "--state", str(tmp_path / "state.json")]) == 2
    assert "no state of a soak" in capsys.readouterr().err


def test_what_an_honest_page_saw_is_added_up():
    report = module.SoakReport()
    module._note(report, [0.0, 0.5, 1.0, 1.1, 3.1], {"vanish": 2}, 0.0, 4.0, 100.0)
    assert report.longest == 2
    module._note(report, [10.0, 10.5], {"vanish": 1, "send_noise": 4}, 10.0, 4.0, 101.0)  # and then nothing
    assert report.seconds == 8
    assert report.longest == 3.5
    assert report.rates == [2, 2, 0, 1, 2, 0, 0, 0]
    assert report.acts == {"vanish": 3, "send_noise": 4}
    assert report.memory == [100.0, 101.0]
