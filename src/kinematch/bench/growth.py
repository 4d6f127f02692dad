"""Cost against database size: real databases, and beyond the largest its clips again, each a little displaced."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any

import numpy as np

from kinematch.bench.questions import Questions, random_pairs, replayed
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.search import WideMatcher, search_space
from kinematch.search.space import SearchSpace

JITTER = 0.1  # of a feature's deviation, by which each copy of a clip is displaced


@dataclass(frozen=True)
class Growth:
    """Medians of the default search and the exponents fitted to them."""

    frames: list[int]
    random: list[float]  # us
    play: list[float]  # us
    random_exponent: float
    play_exponent: float


def check_largest(databases: dict[str, Database], largest: int) -> None:
    """Growth is seen on two sizes or more."""
    sizes = {database.poses.frame_count for database in databases.values()}
    if len(sizes) < 2 and largest <= max(sizes):
        raise KinematchError(f"growth to {largest} frames, expected more than the {max(sizes)} of the database")


def growth(
    databases: dict[str, Database],
    largest: int,
    *,
    count: int = 1000,
    rounds: int = 5,
    progress: Callable[[int], None] = lambda frames: None,
) -> Growth:
    """Databases in the order of their size, then copies of the largest, doubling, up to so many frames."""
    check_largest(databases, largest)
    sizes: dict[int, tuple[float, float]] = {}
    space = asked = None
    for database in sorted(databases.values(), key=lambda database: database.poses.frame_count):
        space = search_space(database)
        progress(space.frame_count)
        asked = random_pairs(database, space, count), replayed(database, space, 10.0, count)
        sizes[space.frame_count] = _medians(space, asked, rounds)
    assert space is not None
    assert asked is not None
    size = space.frame_count
    while size < largest:
        size = min(2 * size, largest)
        progress(size)
        sizes[size] = _medians(jittered(space, size), asked, rounds)
    random, play = ([times[k] for times in sizes.values()] for k in range(2))
    exponents = [float(np.polyfit(np.log(list(sizes)), np.log(times), 1)[0]) for times in (random, play)]
    return Growth(list(sizes), random, play, *exponents)


def jittered(space: SearchSpace, size: int, seed: int = 0) -> SearchSpace:
    """A space followed by copies of its clips, each displaced as a whole as another take would be, up to a size."""
    rng = np.random.default_rng(seed)
    copies = -(-size // space.frame_count)
    lengths = space.clip_stops - space.clip_starts
    deviation = space.values.std(axis=0)
    values = [space.values]
    for _ in range(copies - 1):
        offsets = rng.normal(size=(len(lengths), space.column_count)) * JITTER * deviation
        values.append(space.values + np.repeat(offsets.astype(np.float32), lengths, axis=0))
    stops = np.concatenate([space.clip_stops + k * space.frame_count for k in range(copies)])
    stops = np.append(stops[stops < size], size).astype(np.int32)
    repeated: dict[str, Any] = {
        name: np.tile(getattr(space, name), copies)[:size] for name in ("targets", "ends", "cost_factor")
    }
    return replace(
        space,
        values=np.concatenate(values)[:size],
        clip_starts=np.append(0, stops[:-1]).astype(np.int32),
        clip_stops=stops,
        tags=np.tile(space.tags, (copies, 1))[:size],
        **repeated,
    )


def _medians(space: SearchSpace, asked: tuple[Questions, Questions], rounds: int) -> tuple[float, float]:
    matcher = WideMatcher(space)
    times = [np.full(len(questions.queries), np.inf) for questions in asked]
    for _ in range(rounds):
        for questions, own in zip(asked, times):
            for n, (query, current) in enumerate(zip(questions.queries, questions.current.tolist())):
                began = perf_counter_ns()
                matcher.find_one(query, current)
                own[n] = min(own[n], perf_counter_ns() - began)
    random, play = (float(np.median(own)) / 1000 for own in times)
    return random, play
