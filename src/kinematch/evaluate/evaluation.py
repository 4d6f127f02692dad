"""One evaluation: a course put to a database under some settings, beside the source and all baselines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings, to_plain
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.baselines import PlainPlayback, StateMachine
from kinematch.evaluate.course import Scenario
from kinematch.evaluate.following import responses
from kinematch.evaluate.gaits import Gaits, admitted, find_gaits
from kinematch.evaluate.holdings import note_lacks
from kinematch.evaluate.loops import NoLoop
from kinematch.evaluate.mix import measure_mix
from kinematch.evaluate.run import CourseRun, Mover, Start, Take, run
from kinematch.evaluate.sampling import seen
from kinematch.evaluate.scenarios import RUDE, course
from kinematch.evaluate.scores import ScoreBasis, Scores, feet_of, score, score_source, score_times
from kinematch.evaluate.targets import QualityTarget, targets
from kinematch.evaluate.yardstick import Yardstick, yardstick
from kinematch.scene.made_terrain import uneven_ground
from kinematch.scene.terrain import Terrain

OURS, SOURCE = "matching", "source"
SEEDS = 2**32  # as many as every library takes
Progress = Callable[[str, int, int], None]  # what, steps done, steps in all


@dataclass(frozen=True, eq=False)
class Assignment:
    """A database with all that is measured against."""

    database: Database
    filter: str
    rate: float
    seed: int
    quick: bool
    gaits: Gaits
    scenarios: tuple[Scenario, ...]
    yardstick: Yardstick
    source: Scores
    terrain: Terrain  # of the scenarios on uneven ground


@dataclass(frozen=True, eq=False)
class Evaluation:
    assignment: Assignment
    settings: Settings
    rows: Mapping[str, Scores]  # by method: ours, the source, the baselines
    scenarios: Mapping[str, Scores]  # ours, by scenario
    takes: tuple[Take, ...]  # ours
    targets: tuple[QualityTarget, ...]
    contacts: Mapping[str, np.ndarray]  # (T, K) of our toes as they were scored, by scenario
    left_out: Mapping[str, str]  # baselines that this database has no motion for, and why


def check_seed(seed: int) -> None:
    if not 0 <= seed < SEEDS:
        raise KinematchError(f"seed {seed}, expected 0 to {SEEDS - 1}")


def make_assignment(
    database: Database, filter: str = "", *, seed: int = 0, rate: float = 60.0, quick: bool = False
) -> Assignment:
    check_seed(seed)
    speeds = find_gaits(database, filter)
    scenarios = note_lacks(course(speeds, seed, quick=quick), database, filter)
    measured = yardstick(database, filter, _find_mix(speeds, quick), rate=rate)
    ground = uneven_ground(np.random.default_rng(seed))
    return Assignment(
        database,
        filter,
        rate,
        seed,
        quick,
        speeds,
        scenarios,
        measured,
        score_source(database.skeleton, measured),
        ground,
    )


def _find_mix(gaits: Gaits, quick: bool) -> np.ndarray:
    """Of the whole course by one seed, so that limits are the same for all seeds."""
    return measure_mix([scenario for scenario in course(gaits, quick=quick) if scenario.group != RUDE])


def again(given: Assignment, seed: int, rate: float) -> Assignment:
    """The same course by another seed, at another rate."""
    made = given
    if seed != given.seed:
        lacks = {scenario.name: scenario.lack for scenario in given.scenarios}
        whole = course(given.gaits, seed, quick=given.quick)
        scenarios = tuple(replace(one, lack=lacks[one.name]) for one in whole if one.name in lacks)
        made = replace(made, seed=seed, scenarios=scenarios, terrain=uneven_ground(np.random.default_rng(seed)))
    if rate != given.rate:
        measured = yardstick(given.database, given.filter, _find_mix(given.gaits, given.quick), rate=rate)
        made = replace(made, rate=rate, yardstick=measured, source=score_source(made.database.skeleton, measured))
    return made


def perform(
    given: Assignment,
    settings: Settings,
    *,
    start: Start | None = None,
    every: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> CourseRun:
    """Run the course under some settings, or by a baseline; every `every`-th step is seen."""

    def crowd(count: int, terrain: bool) -> Mover:
        return Crowd(given.database, count, settings=settings, terrain=given.terrain if terrain else None)

    skeleton = given.database.poses.skeleton
    done = run(
        given.scenarios, start or crowd, skeleton=skeleton, rate=given.rate, filter=given.filter, progress=progress
    )
    return seen(done, every)


def scored(given: Assignment, done: CourseRun, *, flat: bool = False) -> Scores:
    """flat for movers that know of no terrain, and are not blamed for it."""
    return score(done.takes, field_of(given, () if flat else done.takes)) | score_times(done)


def field_of(given: Assignment, takes: Sequence[Take]) -> ScoreBasis:
    """What takes are scored on; those on uneven ground bring its heights below their toes."""
    database, joints = given.database, given.yardstick.floor.joints
    ground = {}
    for take in takes:
        if take.scenario.terrain:
            toes = take.global_positions[:, joints][..., [0, 2]].astype(np.float64)
            ground[take.scenario.name] = given.terrain.heights(toes.reshape(-1, 2)).reshape(toes.shape[:2])
    mask = admitted(database, given.filter)
    return ScoreBasis(given.yardstick, mask, database.features.targets, database.poses.frame_rate, ground)


def evaluate(
    given: Assignment, settings: Settings | None = None, *, baselines: bool = True, progress: Progress | None = None
) -> Evaluation:
    """Ours, then the source, then each baseline on the same course."""
    settings = settings or Settings()
    told = progress or (lambda what, done, total: None)
    ours = perform(given, settings, progress=partial(told, OURS))
    rows: dict[str, Scores] = {OURS: scored(given, ours), SOURCE: given.source}
    field = field_of(given, ours.takes)
    by_scenario = {take.scenario.name: score([take], field) for take in ours.takes}
    left_out: dict[str, str] = {}
    if baselines:
        for name, changed, start in _baselines(given, settings):
            try:
                other = perform(given, changed, start=start, progress=partial(told, name))
            except NoLoop as error:
                left_out[name] = str(error)
                continue
            rows[name] = scored(given, other, flat=start is not None)
    # rude commands are scored for what legs do there, and not held to targets
    held = [take for take in ours.takes if not take.scenario.lack and take.scenario.group != RUDE]
    # without anything that is held to them, targets are those of all: no set meets them by having nothing
    fair = score(held, field) if 0 < len(held) < len(ours.takes) else rows[OURS]
    found = tuple(targets(fair, rows[SOURCE], settings))
    contacts = {take.scenario.name: feet_of(take, field).contact for take in ours.takes}
    return Evaluation(given, settings, rows, by_scenario, ours.takes, found, contacts, left_out)


def _baselines(given: Assignment, settings: Settings) -> Iterator[tuple[str, Settings, Start | None]]:
    def machine(count: int, terrain: bool) -> Mover:
        return StateMachine(given.database, count, gaits=given.gaits, settings=settings, filter=given.filter)

    def playback(count: int, terrain: bool) -> Mover:
        return PlainPlayback(given.database, count, settings=settings, filter=given.filter)

    yield "state machine", settings, machine
    yield "playback", settings, playback
    yield "no transition", replace(settings, transition="none"), None
    yield "no foot lock", replace(settings, foot_lock=False), None
    loose: dict[str, Any] = {
        "adjustment_halflife": 0.0,
        "turn_halflife": 0.0,
        "clamp_distance": 0.0,
        "clamp_angle": 0.0,
    }
    yield "no adjustment", replace(settings, **loose), None


def plain(evaluation: Evaluation) -> dict[str, Any]:
    """Everything in values that JSON knows, SI units; what has no value is left out."""
    given = evaluation.assignment
    poses = given.database.poses
    return {
        "frames": poses.frame_count,
        "clips": poses.clip_count,
        "filter": given.filter,
        "rate": given.rate,
        "seed": given.seed,
        "gaits": dict(given.gaits.forward) | {"strafe": given.gaits.strafe},
        "not held to targets": {one.name: one.lack for one in given.scenarios if one.lack},
        "baselines left out": dict(evaluation.left_out),
        "settings": to_plain(evaluation.settings),
        "targets": [vars(target) for target in evaluation.targets],
        "scores": {name: finite(scores) for name, scores in evaluation.rows.items()},
        "scenarios": {name: finite(scores) for name, scores in evaluation.scenarios.items()},
        "responses": _responses(evaluation.takes),
    }


def finite(scores: Scores) -> dict[str, float | None]:
    return {name: value if np.isfinite(value) else None for name, value in scores.items()}


def _responses(takes: Sequence[Take]) -> list[dict[str, Any]]:
    return [
        {
            "scenario": answer.scenario,
            "kind": answer.event.kind,
            "at": answer.event.time,
            "change": answer.event.change,
            "seconds": answer.seconds if np.isfinite(answer.seconds) else None,
            "simulated": answer.simulated if np.isfinite(answer.simulated) else None,
        }
        for take in takes
        for answer in responses(take)
    ]
