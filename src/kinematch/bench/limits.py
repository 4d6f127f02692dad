"""The benchmark of limits: cases that used to be slow, each as a ratio to a normal one in the same run."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter, sleep
from typing import Any

import numpy as np
from rich.table import Table

from kinematch.bench.machine import machine
from kinematch.character.crowd import Crowd
from kinematch.control.command import Command, move
from kinematch.database.storage import Database
from kinematch.threads import at_most, count_threads

Progress = Callable[[str, int, int], None]  # what, how many done, of how many
DT = 1 / 60
PAIR_COUNT = 21  # paired repetitions; their median ratio counts
STEP_COUNT = 40  # of one repetition
CROWD_SIZES = (210, 500, 1000)  # of crowds on one thread and on all
WALK_SPEED, FAST_SPEEDS = 1.3, (6.5, 20.0)  # m/s


@dataclass(frozen=True)
class Ratio:
    """One case against another, in alternating repetitions."""

    database: str
    case: str
    against: str
    median: float  # of the ratios of pairs
    low: float  # 10 % of them are lower
    high: float  # 10 % are higher
    milliseconds: float  # median of a step of the case


@dataclass(frozen=True)
class Single:
    """Steps of one character."""

    database: str
    searching: float  # us, median of steps that search
    others: float  # us, median of those that do not
    mean: float  # us, over all steps


@dataclass(frozen=True)
class LimitsReport:
    machine: dict[str, Any]
    ratios: tuple[Ratio, ...]
    singles: tuple[Single, ...]


def bench_limits(databases: dict[str, Database], *, pairs: int = PAIR_COUNT, progress: Progress) -> LimitsReport:
    """Far commands against normal ones, two threads against one, and the steps of a single character."""
    ratios: list[Ratio] = []
    singles: list[Single] = []
    total = len(databases) * (len(FAST_SPEEDS) + 2 * len(CROWD_SIZES) + 1)
    for name, database in databases.items():

        def tell(what: str, name: str = name) -> None:
            progress(f"{name}: {what}", len(ratios) + len(singles), total)

        for speed in FAST_SPEEDS:
            tell(f"100 characters at {speed:g} m/s")
            ratios.append(_compare_commands(name, database, speed, pairs))
        for paced in (False, True):
            for count in CROWD_SIZES:
                tell(f"{count} characters on one thread and on all")
                ratios.append(_compare_threads(name, database, count, paced, pairs))
        tell("one character")
        singles.append(_time_single(name, database))
    return LimitsReport(machine(), tuple(ratios), tuple(singles))


def plain(report: LimitsReport) -> dict[str, Any]:
    """As JSON has it."""
    return asdict(report)


def tables(report: LimitsReport) -> list[Table]:
    ratios = Table(title="ratios of step times, medians of pairs", title_justify="left", box=None, pad_edge=False)
    for column in ("database", "case", "against", "ratio", "10 %", "90 %", "ms"):
        ratios.add_column(column, justify="left" if column in ("database", "case", "against") else "right")
    for row in report.ratios:
        numbers = (row.median, row.low, row.high, row.milliseconds)
        ratios.add_row(row.database, row.case, row.against, *(f"{number:.2f}" for number in numbers))
    singles = Table(title="one character, us a step", title_justify="left", box=None, pad_edge=False)
    for column in ("database", "searching, median", "others, median", "mean of all"):
        singles.add_column(column, justify="left" if column == "database" else "right")
    for one in report.singles:
        singles.add_row(one.database, f"{one.searching:.1f}", f"{one.others:.1f}", f"{one.mean:.1f}")
    return [ratios, singles]


def _compare_commands(name: str, database: Database, speed: float, pairs: int) -> Ratio:
    """A crowd commanded to move faster than any motion of the database, which puts its queries far outside the data."""
    normal, far = _make_crowd(database, 100), _make_crowd(database, 100)
    rng = np.random.default_rng(0)
    walks, runs = _wander(100, WALK_SPEED, rng), _wander(100, speed, rng)
    for _ in range(60):  # until bodies reach the commanded speed
        normal.step(next(walks), DT)
        far.step(next(runs), DT)
    times = [(_time_steps(far, runs), _time_steps(normal, walks)) for _ in range(pairs)]
    return _ratio(name, f"100 told {speed:g} m/s", f"told {WALK_SPEED:g} m/s", times)


def _compare_threads(name: str, database: Database, count: int, paced: bool, pairs: int) -> Ratio:
    """One thread against all: above 1, threads pay."""
    crowd, threads = _make_crowd(database, count), count_threads()
    commands = _wander(count, WALK_SPEED, np.random.default_rng(0))
    times = []
    for _ in range(pairs):
        pair = []
        for own in (1, threads):
            with at_most(own):
                pair.append(_time_steps(crowd, commands, paced=paced))
        times.append((pair[0], pair[1]))
    how = "at 60 Hz" if paced else "back to back"
    return _ratio(name, f"{count} on one thread, {how}", f"on {threads}", times)


def _ratio(name: str, case: str, against: str, times: list[tuple[float, float]]) -> Ratio:
    ratios = np.array([a / b for a, b in times])
    low, median, high = np.percentile(ratios, (10, 50, 90))
    return Ratio(name, case, against, median, low, high, float(np.median([a for a, _ in times])) * 1e3)


def _time_single(name: str, database: Database, steps: int = 3000) -> Single:
    crowd = _make_crowd(database, 1)
    times, searched = np.empty(steps), np.empty(steps, bool)
    # made beforehand, for that takes as long as a step and drives it out of the caches
    commands = [command for command, _ in zip(_wander(1, WALK_SPEED, np.random.default_rng(0)), range(steps))]
    for step, command in enumerate(commands):
        before = perf_counter()
        pose = crowd.step(command, DT)
        times[step], searched[step] = (perf_counter() - before) * 1e6, pose.searched[0]
    times, searched = times[steps // 10 :], searched[steps // 10 :]
    return Single(name, float(np.median(times[searched])), float(np.median(times[~searched])), float(times.mean()))


def _make_crowd(database: Database, count: int) -> Crowd:
    side = int(np.ceil(count**0.5))
    crowd = Crowd(database, count, positions=np.array([[n % side, 0.0, n // side] for n in range(count)], np.float64))
    crowd.step(move(np.zeros((count, 3))), DT)
    return crowd


def _wander(count: int, speed: float, rng: np.random.Generator) -> Iterator[Command]:
    """Commands of sticks that are pushed elsewhere now and then."""
    angles = rng.uniform(-np.pi, np.pi, count)
    while True:
        angles = np.where(rng.random(count) < DT / 1.5, rng.uniform(-np.pi, np.pi, count), angles)
        yield move(speed * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1))


def _time_steps(crowd: Crowd, commands: Iterator[Command], *, paced: bool = False) -> float:
    """Mean seconds of a step; paced ones wait for the next sixtieth of a second, in which threads fall asleep."""
    spent, steps = 0.0, STEP_COUNT // 2 if paced else STEP_COUNT
    for _ in range(steps):
        command, before = next(commands), perf_counter()
        crowd.step(command, DT)
        taken = perf_counter() - before
        spent += taken
        if paced:
            sleep(max(DT - taken, 0.0))
    return spent / steps
