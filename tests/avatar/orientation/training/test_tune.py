"""Settings of training are searched here with optuna, and with Ray Tune on a cluster of two workers."""

import pytest

from kinematch.avatar.orientation.training.train import NetworkPlan
from kinematch.avatar.orientation.training.tune import RANGES, make_plan, tune_here, tune_with_ray
from kinematch.errors import KinematchError

SMALL = NetworkPlan(hidden=8, vectors=2, steps=4, batch=8, length=24)


def test_optuna_finds_a_plan_within_the_ranges(people, need_extra):
    need_extra("torch", "train")
    seen = []
    plan, error = tune_here(people, SMALL, trials=2, progress=lambda done, total, text: seen.append(done))
    assert seen == [1, 2]
    assert 0 < error < 60
    values = vars(plan) | vars(plan.variation)
    assert all(low <= values[name] <= high for name, (low, high, _) in RANGES.items())
    assert plan.hidden == SMALL.hidden


def test_settings_of_the_variation_are_replaced_too():
    plan = make_plan({"dropout": 0.3, "hand_turn": 0.5}, SMALL)
    assert (plan.dropout, plan.variation.hand_turn, plan.steps) == (0.3, 0.5, SMALL.steps)


def test_no_trials_and_one_subject_are_refused(people, need_extra):
    need_extra("torch", "train")
    with pytest.raises(KinematchError, match="0 trials, expected 1 or more"):
        tune_here(people, SMALL, trials=0)
    with pytest.raises(KinematchError, match="two subjects"):
        tune_here(people[:1], SMALL, trials=1)


@pytest.mark.slow
def test_ray_tune_searches_with_two_workers(people, need_extra, tmp_path, monkeypatch):
    need_extra("torch", "train")
    need_extra("ray", "scale")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        plan, error = tune_with_ray(people, SMALL, trials=2, folder=tmp_path)
    finally:
        ray.shutdown()
    assert 0 < error < 60
    assert plan != SMALL
