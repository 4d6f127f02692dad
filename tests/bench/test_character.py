"""The character benchmark runs whole steps of crowds and says what they cost."""

import json

import pytest

from kinematch.bench.character import bench_character
from kinematch.bench.character_report import lines
from kinematch.cli.main import main
from kinematch.database.built_in import open_built_in
from kinematch.database.storage import save


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return open_built_in()


def test_crowds_search_as_often_as_told_and_fit_in_eight_kilobytes(database):
    report = bench_character({"card": database}, counts=(1, 120), seconds=0.3, progress=lambda *told: None)
    assert [row.characters for row in report.rows] == [1, 120]
    for row in report.rows:
        assert 0 < row.median <= row.p99
        assert row.memory < 8
        assert 8 < row.searches < 20  # ten a second, and those that a new wish forces
        assert all(spent >= 0 for spent in row.stages.values())
    assert "joints" in lines(report)[-1]


def test_the_verb_prints_a_table_and_writes_json_and_a_chart(database, tmp_path, capsys):
    save(tmp_path / "card.kinematch", database)
    where = [str(tmp_path / name) for name in ("card.kinematch", "out.json", "out.png")]
    assert main(["bench", "character", where[0], "--json", where[1], "--chart", where[2], "--quick"]) == 0
    assert "p99" in capsys.readouterr().out
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert [row["characters"] for row in rows] == [1, 10, 100, 1000]
    assert (tmp_path / "out.png").stat().st_size > 1000
