"""Questions for a search benchmark: random pairs of pose and trajectory, and play recorded from a steered character."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.control.command import move
from kinematch.database.storage import Database
from kinematch.search import Matches, WideMatcher
from kinematch.search.space import SearchSpace


@dataclass(frozen=True, eq=False)
class Questions:
    name: str
    queries: np.ndarray  # (Q, D) float32, normalised
    current: np.ndarray  # (Q,) int32


def random_pairs(database: Database, space: SearchSpace, count: int, seed: int = 0) -> Questions:
    """The pose of one frame with the trajectory of another: harder than play, where the two belong together."""
    rng = np.random.default_rng(seed)
    frames = np.flatnonzero(space.targets)
    current, other = rng.choice(frames, count), rng.choice(frames, count)
    group = np.repeat(
        [f.group for f in database.features.schema.features], [f.width for f in database.features.schema.features]
    )
    queries = np.where(group == "trajectory", space.values[other], space.values[current])
    return Questions("random pairs", queries.astype(np.float32), current.astype(np.int32))


def replayed(database: Database, space: SearchSpace, rate: float, count: int, seed: int = 0) -> Questions:
    """What a character asks that is steered by a wandering stick and searches `rate` times a second."""
    recorder = _Recorder(space)
    crowd = Crowd(database, settings=Settings(search_interval=1 / rate, foot_lock=False), matcher=lambda _: recorder)
    rng = np.random.default_rng(seed)
    heading, speed, dt = 0.0, 1.3, 1 / 60
    while len(recorder.queries) < count:
        if rng.random() < dt / 1.5:  # a new wish every second and a half or so
            heading, speed = heading + rng.normal() * 1.2, float(rng.choice([0.0, 0.8, 1.3, 1.3, 2.6, 3.5]))
        crowd.step(move(np.array([[speed * np.sin(heading), 0.0, speed * np.cos(heading)]])), dt)
    queries, current = np.concatenate(recorder.queries)[:count], np.concatenate(recorder.current)[:count]
    return Questions(f"play at {rate:g} Hz", np.ascontiguousarray(queries), current)


class _Recorder(WideMatcher):
    """The default matcher, remembering what it was asked."""

    def __init__(self, space: SearchSpace):
        self.queries: list[np.ndarray] = []
        self.current: list[np.ndarray] = []
        super().__init__(space)

    def find(self, queries: np.ndarray, current: np.ndarray | None = None, **options) -> Matches:
        if current is not None:
            self.queries.append(np.array(queries, np.float32))
            self.current.append(np.array(current, np.int32))
        return super().find(queries, current, **options)
