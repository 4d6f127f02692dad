"""The comparison: every controller on one course, with its scores, its distance from the data, its time and memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.character.settings import Settings
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.baselines import StateMachine
from kinematch.evaluate.comparison.controllers import (
    BIG_MODEL,
    EXACT,
    MACHINE,
    PACKED,
    SMALL_MODEL,
    ComparedController,
    list_controllers,
)
from kinematch.evaluate.comparison.costs import measure_resident, time_steps
from kinematch.evaluate.comparison.movers import WatchedCrowd
from kinematch.evaluate.comparison.nearest import Recorded, score_nearest
from kinematch.evaluate.evaluation import Assignment, finite, perform, scored
from kinematch.evaluate.gaits import admitted
from kinematch.evaluate.run import Mover, Take
from kinematch.evaluate.scores import Scores
from kinematch.learned.model import Model
from kinematch.learned.scoring import check_same_body
from kinematch.learned.verdict import Verdict, judge, score_stick

OF_FRAMES = ("repetition", "distinct", "used", "dead", "looping")  # which computed poses have none of
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Opened:
    """A database, packed database or model, and its file if it has one."""

    source: Any
    path: Path | None

    @property
    def name(self) -> str:
        return self.path.stem if self.path else "built-in"

    @property
    def file_bytes(self) -> int | None:
        return self.path.stat().st_size if self.path else None


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    controller: ComparedController
    scores: Scores  # of the course, and nearest_mean and nearest_p95 in m
    takes: tuple[Take, ...]
    offsets: np.ndarray  # (S,) rad, largest offset of any joint in each step of the longest run; empty for a machine
    times: np.ndarray  # (S,) s of each step of one character


@dataclass(frozen=True, eq=False)
class Comparison:
    assignment: Assignment
    opened: Mapping[str, Opened]  # by what plays: EXACT, PACKED, SMALL_MODEL, BIG_MODEL
    rows: Mapping[str, ComparisonRow]
    stick: Mapping[str, Scores]  # random stick, by what plays: SMALL_MODEL, BIG_MODEL
    verdicts: Mapping[str, Verdict]


def compare(
    given: Assignment, opened: Mapping[str, Opened], settings: Settings | None = None, *,
    stick_seconds: float = 150.0, timed_seconds: float = 20.0, progress: Progress | None = None,
) -> Comparison:  # fmt: skip
    """Put all controllers to a course; `opened` has EXACT and SMALL_MODEL; PACKED and BIG_MODEL are optional."""
    told = progress or (lambda what, done, total: None)
    models = {name: one.source for name, one in opened.items() if name in (SMALL_MODEL, BIG_MODEL)}
    for name, model in models.items():
        _check(model, given.database, opened[name].name)
    controllers = list_controllers(settings or Settings(), packed=PACKED in opened, big=BIG_MODEL in opened)
    recorded = Recorded(given.database, admitted(given.database, given.filter))
    stick, verdicts = {}, {}
    for name, model in models.items():
        told(f"random stick, {name}", 0, 1)
        stick[name] = score_stick(model, seconds=stick_seconds)
        verdicts[name] = judge({**model.scores, **stick[name]}, snaps=model.snaps)
    told("timing", 0, 1)
    speeds = list(given.gaits.forward.values())
    movers = {one.name: _start(given, opened, one, 1, False) for one in controllers}
    times = time_steps(movers, speeds, seconds=timed_seconds)
    rows = {}
    for one in controllers:
        rows[one.name] = _run(given, opened, one, recorded, times[one.name], partial(told, one.name))
    return Comparison(given, opened, rows, stick, verdicts)


def _check(model: Any, database: Database, name: str) -> None:
    if not isinstance(model, Model):
        raise KinematchError(f"{name} is no learned model; `kinematch train learned` makes one")
    try:
        check_same_body(model, database)
    except KinematchError as error:
        raise KinematchError(f"{name}: {error}") from None


def _start(
    given: Assignment, opened: Mapping[str, Opened], controller: ComparedController, count: int, terrain: bool
) -> Mover:  # fmt: skip
    if controller.plays == MACHINE:
        return StateMachine(given.database, count, gaits=given.gaits, settings=controller.settings, filter=given.filter)
    # a model has its own tags, and its own filter
    filter_ = given.filter if controller.plays in (EXACT, PACKED) else None
    ground = given.terrain if terrain else None
    source = opened[controller.plays].source
    return WatchedCrowd(source, count, filter=filter_, settings=controller.settings, terrain=ground)


def _run(
    given: Assignment,
    opened: Mapping[str, Opened],
    controller: ComparedController,
    recorded: Recorded,
    times: np.ndarray,
    told: Callable[[int, int], None],
) -> ComparisonRow:
    movers: list[Mover] = []

    def start(count: int, terrain: bool) -> Mover:
        movers.append(_start(given, opened, controller, count, terrain))
        return movers[-1]

    done = perform(given, controller.settings, start=start, progress=told)
    scores = scored(given, done, flat=controller.plays == MACHINE) | score_nearest(done.takes, recorded)
    if controller.plays in (SMALL_MODEL, BIG_MODEL):
        scores = {name: value for name, value in scores.items() if name not in OF_FRAMES}
    watched = [np.array(mover.offsets) for mover in movers if isinstance(mover, WatchedCrowd)]
    offsets = max(watched, key=len, default=np.zeros(0))
    return ComparisonRow(controller, scores, done.takes, offsets, times)


def measure_memory(comparison: Comparison) -> dict[str, tuple[int | None, int]]:
    """Bytes of the file, if there is one, and resident, by what plays."""
    return {name: (one.file_bytes, measure_resident(one.source)) for name, one in comparison.opened.items()}


def plain(comparison: Comparison) -> dict[str, Any]:
    """Every figure in values that JSON knows, SI units."""
    given = comparison.assignment
    return {
        "rate": given.rate,
        "seed": given.seed,
        "gaits": dict(given.gaits.forward) | {"strafe": given.gaits.strafe},
        "plays": {name: one.name for name, one in comparison.opened.items()},
        "controllers": {
            name: {
                "plays": row.controller.plays,
                "times": row.controller.times,
                "search_interval": row.controller.settings.search_interval,
                "forced_interval": row.controller.settings.forced_interval,
                "transition": row.controller.settings.transition,
                "transition_halflife": row.controller.settings.transition_halflife,
                "scores": finite(row.scores),
                "largest_offset": float(row.offsets.max()) if len(row.offsets) else None,
                "step_mean": float(row.times.mean()),
                "step_median": float(np.median(row.times)),
                "step_p99": float(np.quantile(row.times, 0.99)),
            }
            for name, row in comparison.rows.items()
        },
        "memory": {
            name: {"file": file, "resident": resident} for name, (file, resident) in measure_memory(comparison).items()
        },
        "models": {
            name: {
                "trained": dict(comparison.opened[name].source.about),
                "scores": finite({**comparison.opened[name].source.scores, **comparison.stick[name]}),
                "verdict": verdict.grade,
                "reasons": list(verdict.reasons),
            }
            for name, verdict in comparison.verdicts.items()
        },
    }
