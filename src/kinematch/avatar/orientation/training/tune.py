"""Settings of training searched on one machine with optuna, or on many with Ray Tune's ASHA, as MMVR did."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.orientation.network import OrientationNetwork
from kinematch.avatar.orientation.recurrent import RecurrentEstimator
from kinematch.avatar.orientation.training.people import SELECTED_OFFSET, Person, split_people
from kinematch.avatar.orientation.training.score import look_around, run_estimator, summarize
from kinematch.avatar.orientation.training.train import NetworkPlan, train_recurrent
from kinematch.errors import KinematchError
from kinematch.learned.training.tuning import Trial, find_rungs, search_here, search_with_ray

RANGES = {  # lowest, highest, whether by ratio
    "learning_rate": (1e-3, 1e-2, True),
    "weight_decay": (1e-3, 0.3, True),
    "dropout": (0.0, 0.4, False),
    "smoothness": (0.2, 5.0, True),
    "look_share": (0.2, 0.9, False),
    "hand_turn": (0.1, 0.6, False),
    "head_turn": (0.03, 0.15, False),
}
Progress = Callable[[int, int, str], None]


def make_plan(values: dict[str, float], base: NetworkPlan) -> NetworkPlan:
    """A plan with some settings replaced, those of its variation too."""
    own: dict[str, Any] = {name: value for name, value in values.items() if name in NetworkPlan.__dataclass_fields__}
    more: dict[str, Any] = {name: value for name, value in values.items() if name not in own}
    return replace(base, **own, variation=replace(base.variation, **more))


def run_trial(people: Sequence[Person], plan: NetworkPlan, seed: int, report: Callable[[int, float], bool]) -> float:
    """Mean error in degrees on people left out of those given; `report(step, error)` after each rung may end it."""
    learners, judges = split_people(people, SELECTED_OFFSET)
    if not judges:
        raise KinematchError("tuning needs people of two subjects or more")
    both = [*judges, *look_around(judges)]
    rungs = find_rungs(plan.steps)
    last = np.inf

    def watch(done: int, export: Callable[[], OrientationNetwork]) -> bool:
        nonlocal last
        if done not in rungs:
            return True
        last = summarize(run_estimator(RecurrentEstimator(network=export()), both)).mean
        return report(done, last)

    train_recurrent(learners, plan, seed=seed, watch=watch)
    return float(last)


def tune_here(
    people: Sequence[Person], base: NetworkPlan, *, trials: int, seed: int = 0, progress: Progress = lambda *_: None
) -> tuple[NetworkPlan, float]:
    """The best plan and its error in degrees, found on this machine."""
    values, error = search_here(
        _make_trial(base, seed), list(people), RANGES, vars(base) | vars(base.variation), steps=base.steps,
        trials=trials, seed=seed, unit="degrees", progress=progress,
    )  # fmt: skip
    return make_plan(values, base), error


def tune_with_ray(
    people: Sequence[Person],
    base: NetworkPlan,
    *,
    trials: int,
    seed: int = 0,
    address: str | None = None,
    folder: Path | None = None,
) -> tuple[NetworkPlan, float]:
    """The same with Ray Tune: on the cluster at an address (`auto` finds one), or on this machine alone."""
    values, error = search_with_ray(
        _make_trial(base, seed), list(people), RANGES, steps=base.steps, trials=trials, address=address, folder=folder
    )
    return make_plan(values, base), error


def _make_trial(base: NetworkPlan, seed: int) -> Trial:
    return lambda people, values, report: run_trial(people, make_plan(values, base), seed, report)
