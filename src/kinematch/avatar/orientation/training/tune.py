"""Settings of training searched on one machine with optuna, or on many with Ray Tune's ASHA, as MMVR did."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.orientation.network import Network
from kinematch.avatar.orientation.recurrent import RecurrentEstimator
from kinematch.avatar.orientation.training.people import SELECTED, Person, split_people
from kinematch.avatar.orientation.training.score import look_around, run_estimator, summarize
from kinematch.avatar.orientation.training.train import Plan, check_training, train_recurrent
from kinematch.errors import KinematchError

RANGES = {  # lowest, highest, whether by ratio
    "learning_rate": (1e-3, 1e-2, True),
    "weight_decay": (1e-3, 0.3, True),
    "dropout": (0.0, 0.4, False),
    "smoothness": (0.2, 5.0, True),
    "look_share": (0.2, 0.9, False),
    "hand_turn": (0.1, 0.6, False),
    "head_turn": (0.03, 0.15, False),
}
RUNGS = (0.25, 0.5, 1.0)  # of the steps, after which the worse trials end
KEPT = 2  # one of so many goes on
Progress = Callable[[int, int, str], None]


def make_plan(values: dict[str, float], base: Plan) -> Plan:
    """A plan with some settings replaced, those of its variation too."""
    own: dict[str, Any] = {name: value for name, value in values.items() if name in Plan.__dataclass_fields__}
    more: dict[str, Any] = {name: value for name, value in values.items() if name not in own}
    return replace(base, **own, variation=replace(base.variation, **more))


def run_trial(people: Sequence[Person], plan: Plan, seed: int, report: Callable[[int, float], bool]) -> float:
    """Mean error in degrees on people left out of those given; `report(step, error)` after each rung may end it."""
    learners, judges = split_people(people, SELECTED)
    if not judges:
        raise KinematchError("tuning needs people of two subjects or more")
    both = [*judges, *look_around(judges)]
    rungs = {max(1, round(rung * plan.steps)) for rung in RUNGS}
    last = np.inf

    def watch(done: int, export: Callable[[], Network]) -> bool:
        nonlocal last
        if done not in rungs:
            return True
        last = summarize(run_estimator(RecurrentEstimator(network=export()), both)).mean
        return report(done, last)

    train_recurrent(learners, plan, seed=seed, watch=watch)
    return float(last)


def tune_here(
    people: Sequence[Person], base: Plan, *, trials: int, seed: int = 0, progress: Progress = lambda *_: None
) -> tuple[Plan, float]:
    """The best plan and its error: optuna's tree-structured Parzen estimator with successive halving."""
    _check(trials, "optuna", "tune")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=_first_rung(base), reduction_factor=KEPT)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed), pruner=pruner)
    study.enqueue_trial(_start(base))

    def objective(trial: Any) -> float:
        values = {name: trial.suggest_float(name, low, high, log=log) for name, (low, high, log) in RANGES.items()}
        stopped = False

        def report(step: int, error: float) -> bool:
            nonlocal stopped
            trial.report(error, step)
            stopped = trial.should_prune()
            return not stopped

        error = run_trial(people, make_plan(values, base), seed, report)
        progress(trial.number + 1, trials, f"trial of {error:.2f} degrees")
        if stopped:
            raise optuna.TrialPruned
        return error

    study.optimize(objective, n_trials=trials)
    return make_plan(study.best_params, base), float(study.best_value)


def tune_with_ray(
    people: Sequence[Person],
    base: Plan,
    *,
    trials: int,
    seed: int = 0,
    address: str | None = None,
    folder: Path | None = None,
) -> tuple[Plan, float]:
    """The same with Ray Tune's ASHA: on the cluster at an address (`auto` finds one), or on this machine alone."""
    _check(trials, "ray", "scale")
    import os

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False if address is None else None, log_to_driver=False)

    def trial(values: dict[str, float], people: Sequence[Person]) -> None:
        def report(step: int, error: float) -> bool:
            tune.report({"error": error, "step": step})
            return True  # ASHA itself ends what is worse

        run_trial(people, make_plan(values, base), seed, report)

    make = {True: tune.loguniform, False: tune.uniform}
    space = {name: make[log](low, high) for name, (low, high, log) in RANGES.items()}
    scheduler = ASHAScheduler(
        time_attr="step", max_t=base.steps, grace_period=_first_rung(base), reduction_factor=KEPT
    )  # fmt: skip
    settings = tune.TuneConfig(
        metric="error", mode="min", num_samples=trials, scheduler=scheduler, reuse_actors=True,
    )  # fmt: skip
    tuner = tune.Tuner(
        tune.with_parameters(trial, people=list(people)), param_space=space, tune_config=settings,
        run_config=tune.RunConfig(verbose=0, storage_path=None if folder is None else str(folder)),
    )  # fmt: skip
    best = tuner.fit().get_best_result()
    if best.config is None or best.metrics is None:
        raise KinematchError("no trial came to an end")
    return make_plan(best.config, base), float(best.metrics["error"])


def _start(base: Plan) -> dict[str, float]:
    values = vars(base) | vars(base.variation)
    return {name: float(np.clip(values[name], low, high)) for name, (low, high, _) in RANGES.items()}


def _first_rung(base: Plan) -> int:
    return max(1, round(RUNGS[0] * base.steps))


def _check(trials: int, package: str, extra: str) -> None:
    check_training()
    if find_spec(package) is None:
        raise KinematchError(f"this search needs an extra: pip install 'kinematch[{extra}]'")
    if trials < 1:
        raise KinematchError(f"{trials} trials, expected 1 or more")
