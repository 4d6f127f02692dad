"""What stands beside weights: how they were made, from which clips, whom they never saw, and how well they do."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kinematch.avatar.orientation.estimator import DirectionEstimator, Headset
from kinematch.avatar.orientation.training.people import BUILT_IN_SUBJECT, Person
from kinematch.avatar.orientation.training.score import NetworkScore, look_around, run_estimator, summarize
from kinematch.avatar.orientation.training.train import NetworkPlan
from kinematch.avatar.orientation.training.versions import Variation
from kinematch.errors import FileError
from kinematch.writing import write_beside

Table = dict[str, dict[str, NetworkScore]]  # by people, then by estimator
SETS: Mapping[str, tuple[str, ...]] = {
    "headset alone": ("head",),
    "headset and left controller": ("head", "left_hand"),
    "three points and chest": ("head", "left_hand", "right_hand", "chest"),
    "three points and feet": ("head", "left_hand", "right_hand", "left_foot", "right_foot"),
}


def score_estimators(
    estimators: Mapping[str, DirectionEstimator],
    groups: Mapping[str, Sequence[Person]],
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
) -> Table:
    """Scores of estimators, and of the headset, on groups of people, with and without looking around."""
    whole = {"headset": Headset(), **estimators}
    users = {name: list(people) for name, people in groups.items() if people}
    users |= {f"{name}, looking around": look_around(people) for name, people in users.items()}
    table: Table = {name: {} for name in users}
    tasks = [(name, estimator) for name in users for estimator in whole]
    for done, (name, estimator) in enumerate(tasks):
        progress(done, len(tasks), f"scoring {estimator}")
        table[name][estimator] = summarize(run_estimator(whole[estimator], users[name]))
    return table


def describe_training(
    command: str, seed: int, settings: Mapping[str, Any], people: Sequence[Person], held: Sequence[Person], table: Table
) -> dict[str, Any]:
    """All that is needed to train the weights again, and to judge them."""
    return {
        "command": command,
        "seed": seed,
        "settings": dict(settings),
        "truth": "raw yaw of the hips: how they turned since a T-pose that faces +Z, projected on the ground",
        "held out": sorted({person.subject for person in held}, key=lambda name: (len(name), name)),
        "scores": {name: {who: _round(score) for who, score in rows.items()} for name, rows in table.items()},
        "clips": {person.name: person.digest for person in people if person.subject != BUILT_IN_SUBJECT},
        "built in": sorted(person.name for person in people if person.subject == BUILT_IN_SUBJECT),
    }


def _round(score: NetworkScore) -> dict[str, float | None]:
    return {name: round(value, 3) if value == value else None for name, value in asdict(score).items()}


def write_record(weights: Path, record: Mapping[str, Any]) -> Path:
    """The record as JSON beside the weights."""
    path = weights.with_suffix(".json")
    write_beside(path, (json.dumps(record, indent=1) + "\n").encode())
    return path


def read_plan(path: Path) -> NetworkPlan:
    """The settings that a record names."""
    try:
        settings = json.loads(path.read_text())["settings"]
        variation = settings.pop("variation")
        return NetworkPlan(**settings, variation=Variation(**{**variation, "rates": tuple(variation["rates"])}))
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise FileError(path, "is not a record of a recurrent network's training") from None
