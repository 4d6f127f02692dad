"""Search time against database size: real databases, then copies of the largest with displaced clips."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any

import numpy as np

from kinematch.bench.queries import QuerySet, random_pairs, record_play
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.search import WideMatcher, search_space
from kinematch.search.space import SearchSpace

JITTER_DEVIATIONS = 0.1  # displacement of each copy of a clip, in standard deviations of a feature


@dataclass(frozen=True)
class Growth:
    """Medians of the default search and the exponents fitted to them."""

    frames: list[int]
    random: list[float]  # us
    play: list[float]  # us
    random_exponent: float
    play_exponent: float


def check_largest(databases: dict[str, Database], largest: int) -> None:
    """Growth needs two sizes or more."""
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
    """Measure databases by size, then copies of the largest, doubling up to a number of frames."""
    check_largest(databases, largest)
    sizes: dict[int, tuple[float, float]] = {}
    space = query_sets = None
    for database in sorted(databases.values(), key=lambda database: database.poses.frame_count):
        space = search_space(database)
        progress(space.frame_count)
        query_sets = random_pairs(database, space, count), record_play(database, space, 10.0, count)
        sizes[space.frame_count] = _medians(space, query_sets, rounds)
    assert space is not None
    assert query_sets is not None
    size = space.frame_count
    while size < largest:
        size = min(2 * size, largest)
        progress(size)
        sizes[size] = _medians(jittered(space, size), query_sets, rounds)
    random, play = ([times[k] for times in sizes.values()] for k in range(2))
    exponents = [float(np.polyfit(np.log(list(sizes)), np.log(times), 1)[0]) for times in (random, play)]
    return Growth(list(sizes), random, play, *exponents)


def jittered(space: SearchSpace, size: int, seed: int = 0) -> SearchSpace:
    """A space followed by copies of its clips up to a size; each copy is displaced as a whole, like another take."""
    rng = np.random.default_rng(seed)
    copies = -(-size // space.frame_count)
    lengths = space.clip_stops - space.clip_starts
    deviation = space.values.std(axis=0)
    values = [space.values]
    for _ in range(copies - 1):
        offsets = rng.normal(size=(len(lengths), space.column_count)) * JITTER_DEVIATIONS * deviation
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


def _medians(space: SearchSpace, query_sets: tuple[QuerySet, QuerySet], rounds: int) -> tuple[float, float]:
    matcher = WideMatcher(space)
    times: tuple[list[int], list[int]] = [], []
    for _ in range(rounds):
        for query_set, samples in zip(query_sets, times):
            for query, current in zip(query_set.queries, query_set.current.tolist()):
                began = perf_counter_ns()
                matcher.find_one(query, current)
                samples.append(perf_counter_ns() - began)
    random, play = (float(np.median(samples)) / 1000 for samples in times)
    return random, play
