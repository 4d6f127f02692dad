"""The soak: rude clients are as rude as they say, the honest page is served, and a run goes on where it stopped."""

import json

from kinematch.bench import soak as module
from kinematch.bench.rude_clients import ACTS
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
    assert main([*arguments, "--minutes", "0.1"]) == 0  # which is done already
    assert json.loads(state.read_text()) == first
    assert "an honest page beside rude clients" in capsys.readouterr().out


def test_a_state_that_is_none_is_refused(tmp_path, capsys):
    (tmp_path / "state.json").write_text('{"minutes": 3}')
    assert main(["bench", "soak", "--state", str(tmp_path / "state.json")]) == 2
    assert "no state of a soak" in capsys.readouterr().err


def test_what_an_honest_page_saw_is_added_up():
    report = module.SoakReport()
    module._note(report, [0.0, 0.5, 1.0, 1.1, 3.1], {"vanish": 2}, 4.0, 100.0)
    module._note(report, [10.0, 10.5], {"vanish": 1, "send_noise": 4}, 4.0, 101.0)
    assert report.seconds == 8
    assert report.longest == 2
    assert report.rates == [2, 2, 0]
    assert report.acts == {"vanish": 3, "send_noise": 4}
    assert report.memory == [100.0, 101.0]
