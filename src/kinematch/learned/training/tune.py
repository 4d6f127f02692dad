"""Settings of learned motion matching searched on one machine or many, by how far free runs stray from their clips."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinematch.database.storage import Database
from kinematch.learned.training.plan import ModelPlan
from kinematch.learned.training.train import Stopped, Training
from kinematch.learned.training.tuning import Progress, Report, Trial, find_rungs, search_here, search_with_ray

RANGES = {  # lowest, highest, whether by ratio
    "learning_rate": (5e-4, 6e-3, True),
    "feature_noise": (0.02, 0.3, True),
    "latent_noise": (0.02, 0.3, True),
    "difference_weight": (2.0, 30.0, True),
    "pose_weight": (0.2, 4.0, True),
}
TRIAL_STEP_SHARE = 0.2  # of the plan's steps: enough to rank settings


def run_trial(database: Database, plan: ModelPlan, seed: int, report: Report) -> float:
    """cm from the clip after 20 frames alone; `report(step, error)` after each rung of the stepper may end it."""
    training, rungs, last = Training(database, plan, seed=seed), find_rungs(plan.step_steps), float("inf")

    def watch(stage: str, step: int, value: float) -> bool:
        nonlocal last
        if stage != "step":
            return True
        last = value
        if rungs and step >= rungs[0]:
            rungs.pop(0)
            return report(step, value)
        return True

    with suppress(Stopped):
        training.run(watch=watch)
    return last


def tune_here(
    database: Database, base: ModelPlan, *, trials: int, seed: int = 0, progress: Progress = lambda *_: None
) -> tuple[ModelPlan, float]:
    """The best plan and its error in cm, found on this machine with shorter trainings."""
    short = shorten(base)
    values, error = search_here(
        _make_trial(short, seed), database, RANGES, vars(base), steps=short.step_steps, trials=trials, seed=seed,
        unit="cm", progress=progress,
    )  # fmt: skip
    return replace_values(base, values), error


def tune_with_ray(
    database: Database, base: ModelPlan, *, trials: int, seed: int = 0, address: str | None = None,
    folder: Path | None = None,
) -> tuple[ModelPlan, float]:  # fmt: skip
    """The same with Ray Tune: on the cluster at an address (`auto` finds one), or on this machine alone."""
    short = shorten(base)
    values, error = search_with_ray(
        _make_trial(short, seed), database, RANGES, steps=short.step_steps, trials=trials, address=address,
        folder=folder,
    )  # fmt: skip
    return replace_values(base, values), error


def shorten(plan: ModelPlan) -> ModelPlan:
    """The same plan with fewer steps."""
    return replace(
        plan,
        compress_steps=max(2, round(TRIAL_STEP_SHARE * plan.compress_steps)),
        step_steps=max(2, round(TRIAL_STEP_SHARE * plan.step_steps)),
    )


def replace_values(plan: ModelPlan, values: dict[str, Any]) -> ModelPlan:
    return replace(plan, **values)


def _make_trial(short: ModelPlan, seed: int) -> Trial:
    return lambda database, values, report: run_trial(database, replace_values(short, values), seed, report)
