"""The search benchmark: rivals take turns on the same questions; medians, tails, recall, memory and ratios to boxes."""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter_ns

import numpy as np

from kinematch.bench.questions import Questions, random_pairs, replayed
from kinematch.bench.rivals import Rival, missing, rivals
from kinematch.database.storage import Database
from kinematch.search import BoxMatcher, WideMatcher, search_space
from kinematch.search.space import SearchSpace, plain_space

Progress = Callable[[str], None]
SLOW = 200  # questions for rivals that look at every frame
COLD = 32 * 2**20  # bytes touched between questions to empty the caches


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
    recall: float  # share of the answers that are those of the exact search
    build: float  # s
    memory: float  # MB
    ratio: float = 0.0  # how many times faster than boxes at the median
    ratio_p99: float = 0.0


@dataclass(frozen=True)
class Crowd:
    """A thousand questions at once."""

    database: str
    frames: int
    boxes_one_thread: float  # us a question
    wide_all_cores: float  # us a question
    ratio: float


@dataclass(frozen=True)
class Report:
    machine: dict
    rows: list[Row]
    crowds: list[Crowd]

    def to_json(self) -> dict:
        return {
            "machine": self.machine,
            "rows": [asdict(r) for r in self.rows],
            "crowds": [asdict(c) for c in self.crowds],
        }


def bench_search(
    databases: dict[str, Database], *, count: int = 2000, progress: Progress = lambda text: None
) -> Report:
    rows: list[Row] = []
    crowds = []
    for name, database in databases.items():
        space = search_space(database)
        progress(f"{name}: building the rivals")
        field = list(rivals(space))
        kinds = [random_pairs(database, space, count)]
        kinds += [replayed(database, space, rate, count) for rate in (10.0, 60.0)]
        truth = WideMatcher(space)
        for questions in kinds:
            progress(f"{name}: {questions.name}")
            rows += _ratios([_measured(name, space, rival, questions, truth) for rival in field])
        progress(f"{name}: cold caches")
        fast = [rival for rival in field if rival.name in ("boxes", "wide (default)")]
        cold = Questions("random pairs, cold", kinds[0].queries[:SLOW], kinds[0].current[:SLOW])
        rows += _ratios([_measured(name, space, rival, cold, truth, flush=True) for rival in fast])
        progress(f"{name}: a crowd of 1000")
        crowds.append(_crowd(name, space, kinds[0]))
    return Report(machine(), rows, crowds)


def machine() -> dict:
    """Where and with what this was measured."""
    from numba.core.registry import cpu_target

    features = cpu_target.target_context.codegen()._tm_features.split(",")
    told = [name for name in ("avx512bw", "avx2", "sse2", "neon") if f"+{name}" in features]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "vectors": told[0] if told else "generic",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("kinematch", "numpy", "scipy", "numba")},
        "not installed": missing(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _measured(
    name: str, space: SearchSpace, rival: Rival, asked: Questions, truth: WideMatcher, *, flush: bool = False
) -> Row:
    count = len(asked.queries) if rival.name in ("boxes", "wide (default)") else min(SLOW, len(asked.queries))
    queries, current = list(asked.queries[:count]), [int(c) for c in asked.current[:count]]
    for q, c in zip(queries[:20], current[:20]):
        rival.ask(q, c)
    trash = np.zeros(COLD, np.uint8) if flush else None
    times, answers = [], []
    for q, c in zip(queries, current):
        if trash is not None:
            trash += 1
        began = perf_counter_ns()
        answer = rival.ask(q, c)
        times.append(perf_counter_ns() - began)
        answers.append(int(answer))
    right = truth.find(asked.queries[:count], asked.current[:count]).frames
    median, p99 = np.percentile(times, [50, 99]) / 1000
    return Row(
        name, space.frame_count, asked.name, rival.name, rival.exact, float(median), float(p99),
        float(np.mean(right == answers)), rival.build, rival.memory / 1e6,
    )  # fmt: skip


def _ratios(rows: list[Row]) -> list[Row]:
    boxes = next(row for row in rows if row.rival == "boxes")
    return [
        Row(**(asdict(row) | {"ratio": boxes.median / row.median, "ratio_p99": boxes.p99 / row.p99})) for row in rows
    ]


def _crowd(name: str, space: SearchSpace, asked: Questions) -> Crowd:
    queries, current = asked.queries[:1000], asked.current[:1000]
    wide, boxes = WideMatcher(space), BoxMatcher(space)

    def best(find: Callable[[], object]) -> float:
        times = []
        for _ in range(5):
            began = perf_counter_ns()
            find()
            times.append((perf_counter_ns() - began) / 1000 / len(queries))
        return min(times)

    # boxes in pieces too small for more than one thread
    pieces = [slice(k, k + 10) for k in range(0, len(queries), 10)]
    one = best(lambda: [boxes.find(queries[piece], current[piece]) for piece in pieces])
    many = best(lambda: wide.find(queries, current))
    return Crowd(name, space.frame_count, one, many, one / many)


@dataclass(frozen=True)
class Curve:
    """Cost of the default search against database size, and the exponent fitted to it."""

    frames: list[int]
    random: list[float]  # us
    play: list[float]  # us
    random_exponent: float
    play_exponent: float


def growth(database: Database, largest: int = 1_000_000, *, progress: Progress = lambda text: None) -> Curve:
    """The default on growing shares of a database and, beyond it, on copies jittered by a tenth of a deviation."""
    whole = search_space(database)
    frames, random, play = [], [], []
    size = max(256, min(16_000, whole.frame_count // 4))
    rng = np.random.default_rng(0)
    play_asked = replayed(database, whole, 10.0, 500)
    while size <= largest:
        progress(f"{size} frames")
        copies = -(-size // whole.frame_count)
        values = np.concatenate(
            [whole.values]
            + [whole.values + rng.normal(size=whole.values.shape).astype(np.float32) * 0.1 for _ in range(copies - 1)]
        )[:size]
        space = plain_space(values, weights=whole.weights)
        matcher = WideMatcher(space)
        pairs = random_pairs(database, space, 500)
        frames.append(size)
        random.append(_median(matcher, pairs.queries, pairs.current))
        play.append(_median(matcher, play_asked.queries, np.minimum(play_asked.current, size - 1)))
        size *= 2
    fits = [float(np.polyfit(np.log(frames), np.log(times), 1)[0]) for times in (random, play)]
    return Curve(frames, random, play, *fits)


def _median(matcher: WideMatcher, queries: np.ndarray, current: np.ndarray) -> float:
    times = []
    for q, c in zip(queries, current.tolist()):
        began = perf_counter_ns()
        matcher.find_one(q, c)
        times.append(perf_counter_ns() - began)
    return float(np.median(times)) / 1000
