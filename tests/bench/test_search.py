"""The search benchmark runs, compares all on the same questions, and its exact rivals are exact."""

import json

import pytest

from kinematch.bench.search import bench_search
from kinematch.cli.main import main
from kinematch.database.build import build


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    (folder / "small.toml").write_text('[[source]]\nbuiltin = "dance-card"\nclips = ["idle", "walk_1*", "run_2.6"]\n')
    return build(folder / "small.toml").path


def test_exact_rivals_find_the_same_frames(path):
    from kinematch.database.storage import load

    report = bench_search({"small": load(path)}, count=60)
    assert {row.questions for row in report.rows} == {
        "random pairs", "play at 10 Hz", "play at 60 Hz", "random pairs, cold",
    }  # fmt: skip
    for row in report.rows:
        assert row.median > 0
        assert row.recall == 1.0 if row.exact else row.recall > 0.5, row
    boxes = [row for row in report.rows if row.rival == "boxes"]
    assert all(row.ratio == 1.0 for row in boxes)
    assert report.crowds[0].ratio > 0


def test_the_command_prints_tables_and_writes_json_and_pictures(path, tmp_path, capsys):
    files = [tmp_path / name for name in ("out.json", "medians.png", "growth.png")]
    arguments = ["bench", "search", str(path), "--quick", "--json", str(files[0]), "--chart", str(files[1])]
    assert main([*arguments, "--growth-to", "8000", "--growth-picture", str(files[2])]) == 0
    printed = capsys.readouterr().out
    assert "wide (default)" in printed
    assert "cores" in printed
    values = json.loads(files[0].read_text())
    assert {"machine", "rows", "crowds", "growth"} == set(values)
    assert all(file.stat().st_size > 1000 for file in files)
