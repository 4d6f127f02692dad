"""The search benchmark: matchers take turns on the same queries; medians, tails, recall, memory, paired ratios."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from time import perf_counter_ns
from typing import Any

import numpy as np

from kinematch.bench.baselines import BOXES, LINEAR, WIDE, Baseline, list_baselines
from kinematch.bench.loops import TimedSearch, explain_absence, measure_loops
from kinematch.bench.machine import machine
from kinematch.bench.queries import QuerySet, far_queries, random_pairs, record_play
from kinematch.database.storage import Database
from kinematch.search import BoxMatcher, ExhaustiveMatcher, Matcher, WideMatcher, search_space
from kinematch.search.space import SearchSpace, roots_of
from kinematch.threads import at_most, count_threads

Progress = Callable[[str, int, int], None]  # what, how many done, of how many
COLD_BYTES = 2**26  # written between queries to flush the caches
COST_TOLERANCE = 1 + 1e-5  # relative to the least cost: matchers that round differently may take another frame as good
CROWD_SIZE = 1000
STEPS = ("building the matchers", "recording play", "searching", "compiled loops", "a crowd")


@dataclass(frozen=True)
class SearchBenchPlan:
    queries: int = 1000
    slow: int = 40  # queries for matchers that visit every frame
    cold: int = 10
    rounds: int = 20  # turns of each matcher; every sample counts
    cold_loops: int = 40  # queries of compiled loops with cold caches


FULL = SearchBenchPlan()
QUICK = SearchBenchPlan(queries=100, slow=10, cold=2, rounds=5, cold_loops=5)


@dataclass(frozen=True)
class MatcherTimes:
    """One matcher on one query set of one database."""

    database: str
    frames: int
    queries: str
    matcher: str
    exact: bool
    median: float  # us, of all samples
    p99: float  # us
    recall: float  # share of answers that cost as little as those of the exact search
    build: float  # s
    memory: float | None  # MB
    ratio: float = 0.0  # how many times faster than boxes: the median over rounds of the ratio of the round's medians
    ratio_p99: float = 0.0  # of the 99th percentiles of all samples
    ratio_linear: float = 0.0  # as `ratio`, against the best linear scan


@dataclass(frozen=True)
class CrowdTimes:
    """A thousand queries in one call."""

    database: str
    frames: int
    matcher: str
    threads: int
    each: float  # us a query, the median over rounds
    ratio: float = 0.0  # how many times faster than boxes on one thread, the median over rounds


@dataclass(frozen=True)
class SearchReport:
    machine: dict[str, Any]
    plan: SearchBenchPlan
    rows: list[MatcherTimes]
    crowds: list[CrowdTimes]
    loops: list[TimedSearch]
    notes: list[str]  # what was not measured


def bench_search(
    databases: dict[str, Database], plan: SearchBenchPlan = FULL, *, progress: Progress = lambda what, done, total: None
) -> SearchReport:
    rows: list[MatcherTimes] = []
    crowds: list[CrowdTimes] = []
    loops: list[TimedSearch] = []
    notes: list[str] = []
    for done, (name, database) in enumerate(databases.items()):
        steps = [f"{name}: {what}" for what in STEPS]
        steps_total = len(databases) * len(steps)

        def tell(step: int, start: int = len(STEPS) * done, steps: list[str] = steps, total: int = steps_total) -> None:
            progress(steps[step], start + step, total)

        tell(0)
        space = search_space(database)
        matchers = list(list_baselines(space))
        tell(1)
        pairs = random_pairs(database, space, plan.queries)
        query_sets = [pairs, *(record_play(database, space, rate, plan.queries) for rate in (10.0, 60.0))]
        query_sets.append(far_queries(space, plan.queries))
        tell(2)
        for query_set in query_sets:
            rows += measure(name, space, matchers, query_set, plan)
        cold = replace(pairs, name=f"{pairs.name}, cold caches")
        rows += measure(name, space, matchers, cold, plan, cold=True)
        tell(3)
        loop_sets = [query_sets[1], pairs, query_sets[-1]]
        for cold_loops, queries, rounds in (
            (False, plan.queries, plan.rounds),
            (True, plan.cold_loops, plan.rounds // 2),
        ):
            loops += measure_loops(name, space, loop_sets, queries=queries, rounds=rounds, cold=cold_loops)
        notes += [f"{name}: {why}"] if (why := explain_absence(space)) else []
        tell(4)
        crowds += measure_crowd(name, space, pairs, plan)
    return SearchReport(machine(), plan, rows, crowds, loops, notes)


def measure(
    name: str,
    space: SearchSpace,
    matchers: list[Baseline],
    query_set: QuerySet,
    plan: SearchBenchPlan,
    *,
    cold: bool = False,
) -> list[MatcherTimes]:
    """Competitors take turns, so that other load on the machine affects all of them alike."""
    queries, current = list(query_set.queries), query_set.current.tolist()
    counts = [plan.cold if cold else plan.slow if matcher.slow else plan.queries for matcher in matchers]
    times = {matcher.name: np.zeros((plan.rounds, min(n, len(queries)))) for matcher, n in zip(matchers, counts)}
    answers = {matcher: np.zeros(samples.shape[1], np.int32) for matcher, samples in times.items()}
    flush = np.zeros(COLD_BYTES, np.uint8) if cold else None
    for turn in range(plan.rounds):
        for matcher in matchers:
            _take_turn(matcher, queries, current, times[matcher.name][turn], answers[matcher.name], flush)
    longest = max(samples.shape[1] for samples in times.values())
    truth = ExhaustiveMatcher(space).find(query_set.queries[:longest], query_set.current[:longest])
    rows = []
    for matcher in matchers:
        samples = times[matcher.name]
        count = samples.shape[1]
        right = costs(space, query_set.queries[:count], answers[matcher.name]) <= truth.costs[:count] * COST_TOLERANCE
        median, p99 = np.percentile(samples, [50, 99]) / 1000
        boxes_p99 = np.percentile(times[BOXES], 99) / 1000
        memory = None if np.isnan(matcher.memory) else matcher.memory / 1e6
        rows.append(
            MatcherTimes(name, space.frame_count, query_set.name, matcher.name, matcher.exact, float(median),
                float(p99), float(right.mean()), matcher.build, memory, ratio=paired_ratio(times[BOXES], samples),
                ratio_p99=float(boxes_p99 / p99), ratio_linear=paired_ratio(times[LINEAR], samples))
        )  # fmt: skip
    return rows


def paired_ratio(times: np.ndarray, others: np.ndarray) -> float:
    """How many times as long (R, N) the former take as the latter (R, M): round by round, on the queries of both."""
    count = min(times.shape[1], others.shape[1])
    return float(np.median(np.median(times[:, :count], axis=1) / np.median(others[:, :count], axis=1)))


def _take_turn(
    matcher: Baseline,
    queries: list[np.ndarray],
    current: list[int],
    times: np.ndarray,
    answers: np.ndarray,
    flush: np.ndarray | None,
) -> None:
    search = matcher.search
    for n in range(len(times)):
        query, frame = queries[n], current[n]
        if flush is not None:
            flush += 1
        began = perf_counter_ns()
        answer = search(query, frame)
        times[n] = perf_counter_ns() - began
        answers[n] = answer


def costs(space: SearchSpace, queries: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The costs of frames (N,) for queries (N, D)."""
    gaps = (queries - space.values[frames]) * roots_of(space, space.weights)
    return np.where(frames >= 0, np.sum(gaps * gaps, axis=1), np.inf)


def measure_crowd(name: str, space: SearchSpace, query_set: QuerySet, plan: SearchBenchPlan) -> list[CrowdTimes]:
    """A thousand queries at once, by both matchers, on one thread and on all."""
    queries, current = (np.resize(a, (CROWD_SIZE, *a.shape[1:])) for a in (query_set.queries, query_set.current))
    matchers: dict[str, Matcher] = {BOXES: BoxMatcher(space), WIDE: WideMatcher(space)}
    all_threads = count_threads()
    times: dict[tuple[str, int], list[float]] = {
        (matcher, threads): [] for matcher in matchers for threads in sorted({1, all_threads})
    }
    for _ in range(plan.rounds):
        for (matcher, threads), samples in times.items():
            with at_most(threads):
                began = perf_counter_ns()
                matchers[matcher].find(queries, current)
                samples.append((perf_counter_ns() - began) / 1000 / CROWD_SIZE)
    slowest = np.array(times[BOXES, 1])
    return [
        CrowdTimes(
            name, space.frame_count, matcher, threads, float(np.median(samples)), float(np.median(slowest / samples))
        )
        for (matcher, threads), samples in times.items()
    ]


def plain(report: SearchReport) -> dict[str, Any]:
    """The report as plain JSON values."""
    return asdict(report)
