"""The fuzzer: damage is repeatable, runs go on where they stopped, and crashes, errors and slowness are found."""

import json
import os
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from kinematch.bench import fuzz as module
from kinematch.bench.fuzz_examples import write_examples
from kinematch.bench.fuzz_readers import READERS, find_ending
from kinematch.cli.main import main
from kinematch.errors import KinematchError


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    write_examples(folder)
    return module.find_originals([folder])


def test_a_damaged_file_is_made_from_its_number_alone(originals):
    first = [module.make_file(originals, 3, number) for number in range(40)]
    assert first == [module.make_file(originals, 3, number) for number in range(40)]
    assert first != [module.make_file(originals, 4, number) for number in range(40)]
    assert {ending for ending, _ in first} == {ending for ending, _ in originals}
    assert sum(content != original for _, content in first for _, original in originals) > 30


def test_files_of_every_kind_that_the_program_writes_are_read_undamaged(originals, tmp_path):
    assert READERS.keys() - dict(originals).keys() == {".gltf", ".vrm", ".json", ".csv"}
    for n, (ending, content) in enumerate(originals):
        assert module._try_file(tmp_path / f"{n}{ending}", content) == "read", ending


@pytest.mark.parametrize("seed", [1, 2])
def test_damage_gives_a_result_or_an_error(originals, tmp_path, seed):
    for number in range(300):
        ending, content = module.make_file(originals, seed, number)
        assert module._try_file(tmp_path / f"fuzz{ending}", content) in ("read", "refused"), number


def test_hostile_contents_with_right_checksums_give_a_crowd_that_moves_or_an_error(originals, tmp_path):
    """In a process of its own: what gets past a reader is indexed by compiled code, which may crash."""
    forged = [one for one in originals if one[0] in (".kinematch", ".kinematch-model", ".kinerec")]
    report = module.fuzz(forged, 400, state=tmp_path / "state.json", seed=7)
    assert report.files == 400
    assert report.findings == []
    assert report.read > 40  # some changes are harmless, so the crowds are tried too


@pytest.mark.parametrize("ending", [".settings.json", ".calibration.json", ".script.jsonl", ".jsonl"])
def test_whole_numbers_too_large_for_a_float_are_refused(originals, tmp_path, ending):
    """JSON has them, and msgspec reads them."""
    for content in (content for own, content in originals if own == ending):
        places = list(re.finditer(rb"(?<=[\[ :,])-?\d+(\.\d+)?(?=[,\]}\s])", content))
        for place in places[:: max(1, len(places) // 40)]:
            huge = content[: place.start()] + b"1" + b"0" * 400 + content[place.end() :]
            assert module._try_file(tmp_path / f"huge{ending}", huge) in ("read", "refused"), place


def test_damage_to_real_files_gives_a_result_or_an_error(data, tmp_path):
    real = module.find_originals([data / "rigs", data / "characters", data / "vr-tracking", data / "animals"])
    for number in range(300):
        ending, content = module.make_file(real, 5, number)
        assert module._try_file(tmp_path / f"fuzz{ending}", content) in ("read", "refused"), number


def test_a_run_goes_on_where_it_stopped_and_finds_what_is_wrong(originals, tmp_path, monkeypatch):
    """Blocks are read by processes of their own; what they say is counted once, and kept with the file."""
    monkeypatch.setattr(module, "REPORT_FILES", 20)
    state = tmp_path / "state.json"
    few = [one for one in originals if one[0] == ".xml"]
    assert module.fuzz(few, 20, state=state).files == 20
    told: list[int] = []
    report = module.fuzz(few, 60, state=state, processes=2, progress=lambda done, total, text: told.append(done))
    assert report.files == 60
    assert sorted(report.done) == [0, 1, 2]
    assert min(told) >= 20
    assert report.read + sum(report.refused.values()) == 60
    assert not report.findings
    assert json.loads(state.read_text()) == asdict(report)
    assert module.fuzz(few, 60, state=state) == report
    with pytest.raises(KinematchError, match="another seed or other files"):
        module.fuzz(few, 60, state=state, seed=1)


class Pipe:
    """A pipe whose other end says what it is told, and then is gone."""

    def __init__(self, *said):
        self.said = list(said)

    def poll(self, seconds):
        return True

    def recv(self):
        if not self.said:
            raise EOFError
        return self.said.pop(0)

    def send(self, what):
        self.sent = what

    def close(self):
        pass


def test_a_crash_an_error_and_a_slow_file_are_findings_and_the_rest_is_read(originals, tmp_path):
    state = tmp_path / "state.json"
    report = module.open_report(state, originals, 0)
    worker = module.Worker(originals, 0)
    own = worker._pipe
    worker.start(0)
    worker._pipe = Pipe(
        ("reads", 0), ("file", 0, ".bvh", "ValueError: no (x.py:1)", 0.1, 0.0),
        ("reads", 1), ("file", 1, ".glb", "read", 6.5, 30.0), ("reads", 2),
    )  # fmt: skip
    for _ in range(5):
        worker.listen(report, state)
    os.kill(worker._process.pid, 9)  # as a segmentation fault does
    own.close()
    worker.listen(report, state)
    assert [(one["number"], one["kind"]) for one in report.findings] == [(0, "error"), (1, "slow"), (2, "crash")]
    assert worker._number == 3
    assert worker.block == 0
    for one in report.findings:
        assert (tmp_path / one["file"]).read_bytes() == module.make_file(originals, 0, one["number"])[1]
    worker.end()


def test_the_command_says_what_came_of_it(originals, tmp_path, capsys):
    path = tmp_path / "robot.xml"
    path.write_bytes(dict(originals)[".xml"])
    arguments = ["bench", "fuzz", str(path), "--count", "200", "--state", str(tmp_path / "new" / "state.json")]
    assert main(arguments) == 0
    assert "200" in capsys.readouterr().out
    (tmp_path / "new" / "state.json").write_text("{}")
    assert main(arguments) == 2
    assert "no state of a fuzz run" in capsys.readouterr().err
    assert main(["bench", "fuzz", str(tmp_path / "none")]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_every_kind_has_a_reader():
    assert all(ending.startswith(".") and callable(reader) for ending, reader in READERS.items())
    assert find_ending(Path("a.Settings.toml")) == ".settings.toml"
    assert find_ending(Path("a.toml")) == ".toml"
    assert find_ending(Path("a.txt")) is None
