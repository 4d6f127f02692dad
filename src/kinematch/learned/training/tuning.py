"""Settings of any training searched on one machine with optuna, or on many with Ray Tune's ASHA."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.learned.training.plan import check_training

RUNG_SHARES = (0.25, 0.5, 1.0)  # of the steps, after which the worse trials end
REDUCTION_FACTOR = 2  # one trial in this many continues
Ranges = Mapping[str, tuple[float, float, bool]]  # lowest, highest, whether by ratio
Report = Callable[[int, float], bool]
Trial = Callable[[Any, dict[str, float], Report], float]  # job, settings, report(step, error) -> whether to continue
Progress = Callable[[int, int, str], None]


def find_rungs(steps: int) -> list[int]:
    """The steps after which a trial reports."""
    return sorted({max(1, round(rung * steps)) for rung in RUNG_SHARES})


def search_here(
    run: Trial, given: Any, ranges: Ranges, start: Mapping[str, float], *, steps: int, trials: int, seed: int = 0,
    unit: str = "", progress: Progress = lambda *_: None,
) -> tuple[dict[str, float], float]:  # fmt: skip
    """The best settings and their error: optuna's tree-structured Parzen estimator with successive halving."""
    _check(trials, "optuna", "tune")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = optuna.pruners.SuccessiveHalvingPruner(
        min_resource=find_rungs(steps)[0], reduction_factor=REDUCTION_FACTOR
    )
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed), pruner=pruner)
    study.enqueue_trial({name: float(np.clip(start[name], *ranges[name][:2])) for name in ranges})

    def objective(trial: Any) -> float:
        values = {name: trial.suggest_float(name, low, high, log=log) for name, (low, high, log) in ranges.items()}
        stopped = False

        def report(step: int, error: float) -> bool:
            nonlocal stopped
            trial.report(error, step)
            stopped = trial.should_prune()
            return not stopped

        error = run(given, values, report)
        progress(trial.number + 1, trials, f"trial of {error:.2f} {unit}")
        if stopped:
            raise optuna.TrialPruned
        return error

    study.optimize(objective, n_trials=trials)
    return dict(study.best_params), float(study.best_value)


def search_with_ray(
    run: Trial, given: Any, ranges: Ranges, *, steps: int, trials: int, address: str | None = None,
    folder: Path | None = None,
) -> tuple[dict[str, float], float]:  # fmt: skip
    """The same with Ray Tune's ASHA: on the cluster at an address (`auto` finds one), or on this machine alone."""
    _check(trials, "ray", "scale")
    import os

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False if address is None else None, log_to_driver=False)

    def trial(values: dict[str, float], given: Any) -> None:
        def report(step: int, error: float) -> bool:
            tune.report({"error": error, "step": step})
            return True  # ASHA ends the worse trials

        run(given, values, report)

    make = {True: tune.loguniform, False: tune.uniform}
    space = {name: make[log](low, high) for name, (low, high, log) in ranges.items()}
    scheduler = ASHAScheduler(
        time_attr="step", max_t=steps, grace_period=find_rungs(steps)[0], reduction_factor=REDUCTION_FACTOR
    )  # fmt: skip
    settings = tune.TuneConfig(
        metric="error", mode="min", num_samples=trials, scheduler=scheduler, reuse_actors=True,
    )  # fmt: skip
    tuner = tune.Tuner(
        tune.with_parameters(trial, given=given), param_space=space, tune_config=settings,
        run_config=tune.RunConfig(verbose=0, storage_path=None if folder is None else str(folder)),
    )  # fmt: skip
    best = tuner.fit().get_best_result()
    if best.config is None or best.metrics is None:
        raise KinematchError("no trial came to an end")
    return dict(best.config), float(best.metrics["error"])


def _check(trials: int, package: str, extra: str) -> None:
    check_training()
    if find_spec(package) is None:
        raise KinematchError(f"this search needs an extra: pip install 'kinematch[{extra}]'")
    if trials < 1:
        raise KinematchError(f"{trials} trials, expected 1 or more")
