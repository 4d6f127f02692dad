"""Experiments: each measures what some claims ask for, on what is at hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kinematch.character.settings import Settings
from kinematch.database.storage import Database
from kinematch.evaluate.evaluation import Assignment, perform, scored
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.results import Result
from kinematch.evaluate.run import CourseRun, Start
from kinematch.evaluate.scores import BY_NAME, Scores


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    run: Callable[[Material], Result]


def run_course(
    material: Material, what: str, settings: Settings, *, database: Database | None = None, start: Start | None = None
) -> tuple[Assignment, CourseRun]:
    """The course under some settings, on another database if one is given."""
    given = material.assignment if database is None else replace(material.assignment, database=database)
    return given, perform(given, settings, start=start, progress=partial(material.progress, what))


def score_course(material: Material, what: str, settings: Settings, *, database: Database | None = None) -> Scores:
    """All measures of such a run; those of our defaults are measured once."""
    kept: dict[str, Any] = material.made.setdefault("course", {})
    key = repr((settings, id(database)))
    if key not in kept:
        given, done = run_course(material, what, settings, database=database)
        # the yardstick is the whole database's; frames are those of the one that played
        kept[key] = scored(given, done), database
    return kept[key][0]


def in_unit(scores: Scores, measure: str) -> float:
    """A measure in the unit in which it is shown."""
    return scores.get(measure, float("nan")) * BY_NAME[measure].scale
