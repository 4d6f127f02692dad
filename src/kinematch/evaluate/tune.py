"""Tuning: a search for the settings whose run scores best, by a mix of measures, reported on held-out seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from kinematch.character.settings import Settings
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.evaluate.evaluation import Assignment, again, check_seed, make_assignment, perform, scored
from kinematch.evaluate.scores import BY_NAME, Scores
from kinematch.evaluate.sweeps import BLOCKS, block_weights
from kinematch.evaluate.targets import targets

MIX: Mapping[str, float] = {
    "position_mean": 1.0, "turn_median": 1.0, "speed_median": 0.5, "skate_mean": 1.0, "rough": 1.0, "pops": 0.5,
    "transitions": 0.25,
}  # fmt: skip
RANGES: Mapping[str, tuple[float, float, bool]] = {  # low, high, on a logarithmic scale
    "search_interval": (0.05, 0.3, True),
    "stay_bias": (0.005, 0.5, True),
    "ignore": (0.2, 2.0, True),
    "transition_halflife": (0.05, 0.2, True),
    "adjustment_halflife": (0.1, 0.8, True),
    "adjustment_ratio": (0.1, 0.8, False),
    "turn_halflife": (0.1, 0.8, True),
    "turn_ratio": (0.1, 1.2, False),
    "lock_halflife": (0.03, 0.2, True),
    "unlock_halflife": (0.05, 0.3, True),
    "unlock_distance": (0.08, 0.5, False),
}
WEIGHT = (0.25, 6.0)  # factor of a block of features, logarithmic
BROKEN = 1e3  # added to the mix of settings that miss a target
CAP = 4.0  # times its first value, from which on a measure counts no more: one failure must not hide all else
UNSEEN = 1000  # added to a seed for one that tuning has not seen
_COUNTS = ("pops", "broken")
_MAXIMA = ("roughest", *(name for name in BY_NAME if name.endswith("_max")))
_POOLING: Mapping[str, Callable[..., Any]] = dict.fromkeys(_COUNTS, np.sum) | dict.fromkeys(_MAXIMA, np.max)
Progress = Callable[[int, int, float], None]  # trials done, in all, best so far


@dataclass(frozen=True, eq=False)
class Tuned:
    settings: Settings  # those that tuning began with, if none are better
    improved: bool  # whether others are: on the seed that was tuned on, and without a target missed on unseen ones
    mix: Mapping[str, float]
    best: float  # the mix on the seed that was tuned on, of what it was at the start
    trials: int
    before: Scores  # on unseen seeds
    after: Scores
    gain: float  # the mix after tuning, on unseen seeds
    source: Scores


def parse_mix(text: str) -> dict[str, float]:
    """`skate_mean=2,position_mean=1` as weights of measures."""
    mix = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, number = part.partition("=")
        if name not in BY_NAME:
            raise KinematchError(unknown("measure", name, BY_NAME))
        try:
            mix[name] = float(number or 1.0)
        except ValueError:
            raise KinematchError(f"mix {part!r}, expected measure=number") from None
        if BY_NAME[name].better != "less" and name != "transitions":
            raise KinematchError(f"measure {name!r} is not one of which less is better")
        if not 0 <= mix[name] < np.inf:
            raise KinematchError(f"mix {part!r}, expected a number from 0 on")
    if not sum(mix.values()):
        raise KinematchError("the mix is empty: name measures, such as skate_mean=1,position_mean=1")
    return mix


def mixed(scores: Scores, reference: Scores, mix: Mapping[str, float]) -> float:
    """The weighted mean of measures, each as a multiple of its reference: 1 is as good as that, less is better."""
    total = 0.0
    for name, weight in mix.items():
        value, usual = scores.get(name, np.nan), reference.get(name, np.nan)
        share = value / usual if usual > 0 else 1.0 + value
        total += weight * (min(share, CAP) if np.isfinite(share) else CAP)
    return total / sum(mix.values())


def breaks_a_target(scores: Scores, reference: Scores, source: Scores, settings: Settings) -> bool:
    """Whether a limit that the reference keeps is passed, or one that it does not by more: no mix buys that.

    A tight clamp meets no target of position, but there is still a limit to keep.
    """
    before = {target.name: target.value for target in targets(reference, source, settings)}
    return any(
        target.name in before and not target.value <= max(target.limit, before[target.name])
        for target in targets(scores, source, settings)
    )


def check_tuning(trials: int, seed: int) -> None:
    """Refuse at once what tuning cannot do."""
    if find_spec("optuna") is None:
        raise KinematchError("tuning needs an extra: pip install 'kinematch[tune]'")
    if trials < 1:
        raise KinematchError(f"{trials} trials, expected 1 or more")
    check_seed(seed)


def tune(
    database: Database,
    filter: str = "",
    *,
    settings: Settings | None = None,
    trials: int = 40,
    mix: Mapping[str, float] = MIX,
    seed: int = 0,
    quick: bool = True,
    weights: bool = True,
    progress: Progress | None = None,
) -> Tuned:
    """Half-lives, limits and weights by a tree-structured Parzen estimator, from some settings on.

    Without `weights` those of features stay as they are: the result then suits other databases too.
    """
    check_tuning(trials, seed)
    import optuna

    settings = settings or Settings()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    seen = make_assignment(database, filter, seed=seed, quick=quick)
    reference = _scores(seen, settings)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True))
    blocks = BLOCKS if weights else ()
    study.enqueue_trial(_start(settings, blocks))
    best = np.inf

    def objective(trial: Any) -> float:
        nonlocal best
        tried = _suggested(trial, database, settings, blocks)
        scores = _scores(seen, tried)
        value = mixed(scores, reference, mix)
        if breaks_a_target(scores, reference, seen.source, tried):
            value += BROKEN
        best = min(best, value)
        if progress is not None:
            progress(trial.number + 1, trials, best)
        return value

    study.optimize(objective, n_trials=trials)
    improved = study.best_value < 1.0
    chosen = _suggested(study.best_trial, database, settings, blocks) if improved else settings
    unseen = [again(seen, seed + UNSEEN + n, seen.rate) for n in range(2)]
    before, after = ([_scores(one, each) for one in unseen] for each in (settings, chosen))
    if any(breaks_a_target(a, b, seen.source, chosen) for a, b in zip(after, before)):
        chosen, after, improved = settings, before, False  # luck on the seed that was tuned on
    return Tuned(
        chosen, improved, dict(mix), min(1.0, study.best_value), trials, pooled(before), pooled(after),
        float(np.mean([mixed(a, b, mix) for a, b in zip(after, before)])), seen.source,
    )  # fmt: skip


def _scores(given: Assignment, settings: Settings) -> Scores:
    return scored(given, perform(given, settings))


def pooled(rows: Sequence[Scores]) -> Scores:
    """Scores of several seeds as one: of counts the sum, of largest values the largest, of all else the mean."""
    names = [name for name in rows[0] if all(name in row for row in rows)]
    return {name: float(_POOLING.get(name, np.mean)([row[name] for row in rows])) for name in names}


def _start(settings: Settings, blocks: Sequence[str]) -> dict[str, float]:
    """The settings that tuning begins with, within its ranges; blocks weigh what they do."""
    start = {name: float(np.clip(getattr(settings, name), low, high)) for name, (low, high, _) in RANGES.items()}
    return start | dict.fromkeys(blocks, 1.0)


def _suggested(trial: Any, database: Database, settings: Settings, blocks: Sequence[str]) -> Settings:
    values = {name: trial.suggest_float(name, low, high, log=log) for name, (low, high, log) in RANGES.items()}
    if not blocks:
        return replace(settings, **values)
    factors = block_weights(database, [trial.suggest_float(block, *WEIGHT, log=True) for block in blocks])
    own = database.features.weights.features
    usual = {f.name: own.get(f.name, f.weight) for f in database.features.schema.features} | dict(settings.weights)
    return replace(settings, **values, weights=usual | {name: usual[name] * f for name, f in factors.items()})
