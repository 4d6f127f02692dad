"""The character benchmark: whole steps for crowds of growing size, and which part of a step takes how long."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from kinematch.bench.machine import machine
from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.character.step.step import ASK, END, MOVE, PROJECT, SCHEDULE, SHOW
from kinematch.compile.jit import kernel
from kinematch.control.command import Command, move
from kinematch.database.storage import Database
from kinematch.threads import SHARED, at_most, count_threads, run_each

Progress = Callable[[str, int, int], None]  # what, how many done, of how many
CROWD_SIZES = (1, 10, 100, 1000, 10000)
DT = 1 / 60
SETTINGS = Settings(search_interval=0.1)  # s: ten searches a second each, the rest as it comes
SPEEDS = (0.0, 1.3, 1.3, 2.5)  # m/s of the sticks
STAGE_CHARACTERS = 512  # characters with stages that are timed together
TRIAL_TURNS = 1_000_000  # turns of a loop to see how long they take
STAGES = {  # by name, where each begins
    "schedule": SCHEDULE, "ask": ASK, "project, transition": PROJECT, "advance, adjust, decode": MOVE, "feet": SHOW,
}  # fmt: skip
COMMAND_SECONDS = 1.5  # s after which a stick is pushed elsewhere, on average


@dataclass(frozen=True)
class CrowdSizeTimes:
    """A crowd of one size on one database."""

    database: str
    frames: int
    joints: int
    characters: int
    median: float  # ms of a step
    p99: float  # ms
    fixed_p99: float  # ms, of a loop of always the same work and the step's median, as many threads: the machine's own
    each: float  # us of a step for one character, median
    memory: float  # kB for each character, state and result
    searches: float  # in a second for each character
    stages: dict[str, float]  # us for each character, on one core


@dataclass(frozen=True)
class CrowdReport:
    machine: dict[str, Any]
    settings: dict[str, Any]
    rows: tuple[CrowdSizeTimes, ...]


def bench_character(
    databases: dict[str, Database], *, counts: tuple[int, ...] = CROWD_SIZES, seconds: float = 4.0, progress: Progress
) -> CrowdReport:
    """Crowds steered by wandering sticks, everything on; steps of a sixtieth of a second."""
    rows: list[CrowdSizeTimes] = []
    total = len(databases) * len(counts)
    for name, database in databases.items():
        for count in counts:
            progress(f"{name}: {count} characters", len(rows), total)
            rows.append(_row(name, database, count, seconds))
    return CrowdReport(machine(), {"search_interval": SETTINGS.search_interval, "dt": DT}, tuple(rows))


def plain(report: CrowdReport) -> dict[str, Any]:
    """As JSON has it."""
    return asdict(report)


def _row(name: str, database: Database, count: int, seconds: float) -> CrowdSizeTimes:
    spin(1)
    crowd = Crowd(database, count, settings=SETTINGS, positions=_places(count))
    out = crowd.step(move(np.zeros((count, 3))), DT)
    steps = min(max(round(150 * seconds), round(seconds / DT * 10 / count**0.5)), 3000)  # enough for a 99th percentile
    first, turns, searched = steps // 5, 0, 0
    times, fixed = np.empty((2, steps))
    for step, command in enumerate(_sticks(count, steps)):
        before = perf_counter()
        crowd.step(command, DT, out=out)
        times[step] = perf_counter() - before
        searched += int(out.searched.sum())
        if step == first:
            turns = round(TRIAL_TURNS * np.median(times[:first]) / min(_fixed(1, TRIAL_TURNS) for _ in range(5)))
        fixed[step] = _fixed(count, turns)
    settled = times[first + 1 :]
    memory = crowd.state.nbytes + sum(array.nbytes for array in out)
    return CrowdSizeTimes(
        database=name,
        frames=database.poses.frame_count,
        joints=database.poses.skeleton.joint_count,
        characters=count,
        median=float(np.median(settled)) * 1e3,
        p99=float(np.percentile(settled, 99)) * 1e3,
        fixed_p99=float(np.percentile(fixed[first + 1 :], 99)) * 1e3,
        each=float(np.median(settled)) / count * 1e6,
        memory=memory / count / 1000,
        searches=searched / count / (steps * DT),
        stages=_stages(database, count, max(steps // 3, 20)),
    )


@kernel
def spin(turns: int) -> float:
    """Work with a time that does not depend on memory."""
    x = 1.0
    for _ in range(turns):
        x = x * 0.999999 + 1e-9
    return x


def _fixed(count: int, turns: int) -> float:
    """Seconds that this takes on as many threads as a crowd's step."""
    before = perf_counter()
    threads = count_threads() if count >= SHARED else 1
    run_each(range(threads), lambda _: spin(turns))
    return perf_counter() - before


def _stages(database: Database, count: int, steps: int) -> dict[str, float]:
    """Measured in a run of its own, since looking costs time too, and on one core: two would mix their parts."""
    with at_most(1):
        crowd = Crowd(database, count, settings=SETTINGS, positions=_places(count))
        out = crowd.step(move(np.zeros((count, 3))), DT)
        spent = dict.fromkeys(STAGES, 0.0)
        for command in _sticks(count, steps):
            crowd.prepare(command, out)
            for start in range(0, count, STAGE_CHARACTERS):  # whose poses are then still in cache
                some = crowd.characters[start : start + STAGE_CHARACTERS]
                for (name, enter), leave in zip(STAGES.items(), [*list(STAGES.values())[1:], END]):
                    if enter != SCHEDULE or start == 0:
                        before = perf_counter()
                        crowd.runner.run(DT, enter, leave, some)
                        spent[name] += perf_counter() - before
    return {name: seconds / steps / count * 1e6 for name, seconds in spent.items()}


def _places(count: int) -> np.ndarray:
    side = int(np.ceil(count**0.5))
    return np.array([[n % side, 0.0, n // side] for n in range(count)], np.float64)


def _sticks(count: int, steps: int, seed: int = 0) -> Iterator[Command]:
    """Commands of sticks that are pushed elsewhere now and then."""
    rng = np.random.default_rng(seed)
    angles, speeds = rng.uniform(-np.pi, np.pi, count), rng.choice(SPEEDS, count)
    for _ in range(steps):
        changed = rng.random(count) < DT / COMMAND_SECONDS
        angles = np.where(changed, rng.uniform(-np.pi, np.pi, count), angles)
        speeds = np.where(changed, rng.choice(SPEEDS, count), speeds)
        directions = np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)
        still = (speeds == 0)[:, None]
        yield Command(directions * speeds[:, None], np.where(still, 0.0, directions))
