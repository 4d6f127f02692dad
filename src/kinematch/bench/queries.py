"""Query sets of the search benchmark: random pairs of pose and trajectory, recorded play, and far queries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.control.command import move
from kinematch.database.storage import Database
from kinematch.search import Matches, WideMatcher
from kinematch.search.space import SearchSpace

FAR_DEVIATIONS = 10.0  # how far queries of `far_queries` lie from a frame, in standard deviations of a column
CHANGED_COLUMNS = 5


@dataclass(frozen=True, eq=False)
class QuerySet:
    name: str
    queries: np.ndarray  # (Q, D) float32, normalised
    current: np.ndarray  # (Q,) int32


def random_pairs(database: Database, space: SearchSpace, count: int, seed: int = 0) -> QuerySet:
    """The pose of one frame with the trajectory of another: harder than play, where the two belong together."""
    rng = np.random.default_rng(seed)
    frames = np.flatnonzero(space.targets)
    current, other = rng.choice(frames, count), rng.choice(frames, count)
    group = np.repeat(
        [f.group for f in database.features.schema.features], [f.width for f in database.features.schema.features]
    )
    queries = np.where(group == "trajectory", space.values[other], space.values[current])
    return QuerySet("random pairs", queries.astype(np.float32), current.astype(np.int32))


def far_queries(space: SearchSpace, count: int, sigmas: float = FAR_DEVIATIONS, seed: int = 0) -> QuerySet:
    """Frames displaced far outside the data: a third in one column, a third in some, a third in all of them."""
    rng = np.random.default_rng(seed)
    current = rng.choice(np.flatnonzero(space.targets), count)
    moves = rng.normal(size=(count, space.column_count))
    rank = rng.permuted(np.tile(np.arange(space.column_count), (count, 1)), axis=1)  # a random order for each query
    moved = np.array([1, CHANGED_COLUMNS, space.column_count])[np.arange(count) % 3]
    moves = np.where(moved[:, None] < space.column_count, np.sign(moves), moves) * (rank < moved[:, None])
    queries = space.values[current] + sigmas * moves * space.values.std(axis=0, dtype=np.float64)
    return QuerySet(f"{sigmas:g} sigma away", queries.astype(np.float32), current.astype(np.int32))


def record_play(database: Database, space: SearchSpace, rate: float, count: int, seed: int = 0) -> QuerySet:
    """The queries of a character that searches `rate` times a second, steered by a wandering stick."""
    recorder = _Recorder(space)
    crowd = Crowd(database, settings=Settings(search_interval=1 / rate, foot_lock=False), matcher=lambda _: recorder)
    rng = np.random.default_rng(seed)
    heading, speed, dt = 0.0, 1.3, 1 / 60
    while len(recorder.queries) < count:
        if rng.random() < dt / 1.5:  # a new command every second and a half or so
            heading, speed = heading + rng.normal() * 1.2, float(rng.choice([0.0, 0.8, 1.3, 1.3, 2.6, 3.5]))
        crowd.step(move(np.array([[speed * np.sin(heading), 0.0, speed * np.cos(heading)]])), dt)
    queries, current = np.concatenate(recorder.queries)[:count], np.concatenate(recorder.current)[:count]
    return QuerySet(f"play at {rate:g} Hz", np.ascontiguousarray(queries), current)


class _Recorder(WideMatcher):
    """The default matcher, recording its queries."""

    def __init__(self, space: SearchSpace):
        self.queries: list[np.ndarray] = []
        self.current: list[np.ndarray] = []
        super().__init__(space)

    def find(self, queries: np.ndarray, current: np.ndarray | None = None, **options: Any) -> Matches:
        if current is not None:
            self.queries.append(np.array(queries, np.float32))
            self.current.append(np.array(current, np.int32))
        return super().find(queries, current, **options)
