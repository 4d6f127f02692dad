"""Running a course: all its scenarios at once, one character each, and what each of them did."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.evaluate.course import Scenario
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton

SEPARATE_CROWD_SECONDS = (
    45.0  # s; longer scenarios run in a crowd of their own, so that the others need not wait for them standing
)
Progress = Callable[[int, int], None]


class Mover(Protocol):
    """What can be put through a course: a Crowd, or a baseline that steps alike."""

    @property
    def body(self) -> SimulatedBody: ...

    @property
    def root_yaws(self) -> np.ndarray: ...

    @property
    def frames(self) -> np.ndarray: ...

    def step(self, command: Command, dt: float) -> Any:
        """A Shown."""


Start = Callable[[int, bool], Mover]  # how many characters, whether on uneven terrain


@dataclass(frozen=True, eq=False)
class Take:
    """What one character did, and what was asked of it."""

    scenario: Scenario
    skeleton: Skeleton
    rate: float  # Hz
    positions: np.ndarray  # (T, J, 3) m, in the parent's space, joint 0 the root
    rotations: np.ndarray  # (T, J, 4)
    global_positions: np.ndarray  # (T, J, 3) m
    root_yaws: np.ndarray  # (T,) rad
    body_positions: np.ndarray  # (T, 3) m, of the simulated body
    body_yaws: np.ndarray  # (T,) rad
    velocities: np.ndarray  # (T, 3) m/s, wanted
    facings: np.ndarray  # (T, 3), wanted; zero keeps
    frames: np.ndarray  # (T,) of the database
    jumped: np.ndarray  # (T,) bool

    @property
    def times(self) -> np.ndarray:
        """Seconds at the end of each step (T,)."""
        return np.arange(1, len(self.positions) + 1) / self.rate

    def clip(self, start: float = 0.0, seconds: float | None = None) -> Clip:
        """A stretch of it as a clip, to draw or to write."""
        first = round(start * self.rate)
        last = len(self.positions) if seconds is None else first + max(2, round(seconds * self.rate))
        return Clip(
            self.skeleton, self.positions[first:last], self.rotations[first:last], self.rate, self.scenario.name
        )


@dataclass(frozen=True, eq=False)
class CourseRun:
    takes: tuple[Take, ...]
    step_seconds: np.ndarray  # (S,) of each call
    step_characters: np.ndarray  # (S,) in each call


def run(
    scenarios: Sequence[Scenario],
    start: Start,
    *,
    skeleton: Skeleton,
    rate: float = 60.0,
    filter: str = "",
    progress: Progress | None = None,
) -> CourseRun:
    """Put a course to what `start` makes."""
    groups: dict[tuple[bool, bool], list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault((scenario.terrain, scenario.seconds > SEPARATE_CROWD_SECONDS), []).append(scenario)
    total = sum(_steps(group, rate) for group in groups.values())
    made: dict[Scenario, Take] = {}
    seconds: list[np.ndarray] = []
    counts: list[np.ndarray] = []
    done = 0
    for (terrain, _), group in groups.items():
        told = partial(_tell, progress, done, total)
        takes, times = _run_group(group, start(len(group), terrain), skeleton, rate, filter, told)
        made |= dict(zip(group, takes))
        seconds.append(times)
        counts.append(np.full(len(times), len(group)))
        done += _steps(group, rate)
    return CourseRun(tuple(made[s] for s in scenarios), np.concatenate(seconds), np.concatenate(counts))


def _tell(progress: Progress | None, done: int, total: int, steps: int) -> None:
    if progress is not None:
        progress(done + steps, total)


def _steps(group: Sequence[Scenario], rate: float) -> int:
    return max(round(scenario.seconds * rate) for scenario in group)


def _run_group(
    group: list[Scenario], mover: Mover, skeleton: Skeleton, rate: float, filter: str, told: Callable[[int], None]
) -> tuple[list[Take], np.ndarray]:
    steps, count, joints, dt = _steps(group, rate), len(group), skeleton.joint_count, 1 / rate
    lengths = [round(scenario.seconds * rate) for scenario in group]
    asked = _asked(group, steps, rate)
    controllers = {n: scenario.steer() for n, scenario in enumerate(group) if scenario.steer is not None}
    made: dict[str, np.ndarray] = {
        "positions": np.empty((steps, count, joints, 3), np.float32),
        "rotations": np.empty((steps, count, joints, 4), np.float32),
        "global_positions": np.empty((steps, count, joints, 3), np.float32),
        "root_yaws": np.empty((steps, count)),
        "body_positions": np.empty((steps, count, 3)),
        "body_yaws": np.empty((steps, count)),
        "frames": np.empty((steps, count), np.int64),
        "jumped": np.empty((steps, count), bool),
    }
    seconds = np.empty(steps)
    for t in range(steps):
        for n, controller in controllers.items():
            own = controller.command(_one(mover.body, n), dt)
            asked[0][t, n], asked[1][t, n] = own.velocities[0], own.facings[0]
        command = Command(asked[0][t], asked[1][t], filter)
        before = time.perf_counter()
        out = mover.step(command, dt)
        seconds[t] = time.perf_counter() - before
        for name in ("positions", "rotations", "global_positions", "jumped"):
            made[name][t] = getattr(out, name)
        made["root_yaws"][t], made["frames"][t] = mover.root_yaws, mover.frames
        made["body_positions"][t], made["body_yaws"][t] = mover.body.positions, mover.body.yaws
        if t % 60 == 0:
            told(t)
    made |= {"velocities": asked[0], "facings": asked[1]}
    takes = [
        Take(scenario, skeleton, rate, **{name: values[: lengths[n], n].copy() for name, values in made.items()})
        for n, scenario in enumerate(group)
    ]
    return takes, seconds


def _one(body: SimulatedBody, n: int) -> SimulatedBody:
    """The body of one character."""
    names = ("positions", "velocities", "accelerations", "yaws", "yaw_rates")
    return SimulatedBody(*(getattr(body, name)[n : n + 1] for name in names))


def _asked(group: list[Scenario], steps: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and facings (T, N, 3): after its end a scenario stands still."""
    velocities, facings = np.zeros((2, steps, len(group), 3))
    # a command counts from the step that begins when it is given
    times = (np.arange(steps) + 0.5) / rate
    for n, scenario in enumerate(group):
        own = times < scenario.seconds
        velocities[own, n], facings[own, n] = scenario.wanted(times[own])
    return velocities, facings
