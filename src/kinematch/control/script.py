"""Script: a sequence of timed commands, played at any rate, recorded from any controller, replayed bit for bit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command, Controller
from kinematch.errors import KinematchError


@dataclass(frozen=True, eq=False)
class Script:
    """A sequence of timed commands. A command with one row (1, 3) applies to all bodies, others to one body per row."""

    commands: tuple[Command, ...]
    seconds: np.ndarray  # (S,) s, duration of each command

    def __post_init__(self) -> None:
        seconds = np.array(self.seconds, np.float64)
        if seconds.shape != (len(self.commands),) or not ((seconds >= 0) & np.isfinite(seconds)).all():
            raise KinematchError(f"times of shape {seconds.shape} for {len(self.commands)} commands, or negative ones")
        object.__setattr__(self, "seconds", seconds)

    @property
    def duration(self) -> float:
        """Seconds in all."""
        return float(self.seconds.sum())

    def steps(self, count: int = 1) -> Iterator[tuple[Command, float]]:
        """Each command, for `count` bodies, with its duration: stepping through a recording repeats the run."""
        for command, seconds in zip(self.commands, self.seconds):
            yield repeat_for_bodies(command, count), float(seconds)


class ScriptPlayer:
    """A controller that plays a script at any step rate; at its end bodies stand still."""

    def __init__(self, script: Script):
        self.script, self.time = script, 0.0
        self._ends = np.cumsum(script.seconds)

    @property
    def done(self) -> bool:
        """Whether the script has ended."""
        return self.time >= self.script.duration

    def command(self, body: SimulatedBody, dt: float) -> Command:
        # the middle of the step decides, so that rounding in sums of dt does not delay a change by a step
        n = int(np.searchsorted(self._ends, self.time + 0.5 * dt, side="right"))
        self.time += dt
        if n < len(self.script.commands):
            return repeat_for_bodies(self.script.commands[n], len(body.positions))
        last = self.script.commands[-1].filter if self.script.commands else None
        return Command(np.zeros((len(body.positions), 3)), np.zeros((len(body.positions), 3)), last)


class CommandRecorder:
    """A controller that passes on the commands of another one and records them, with the time of each step."""

    def __init__(self, controller: Controller):
        self.controller = controller
        self._commands: list[Command] = []
        self._seconds: list[float] = []

    def command(self, body: SimulatedBody, dt: float) -> Command:
        given = self.controller.command(body, dt)
        velocities, facings = (np.array(rows, np.float64) for rows in (given.velocities, given.facings))
        kept = Command(velocities, facings, _copy_plain(given.filter), _copy_plain(given.source), given.trajectory)
        self._commands.append(kept)
        self._seconds.append(float(dt))
        return kept

    @property
    def script(self) -> Script:
        """All commands so far."""
        return Script(tuple(self._commands), np.array(self._seconds))


def repeat_for_bodies(command: Command, count: int) -> Command:
    """Repeat a command of one row for all N bodies; one of N rows stays as it is."""
    rows = len(command.velocities)
    if rows == count:
        return command
    if rows != 1:
        raise KinematchError(f"a command for {rows} bodies, but there are {count}")
    if command.trajectory is not None:
        raise KinematchError(f"a command with the trajectory of one body for {count} bodies, expected one for each")
    velocities, facings = (np.repeat(rows, count, axis=0) for rows in (command.velocities, command.facings))
    return Command(velocities, facings, command.filter, command.source)


def _copy_plain(value: Any) -> Any:
    """A text, number or None as it is; a sequence of one per body as a list of its own."""
    return (
        value
        if value is None or isinstance(value, str | int)
        else [one if isinstance(one, str) else int(one) for one in value]
    )
