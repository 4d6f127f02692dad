"""The comparison: what is measured is what is claimed, and offsets never accumulate."""

import json

import numpy as np
import pytest

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.cli.main import main
from kinematch.control.command import move
from kinematch.evaluate.comparison import figures
from kinematch.evaluate.comparison.comparison import OF_FRAMES, plain
from kinematch.evaluate.comparison.controllers import (
    BIG_MODEL,
    EXACT,
    MACHINE,
    PACKED,
    SMALL_MODEL,
    TABLE,
    find_halflife,
    list_controllers,
)
from kinematch.evaluate.comparison.figures import draw_figures, find_middle, find_takes
from kinematch.evaluate.comparison.movers import WatchedCrowd
from kinematch.evaluate.comparison.nearest import Recorded
from kinematch.evaluate.comparison.report import write_report
from kinematch.evaluate.comparison.tables import list_tables
from kinematch.evaluate.course import CommandSpan, of_legs
from kinematch.math.spring import spring

SCENARIOS = (of_legs("turn 180, walk", "turn 180", [CommandSpan(0.5, 0.0), CommandSpan(0.5, 1.35)]),)


def test_a_decay_time_is_the_spring_of_the_dissertation():
    """Eq. 3.5-3.7 with lambda = ln 100 / t, against our spring of the half-life."""
    decay, dt, x, v = 0.3, 0.02, 0.7, -1.1
    rate = np.log(100) / decay
    j1 = v + rate * x
    expected = np.exp(-rate * dt) * (x + dt * j1), np.exp(-rate * dt) * (v - dt * rate * j1)
    np.testing.assert_allclose(spring(x, v, 0.0, halflife=find_halflife(decay), dt=dt), expected, rtol=1e-12)
    assert [round(find_halflife(t), 4) for t in (0.01, 0.1, 1.0)] == [0.0036, 0.0364, 0.3644]


def test_all_controllers_of_the_table_are_run(comparison):
    assert list(comparison.rows) == [EXACT, PACKED, MACHINE, SMALL_MODEL, BIG_MODEL, *TABLE]
    assert len(list_controllers(Settings(), packed=False, big=False)) == 3 + len(TABLE) - 1
    none = comparison.rows["LMM_No_Inertia"]
    assert none.offsets.max() == 0
    assert comparison.rows["LMM_Low_Search"].controller.settings.search_interval == 0.01


def test_the_same_source_scores_the_same_and_models_have_no_frames(comparison):
    exact, packed = comparison.rows[EXACT].scores, comparison.rows[PACKED].scores
    same = [name for name in exact if not name.startswith("step")]
    assert {name: exact[name] for name in same} == pytest.approx({name: packed[name] for name in same}, nan_ok=True)
    assert not set(OF_FRAMES) & set(comparison.rows["LMM"].scores)


def test_recorded_poses_are_at_no_distance_and_others_are(database):
    recorded = Recorded(database, np.ones(database.poses.frame_count, bool))
    some = recorded.joints[::97]
    np.testing.assert_allclose(recorded.measure(some), 0.0, atol=1e-6)
    apart = recorded.measure(some + np.float32([0.0, 0.1, 0.0]))
    assert (apart <= 0.1 + 1e-6).all()
    assert apart.mean() > 0.03


def test_the_verdict_takes_the_scores_of_training_and_those_of_the_stick(comparison):
    assert not comparison.verdicts[SMALL_MODEL].accepted
    assert any("9.0 cm" in reason for reason in comparison.verdicts[SMALL_MODEL].reasons)
    assert set(comparison.stick[SMALL_MODEL]) == {"stick_off", "stick_frozen", "stick_restarts"}


@pytest.mark.parametrize("name", ["LMM_High_Decay", "LMM_High_Search_High_Decay"])
def test_offsets_never_accumulate(database, name):
    """Learned MM 5.3.3: with slow decay and frequent jumps its characters distort more and more; ours must not."""
    one = next(one for one in list_controllers(Settings(), packed=False, big=False) if one.name == name)
    crowd = WatchedCrowd(database, 4, filter="", settings=one.settings)
    rng, velocities = np.random.default_rng(0), np.zeros((4, 3))
    for step in range(60 * 60):
        if step % 20 == 0:
            angles = rng.uniform(-np.pi, np.pi, 4)
            velocities = 2.6 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=-1)
        crowd.step(move(velocities), 1 / 60)
    offsets = np.array(crowd.offsets)
    early, late = np.quantile(offsets[600:2100], 0.99), np.quantile(offsets[2100:], 0.99)
    assert late < 1.3 * early
    assert offsets.max() < 1.1 * np.pi  # half a turn, and what its velocity carries it further


def test_the_watch_sees_offsets_and_changes_nothing(database):
    plain_crowd, watched = Crowd(database, 2), WatchedCrowd(database, 2, filter=None)
    for step in range(120):
        command = move([[0, 0, 1.3], [1.3 if step > 60 else 0, 0, 0]])
        first, second = plain_crowd.step(command, 1 / 60), watched.step(command, 1 / 60)
        np.testing.assert_array_equal(first.global_positions, second.global_positions)
    assert max(watched.offsets) > 0.05


def test_the_middle_of_a_turn_is_half_way_round(comparison):
    take = find_takes(comparison, "turn 180", (EXACT,))[EXACT]
    moment = find_middle(take)
    event = next(one for one in take.scenario.events if abs(one.change) > 3)
    assert event.time < moment < event.until
    turned = take.root_yaws[round(moment * take.rate)] - take.root_yaws[round(event.time * take.rate)]
    assert abs(np.cos(turned)) < 0.3


def test_tables_figures_and_report_are_whole(comparison, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FILMS", {"turns": ("turn 180", (EXACT, SMALL_MODEL, "none"), 0.3)})
    titles = " ".join(grid.title for grid in list_tables(comparison))
    assert all(number in titles for number in ("5.2", "5.3", "5.4", "5.5", "5.6"))
    for grid in list_tables(comparison):
        assert {len(row) for row in grid.rows} == {len(grid.head)}
    assert set(draw_figures(comparison)) == {"figure 5.1", "figure 5.2"}
    write_report(tmp_path / "report.html", comparison, films=tmp_path)
    content = (tmp_path / "report.html").read_text()
    assert "takes the place of LMM" in content
    assert content.count("<img") == 3
    assert [path.name for path in tmp_path.glob("*.gif")] == ["turns.gif"]
    json.dumps(plain(comparison), allow_nan=False)


def test_a_model_that_fails_ends_with_status_1(database_file, model_file, tmp_path, capsys, monkeypatch):
    from kinematch.evaluate.comparison import comparison as module

    monkeypatch.setattr("kinematch.cli.evaluate_learned.QUICK_TIMED", 0.1)
    monkeypatch.setattr("kinematch.cli.evaluate_learned.QUICK_STICK", 2.0)
    whole = module.list_controllers
    monkeypatch.setattr(module, "list_controllers", lambda *given, **more: whole(*given, **more)[2:3])
    monkeypatch.setattr("kinematch.evaluate.evaluation.course", lambda *given, **more: SCENARIOS)
    file = tmp_path / "all.json"
    films = ["--films", str(tmp_path / "films")]  # a folder that is made
    more = ["--against", str(database_file), "--quick", "--json", str(file), *films]
    assert main(["evaluate", "learned", str(model_file), *more]) == 1
    assert list((tmp_path / "films").glob("*.gif"))
    printed = capsys.readouterr().out
    assert "still: bad" in printed
    assert "9.0 cm" in printed
    assert json.loads(file.read_text())["models"][SMALL_MODEL]["verdict"] == "bad"


def test_options_that_mean_nothing_and_other_files_are_refused(database_file, model_file, tmp_path, capsys):
    refused = {
        "expected a small one": [str(model_file)] * 3,
        "expected 20 to 500": [str(model_file), "--rate", "5"],
        "cannot be made": [str(model_file), "--films", str(model_file)],
        "kinematch train learned": [str(database_file)],
    }
    for words, options in refused.items():
        assert main(["evaluate", "learned", *options, "--against", str(database_file)]) == 2
        assert words in capsys.readouterr().err
