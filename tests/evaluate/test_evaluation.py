"""An evaluation as a whole: repeatable, measured against its source, baselines beside it."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.database.rebuild import raw_root, same_root, share_of
from kinematch.evaluate import baselines
from kinematch.evaluate.evaluation import (
    OURS,
    SOURCE,
    again,
    evaluate,
    field_of,
    make_assignment,
    perform,
    plain,
    scored,
)
from kinematch.evaluate.loops import NoLoop, rest, stride
from kinematch.evaluate.moments import worst
from kinematch.evaluate.scores import BY_NAME, TIMES, score
from kinematch.evaluate.sweeps import SWEEPS, block_weights, run_sweep
from kinematch.evaluate.targets import targets

BASELINES = {"state machine", "playback", "no transition", "no foot lock", "no adjustment"}


def without_times(values: dict) -> dict:
    scores = {row: {n: v for n, v in one.items() if n not in TIMES} for row, one in values["scores"].items()}
    return values | {"scores": scores}


def test_two_runs_with_one_seed_are_identical_apart_from_times(small, evaluation):
    again = evaluate(small)
    assert without_times(plain(again)) == without_times(plain(evaluation))
    for one, other in zip(evaluation.takes, again.takes):
        assert np.array_equal(one.global_positions, other.global_positions)


def test_the_source_and_every_baseline_stand_beside_ours(evaluation):
    assert set(evaluation.rows) == {OURS, SOURCE} | BASELINES
    for name, scores in evaluation.rows.items():
        assert set(scores) <= set(BY_NAME), name
        assert {"skate_mean", "rough", "roughest", "contact"} <= set(scores), name
    assert evaluation.rows[SOURCE]["roughest"] == pytest.approx(1.0)
    assert evaluation.rows[SOURCE]["rough"] <= 0.0011


def test_each_part_is_worth_something(evaluation):
    rows = evaluation.rows
    ours = rows[OURS]
    assert rows["no transition"]["roughest"] > ours["roughest"]
    assert rows["no foot lock"]["skate_mean"] > ours["skate_mean"]
    assert rows["no adjustment"]["position_mean"] > ours["position_mean"]
    assert rows["playback"]["position_mean"] > 1.0
    assert rows["state machine"]["skate_mean"] > ours["skate_mean"]
    # it is carried by the simulated body
    assert rows["state machine"]["position_max"] < 1e-5
    assert rows["state machine"]["facing_max"] == 0


def test_nothing_is_broken_and_targets_tell_what_was_reached(evaluation):
    assert evaluation.rows[OURS]["broken"] == 0
    held = [take for take in evaluation.takes if not take.scenario.lack]
    assert 0 < len(held) < len(evaluation.takes)  # the few clips turn at a walk, not at a run
    reached = score(held, field_of(evaluation.assignment, evaluation.takes))
    for target in evaluation.targets:
        assert target.value == reached[target.name]
        if target.name != "position_mean":
            assert target.met == (target.value <= target.limit)


def test_a_tight_clamp_wins_no_target_of_position(evaluation):
    rows = evaluation.rows
    good = rows[OURS] | {"position_mean": 0.01}
    for settings, met in (
        (Settings(), True),
        (Settings(clamp_distance=0.1), False),
        (Settings(synchronization_halflife=0.5), False),
    ):
        (position,) = (t for t in targets(good, rows[SOURCE], settings) if t.name == "position_mean")
        assert position.met == met


def test_loops_of_the_state_machine_close_without_a_step(database):
    for loop in (rest(database), stride(database, 1.3), stride(database, 2.5)):
        hips = loop.positions[:, 1]
        steps = np.linalg.norm(np.diff(np.concatenate([hips, hips[:1]]), axis=0), axis=-1)
        assert steps[-1] <= 1.5 * steps[:-1].max()
    assert 0.9 < stride(database, 1.3).seconds < 1.3


def test_the_worst_moments_are_inside_their_takes(evaluation):
    found = worst(evaluation.takes, evaluation.assignment.yardstick, evaluation.contacts, count=2)
    assert {moment.kind for moment in found} == {"roughest", "longest slide", "farthest away", "facing away"}
    assert all(0 <= moment.time <= moment.take.scenario.seconds for moment in found)


def test_a_share_of_a_database_is_made_of_contiguous_pieces(database):
    everything = np.ones(database.poses.frame_count, bool)
    part = share_of(database, 0.25, everything)
    assert part.poses.frame_count / database.poses.frame_count == pytest.approx(0.25, abs=0.1)
    # each of its clips is somewhere in the whole, frame by frame
    first = part.poses.positions[part.poses.clip_frames(0)]
    name = database.poses.clip_names.index(part.poses.clip_names[0])
    own = database.poses.positions[database.poses.clip_frames(name)]
    start = int(np.argmin(np.abs(own - first[0]).sum(axis=(1, 2))))
    assert np.array_equal(own[start : start + len(first)], first)


def test_a_raw_root_moves_no_joint_but_the_root(database):
    raw, filtered = raw_root(database), same_root(database)
    from kinematch.motion.kinematics import forward

    poses = [forward(one.poses.skeleton, one.poses.positions, one.poses.rotations)[0] for one in (raw, filtered)]
    np.testing.assert_allclose(poses[0][:, 1:], poses[1][:, 1:], atol=1e-4)
    assert np.abs(poses[0][:, 0] - poses[1][:, 0]).max() > 1e-3


def test_weights_of_blocks_reach_every_default_feature(database):
    weights = block_weights(database, (1.5, 0.8, 2.0, 3.0, 4.0))
    assert weights == {
        "trajectory_position": 1.5, "trajectory_direction": 0.8, "left_foot_position": 2.0,
        "right_foot_position": 2.0, "left_foot_velocity": 3.0, "right_foot_velocity": 3.0, "hips_velocity": 4.0,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["synchronization", "alpha", "database"])
def test_a_sweep_scores_every_variant_and_draws_one_figure(small, name):
    short = replace(small, scenarios=small.scenarios[:1])
    sweep = run_sweep(name, short, Settings())
    assert len(sweep.rows) == (2 if name == "alpha" else 3)
    assert all(np.isfinite(scores["position_mean"]) for scores in sweep.rows.values())
    assert sweep.picture().size[0] > 300
    assert set(SWEEPS) >= {"interval", "halflife", "responsiveness", "weights", "root"}


def test_rates_are_compared_with_sixty_steps_a_second_that_are_seen_as_rarely(small, monkeypatch):
    monkeypatch.setitem(SWEEPS, "rate", replace(SWEEPS["rate"], seeds=2))
    sweep = run_sweep("rate", replace(small, scenarios=small.scenarios[:1]), Settings())
    assert list(sweep.rows) == ["20", "60 seen at 20", "30", "60 seen at 30", "60", "120", "250", "500"]
    assert list(sweep.x) == ["20", "30", "60", "120", "250", "500"]  # the others are not drawn
    rare, often = sweep.rows["60 seen at 20"], sweep.rows["60"]
    assert rare["transitions"] == pytest.approx(often["transitions"], rel=0.01)  # the same run, cut to whole ones
    assert rare["jump_jerk"] < often["jump_jerk"]  # that shows less
    assert max(sweep.spreads["60"].values()) > 0


def test_a_problem_by_another_seed_and_rate_is_that_of_this_seed_and_rate(small):
    made, asked = again(small, 5, 90.0), make_assignment(small.database, seed=5, rate=90.0, quick=True)
    kept = {s.name: s.seconds for s in asked.scenarios if s.name in {s.name for s in small.scenarios}}
    assert {s.name: s.seconds for s in made.scenarios} == kept
    assert {s.name: s.seconds for s in small.scenarios} != kept
    np.testing.assert_array_equal(made.yardstick.limits.jerks, asked.yardstick.limits.jerks)
    places = np.random.default_rng(0).uniform(-5, 5, (20, 2))
    np.testing.assert_array_equal(made.terrain.heights(places), asked.terrain.heights(places))
    assert (made.source, made.seed, made.rate) == (asked.source, 5, 90.0)


def test_rates_other_than_the_database_s_are_scored_alike(small):
    """A free run moves alike at any rate; its roughest moments depend on the phase of its steps."""
    standing = [s for s in small.scenarios if s.group in ("start and stop", "standing")]
    other = replace(make_assignment(small.database, quick=True, rate=90.0), scenarios=tuple(standing))
    given = replace(small, scenarios=tuple(standing))
    one, two = (scored(each, perform(each, Settings())) for each in (given, other))
    assert two["contact"] == pytest.approx(one["contact"], rel=0.15)
    assert two["position_mean"] == pytest.approx(one["position_mean"], abs=0.04)


def test_a_baseline_that_the_database_has_no_motion_for_is_left_out_with_its_reason(small, monkeypatch):
    def find_none(*given):
        raise NoLoop("nobody stands")

    monkeypatch.setattr(baselines, "rest", find_none)
    found = evaluate(small)
    assert found.rows.keys() == {OURS, SOURCE} | BASELINES - {"state machine"}
    assert plain(found)["baselines left out"] == {"state machine": "nobody stands"}
