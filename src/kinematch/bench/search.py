"""The search benchmark: rivals take turns on the same questions; medians, tails, recall, memory and ratios to boxes."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from time import perf_counter_ns

import numba
import numpy as np

from kinematch.bench.machine import machine
from kinematch.bench.questions import Questions, random_pairs, replayed
from kinematch.bench.rivals import BOXES, Rival, rivals
from kinematch.database.storage import Database
from kinematch.search import BoxMatcher, ExhaustiveMatcher, Matcher, WideMatcher, search_space
from kinematch.search.space import SearchSpace, roots_of

Progress = Callable[[str, int, int], None]  # what, how many done, of how many
COLD = 2**26  # bytes touched between questions to empty the caches
SAME = 1 + 1e-5  # of the least cost: rivals that round otherwise may take the other of two frames as good
CROWD = 1000


@dataclass(frozen=True)
class Plan:
    questions: int = 2000
    slow: int = 200  # questions for rivals that look at every frame
    cold: int = 40
    rounds: int = 7  # turns of each rival; the least time of each question counts


FULL = Plan()
QUICK = Plan(questions=200, slow=40, cold=5, rounds=2)


@dataclass(frozen=True)
class Row:
    """One rival on one kind of questions on one database."""

    database: str
    frames: int
    questions: str
    rival: str
    exact: bool
    median: float  # us
    p99: float  # us
    recall: float  # share of the answers that cost as little as those of the exact search
    build: float  # s
    memory: float | None  # MB
    ratio: float = 0.0  # how many times faster than boxes at the median
    ratio_p99: float = 0.0


@dataclass(frozen=True)
class Crowd:
    """A thousand questions at once."""

    database: str
    frames: int
    rival: str
    threads: int
    each: float  # us a question
    ratio: float = 0.0  # how many times faster than boxes on one thread


@dataclass(frozen=True)
class Report:
    machine: dict
    plan: Plan
    rows: list[Row]
    crowds: list[Crowd]


def bench_search(
    databases: dict[str, Database], plan: Plan = FULL, *, progress: Progress = lambda what, done, total: None
) -> Report:
    rows: list[Row] = []
    crowds: list[Crowd] = []
    for done, (name, database) in enumerate(databases.items()):
        steps = [f"{name}: {what}" for what in ("building the rivals", "recording play", "asking", "a crowd")]
        steps_total = len(databases) * len(steps)

        def tell(step: int, at: int = 4 * done, steps: list[str] = steps, total: int = steps_total) -> None:
            progress(steps[step], at + step, total)

        tell(0)
        space = search_space(database)
        field = list(rivals(space))
        tell(1)
        kinds = [random_pairs(database, space, plan.questions)]
        kinds += [replayed(database, space, rate, plan.questions) for rate in (10.0, 60.0)]
        tell(2)
        for asked in kinds:
            rows += measured(name, space, field, asked, plan)
        rows += measured(name, space, field, replace(kinds[0], name=f"{kinds[0].name}, cold caches"), plan, cold=True)
        tell(3)
        crowds += crowd(name, space, kinds[0], plan)
    return Report(machine(), plan, rows, crowds)


def measured(
    name: str, space: SearchSpace, field: list[Rival], asked: Questions, plan: Plan, *, cold: bool = False
) -> list[Row]:
    """Rivals take turns, so that whatever else the machine does befalls all of them alike."""
    queries, current = list(asked.queries), asked.current.tolist()
    counts = [plan.cold if cold else plan.slow if rival.slow else plan.questions for rival in field]
    times = [np.full(min(count, len(queries)), np.inf) for count in counts]
    answers = [np.zeros(len(t), np.int32) for t in times]
    trash = np.zeros(COLD, np.uint8) if cold else None
    for _ in range(min(plan.rounds, 3) if cold else plan.rounds):
        for rival, own, found in zip(field, times, answers):
            _turn(rival, queries, current, own, found, trash)
    truth = ExhaustiveMatcher(space).find(asked.queries[: max(map(len, times))], asked.current[: max(map(len, times))])
    rows = []
    for rival, own, found in zip(field, times, answers):
        right = costs(space, asked.queries[: len(own)], found) <= truth.costs[: len(own)] * SAME
        median, p99 = np.percentile(own, [50, 99]) / 1000
        memory = None if np.isnan(rival.memory) else rival.memory / 1e6
        rows.append(
            Row(name, space.frame_count, asked.name, rival.name, rival.exact, float(median), float(p99),
                float(right.mean()), rival.build, memory)
        )  # fmt: skip
    return _ratios(rows)


def _turn(
    rival: Rival, queries: list, current: list[int], times: np.ndarray, answers: np.ndarray, trash: np.ndarray | None
) -> None:
    ask = rival.ask
    for n in range(len(times)):
        query, frame = queries[n], current[n]
        if trash is not None:
            trash += 1
        began = perf_counter_ns()
        answer = ask(query, frame)
        took = perf_counter_ns() - began
        if took < times[n]:
            times[n] = took
        answers[n] = answer


def costs(space: SearchSpace, queries: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """What the frames (N,) found for queries (N, D) cost."""
    gaps = (queries - space.values[frames]) * roots_of(space, space.weights)
    return np.where(frames >= 0, np.sum(gaps * gaps, axis=1), np.inf)


def _ratios(rows: list[Row]) -> list[Row]:
    boxes = next(row for row in rows if row.rival == BOXES)
    return [replace(row, ratio=boxes.median / row.median, ratio_p99=boxes.p99 / row.p99) for row in rows]


def crowd(name: str, space: SearchSpace, asked: Questions, plan: Plan) -> list[Crowd]:
    """A thousand at once, by every matcher, on one thread and on all."""
    queries, current = (np.resize(a, (CROWD, *a.shape[1:])) for a in (asked.queries, asked.current))
    matchers: dict[str, Matcher] = {"boxes": BoxMatcher(space), "wide (default)": WideMatcher(space)}
    all_threads = numba.get_num_threads()
    best = {(rival, threads): np.inf for rival in matchers for threads in sorted({1, all_threads})}
    try:
        for _ in range(plan.rounds):
            for rival, threads in best:
                numba.set_num_threads(threads)
                began = perf_counter_ns()
                matchers[rival].find(queries, current)
                best[rival, threads] = min(best[rival, threads], (perf_counter_ns() - began) / 1000 / CROWD)
    finally:
        numba.set_num_threads(all_threads)
    return [
        Crowd(name, space.frame_count, rival, threads, each, best["boxes", 1] / each)
        for (rival, threads), each in best.items()
    ]


def plain(report: Report) -> dict:
    """The report in plain JSON values."""
    return asdict(report)
