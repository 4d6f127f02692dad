"""The avatar benchmark steps users as the room does, and pages get answers to what they send."""

import json

import pytest

from kinematch.bench.avatar import STAGES, bench_avatar
from kinematch.cli.main import main
from kinematch.database.built_in import open_built_in
from kinematch.database.storage import save
from kinematch.stream.layout import SAMPLE, unpack


@pytest.fixture(scope="module")
def report():
    return bench_avatar({"card": open_built_in()}, counts=(2,), seconds=0.3, progress=lambda *told: None)


def test_bodies_cost_what_their_stages_cost(report):
    (row,) = report.rows
    assert row.users == 2
    assert 0 < row.median <= row.p99
    assert row.seen > 0
    assert row.busy > 0
    assert set(row.stages) == set(STAGES)
    assert all(spent > 0 for spent in row.stages.values())


def test_pages_get_answers(report):
    (row,) = report.answers
    assert 0 < row.median <= row.p99
    assert 0 <= row.late <= 1
    assert 0 <= row.left_out < 1


def test_samples_of_a_user_go_on_for_as_long_as_it_takes():
    from kinematch.bench.visitors import make_samples

    samples = make_samples(4, 3000)
    times = [unpack(SAMPLE, one)[0]["time"] for one in samples]
    assert times == sorted(times)
    assert times[-1] > 30


def test_the_verb_prints_tables_and_writes_json(tmp_path, capsys, monkeypatch):
    from kinematch.bench import avatar as module

    monkeypatch.setattr(module, "USER_COUNTS", (1,))
    monkeypatch.setattr(module, "time_answers", lambda *given: ([0.002, 0.02], 0.0))
    save(tmp_path / "card.kinematch", open_built_in())
    where = [str(tmp_path / name) for name in ("card.kinematch", "out.json")]
    assert main(["bench", "avatar", where[0], "--json", where[1], "--quick"]) == 0
    out = capsys.readouterr().out
    assert "upper body" in out
    assert "50.0%" in out
    assert json.loads((tmp_path / "out.json").read_text())["answers"][0]["late"] == 0.5
