"""A learned model on the course, beside exact matching on the database it was trained on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.evaluate.evaluation import OURS, SOURCE, Assignment, perform, scored
from kinematch.evaluate.run import Mover
from kinematch.evaluate.scores import BY_NAME, Scores
from kinematch.evaluate.targets import QualityTarget
from kinematch.learned.model import Model
from kinematch.learned.scoring import check_same_body
from kinematch.learned.source import LearnedSource

LEARNED = "learned"
RATIOS = {"skate_mean": 1.5, "position_mean": 1.3}  # of exact matching's, at most
NEVER = ("broken", "frozen", "stuck")
Progress = Callable[[str, int, int], None]


class LearnedCrowd(Crowd):
    """A crowd that reports the database frames nearest to its characters."""

    def __init__(self, model: Model, count: int, **options: Any):
        self._source = LearnedSource(model)
        super().__init__(self._source, count, **options)

    @property
    def frames(self) -> np.ndarray:
        """(N,) by the entry that each run began from; -1 where no one can say."""
        return self._source.find_frames(self.state.give_to(0), self.characters)


@dataclass(frozen=True, eq=False)
class ModelEvaluation:
    rows: dict[str, Scores]  # learned, exact matching, the source
    targets: tuple[QualityTarget, ...]


def evaluate_model(
    model: Model, given: Assignment, settings: Settings | None = None, *, progress: Progress = lambda *_: None
) -> ModelEvaluation:
    """The same course by a model and by exact matching, under the same settings."""
    check_same_body(model, given.database)
    settings = settings or Settings()

    def start(count: int, terrain: bool) -> Mover:
        return LearnedCrowd(model, count, settings=settings, terrain=given.terrain if terrain else None)

    rows = {
        LEARNED: scored(given, perform(given, settings, start=start, progress=partial(progress, LEARNED))),
        OURS: scored(given, perform(given, settings, progress=partial(progress, OURS))),
        SOURCE: given.source,
    }
    return ModelEvaluation(rows, tuple(find_targets(rows[LEARNED], rows[OURS])))


def find_targets(learned: Scores, exact: Scores) -> list[QualityTarget]:
    """What a model must reach against exact matching."""
    limits = {
        name: (ratio * exact[name], f"at most {ratio:g} times exact matching's") for name, ratio in RATIOS.items()
    }
    limits |= {name: (max(exact[name], 0.0), "no more than exact matching") for name in NEVER if name in exact}
    return [
        QualityTarget(name, f"{BY_NAME[name].text}: {text}", learned[name], limit, bool(learned[name] <= limit + 1e-9))
        for name, (limit, text) in limits.items()
        if name in learned
    ]
