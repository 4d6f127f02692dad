"""Script: commands with the time each lasts, played at any rate, recorded from any controller, replayed bit for bit."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command, Controller
from kinematch.errors import KinematchError


@dataclass(frozen=True, eq=False)
class Script:
    """A command of one row (1, 3) is for all bodies, others are for as many as they have rows."""

    commands: tuple[Command, ...]
    seconds: np.ndarray  # (S,) how long each lasts

    def __post_init__(self):
        seconds = np.array(self.seconds, np.float64)
        if seconds.shape != (len(self.commands),) or not ((seconds >= 0) & np.isfinite(seconds)).all():
            raise KinematchError(f"times of shape {seconds.shape} for {len(self.commands)} commands, or negative ones")
        object.__setattr__(self, "seconds", seconds)

    @property
    def duration(self) -> float:
        return float(self.seconds.sum())

    def steps(self, count: int = 1) -> Iterator[tuple[Command, float]]:
        """Each command for `count` bodies and its time, as they were recorded: stepping through them repeats a run."""
        for command, seconds in zip(self.commands, self.seconds):
            yield for_bodies(command, count), float(seconds)


class Play:
    """A controller that does what a script says, whatever the rate; afterwards bodies stand still."""

    def __init__(self, script: Script):
        self.script, self.time = script, 0.0
        self._ends = np.cumsum(script.seconds)

    @property
    def done(self) -> bool:
        return self.time >= self.script.duration

    def command(self, body: SimulatedBody, dt: float) -> Command:
        # the middle of the step decides, so that sums of dt that are a hair short of a change do not delay it
        n = int(np.searchsorted(self._ends, self.time + 0.5 * dt, side="right"))
        self.time += dt
        if n < len(self.script.commands):
            return for_bodies(self.script.commands[n], len(body.positions))
        last = self.script.commands[-1].filter if self.script.commands else None
        return Command(np.zeros((len(body.positions), 3)), np.zeros((len(body.positions), 3)), last)


class Recorder:
    """A controller that passes on what another one wants, and keeps it."""

    def __init__(self, controller: Controller):
        self.controller = controller
        self._commands: list[Command] = []
        self._seconds: list[float] = []

    def command(self, body: SimulatedBody, dt: float) -> Command:
        wanted = self.controller.command(body, dt)
        velocities, facings = (np.array(rows, np.float64) for rows in (wanted.velocities, wanted.facings))
        kept = Command(velocities, facings, _plain(wanted.filter), _plain(wanted.source))
        self._commands.append(kept)
        self._seconds.append(float(dt))
        return kept

    @property
    def script(self) -> Script:
        """All that was wanted so far."""
        return Script(tuple(self._commands), np.array(self._seconds))


def for_bodies(command: Command, count: int) -> Command:
    """A command of one row given to all of N bodies; one of N rows stays as it is."""
    rows = len(command.velocities)
    if rows == count:
        return command
    if rows != 1:
        raise KinematchError(f"a command for {rows} bodies, but there are {count}")
    velocities, facings = (np.repeat(rows, count, axis=0) for rows in (command.velocities, command.facings))
    return Command(velocities, facings, command.filter, command.source)


def _plain(value):
    """A copy that later changes do not reach: the text or number for all, or a list of one each."""
    return (
        value
        if value is None or isinstance(value, str | int)
        else [one if isinstance(one, str) else int(one) for one in value]
    )
