"""The search benchmark runs, compares all on the same queries, and its exact matchers are exact."""

import json
from dataclasses import fields

import numpy as np
import pytest

from kinematch.bench import libraries, sets
from kinematch.bench.growth import growth, jittered
from kinematch.bench.queries import far_queries
from kinematch.bench.search import CrowdTimes, MatcherTimes, SearchBenchPlan, bench_search, paired_ratio
from kinematch.bench.search_report import lines
from kinematch.cli.main import main
from kinematch.database.build import build
from kinematch.database.recipe import read_recipe
from kinematch.database.storage import load
from kinematch.errors import FileError
from kinematch.search import WideMatcher, search_space

TINY = SearchBenchPlan(queries=40, slow=40, cold=2, rounds=2, cold_loops=2)


@pytest.fixture(scope="module")
def path(built_of):
    return built_of("idle", "walk_1*", "run_2.6").path


@pytest.fixture(scope="module")
def report(path):
    return bench_search({"small": load(path)}, TINY)


def test_exact_rivals_find_the_best_frames(report):
    for row in report.rows:
        few = "cold" in row.queries  # two queries, too few to tell how often an approximate matcher is right
        assert row.recall == 1.0 if row.exact else few or row.recall > 0.5, row
        assert row.median > 0
        assert row.p99 >= row.median


def test_all_rivals_search_for_all_query_sets(report):
    kinds = {"random pairs", "play at 10 Hz", "play at 60 Hz", "10 sigma away", "random pairs, cold caches"}
    asked = {(row.queries, row.matcher) for row in report.rows}
    names = {matcher for _, matcher in asked}
    assert asked == {(kind, name) for kind in kinds for name in names}
    assert {"numpy", "numpy BLAS", "exhaustive", "cKDTree", "boxes by column", "boxes", "wide (default)"} <= names


def test_rivals_are_compared_with_boxes_and_with_the_linear_scan(report):
    assert all(row.ratio == row.ratio_p99 == 1.0 for row in report.rows if row.matcher == "boxes")
    assert all(row.ratio_linear == 1.0 for row in report.rows if row.matcher == "linear, 8 columns")
    assert [crowd.ratio for crowd in report.crowds if crowd.matcher == "boxes" and crowd.threads == 1] == [1.0]


def test_ratios_are_paired_by_round_on_the_queries_of_both():
    slow = np.array([[4.0, 8.0], [40.0, 80.0], [4.0, 8.0]])
    fast = np.array([[2.0, 2.0, 2.0, 1e9], [20.0, 20.0, 20.0, 1e9], [1.0, 1.0, 1.0, 1e9]])  # a slow second round
    assert paired_ratio(slow, fast) == 3.0
    assert paired_ratio(fast, slow) == pytest.approx(1 / 3)


def test_far_queries_lie_outside_the_data_in_one_some_or_all_columns(path):
    space = search_space(load(path))
    far = far_queries(space, 30, sigmas=1e3)
    low, high = space.values.min(axis=0), space.values.max(axis=0)
    outside = ((far.queries < low) | (far.queries > high)).sum(axis=1)
    assert outside[0::3].max() == 1
    assert outside[1::3].max() == 5
    assert outside[2::3].min() > 0.9 * space.column_count


def test_what_is_not_installed_is_named(report, monkeypatch):
    monkeypatch.setattr(libraries, "LIBRARIES", ("no_such_library", "numpy"))
    libraries.missing.cache_clear()
    assert libraries.missing() == ("no_such_library",)
    libraries.missing.cache_clear()
    report.machine["not installed"][:] = ["no_such_library"]
    assert any("no_such_library" in line for line in lines(report))


def test_a_rival_that_is_wrong_would_show(path):
    """Recall compares costs, so another frame that is as good counts, and a worse one does not."""
    from kinematch.bench.search import costs

    space = search_space(load(path))
    frames = np.flatnonzero(space.targets)[:50]
    assert (costs(space, space.values[frames], frames) == 0).all()
    assert (costs(space, space.values[frames], frames + 1) > 0).all()
    assert np.isinf(costs(space, space.values[:1], np.array([-1]))).all()


def test_copies_are_displaced_clip_by_clip(path):
    space = search_space(load(path))
    size = 2 * space.frame_count + 100
    larger = jittered(space, size)
    assert larger.frame_count == size
    assert (larger.values[: space.frame_count] == space.values).all()
    moved = larger.values[space.frame_count : 2 * space.frame_count] - space.values
    first = moved[: space.clip_stops[0]]
    assert np.abs(first - first[0]).max() < 1e-5
    assert np.abs(first[0]).max() > 0.01
    assert len(WideMatcher(larger).find(space.values[:3]).frames) == 3


def test_growth_is_fitted_from_the_smallest_to_the_largest(path):
    database = load(path)
    frames = database.poses.frame_count
    found = growth({"small": database}, 4 * frames, count=10, rounds=1)
    assert found.frames == [frames, 2 * frames, 4 * frames]
    assert np.isfinite([found.random_exponent, found.play_exponent]).all()


def test_the_command_prints_tables_and_writes_json_and_pictures(path, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")  # the narrowest screen that shows every heading
    files = [tmp_path / name for name in ("out.json", "medians.png", "growth.png")]
    arguments = ["bench", "search", str(path), "--quick", "--json", str(files[0]), "--chart", str(files[1])]
    assert main([*arguments, "--growth-to", "8000", "--growth-chart", str(files[2])]) == 0
    printed = capsys.readouterr().out
    for words in (
        "wide (default)",
        "p99 us",
        "recall",
        "build s",
        "MB",
        "cores",
        "a crowd of 1000",
    ):
        assert words in printed
    values = json.loads(files[0].read_text())
    assert {"machine", "plan", "rows", "crowds", "loops", "notes", "growth"} == set(values)
    assert set(values["rows"][0]) == {field.name for field in fields(MatcherTimes)}
    assert set(values["crowds"][0]) == {field.name for field in fields(CrowdTimes)}
    assert {"processor", "cores", "numba target", "vectors", "python", "versions"} <= set(values["machine"])
    assert all(file.stat().st_size > 1000 for file in files)


def test_a_folder_without_the_clips_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FileError, match="lacks 14 of the 14 clips of set M, such as walk1_subject1_walk"):
        sets.lafan1(tmp_path)
    assert not (tmp_path / "cache").exists()
    with pytest.raises(FileError, match="nowhere: no such folder"):
        sets.lafan1(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "--growth-to", "-5"], "growth to -5 frames, expected 0 or more"),
        (["search", "--growth-chart", "a.png"], "--growth-to"),
        (["search", "--chart", "a.txt"], "expected .png"),
        (["character", "--json", "nowhere/a.json"], "no folder"),
        (["character", "--chart", "a.txt"], "expected .png"),
    ],
)
def test_what_cannot_come_to_an_end_is_refused_at_the_start(arguments, message, capsys):
    assert main(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_growth_needs_two_sizes(path, capsys):
    assert main(["bench", "search", str(path), "--growth-to", "5"]) == 2
    assert "growth to 5 frames, expected more than the" in capsys.readouterr().err


@pytest.mark.slow
def test_the_sets_have_the_frames_that_others_count(data, tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    recipes = sets.write_recipes(data)
    counts = {name: build(recipes[name]).database.poses.frame_count / 1000 for name in ("S", "M")}
    assert counts == pytest.approx({"S": 16.5, "M": 53.8}, abs=0.15)
    clips = {name: len(read_recipe(path).source[0].files) for name, path in recipes.items()}
    assert clips["L"] == clips["XL"] > clips["M"] > clips["S"]
