"""History: the last minutes as they were shown, to the bit, with the states to go on from."""

import threading
from collections import deque
from dataclasses import dataclass, field

from kinematch.character import Settings
from kinematch.character.state import State
from kinematch.errors import KinematchError
from kinematch.stream.picture import Picture

MAX_HISTORY_SECONDS = 180.0  # s
MAX_HISTORY_BYTES = 400_000_000  # bytes; a large crowd is remembered for less long


@dataclass(frozen=True, eq=False)
class Moment:
    """One step: what was shown, and what is needed to go on from it and to say why."""

    step: int
    picture: Picture
    states: dict[str, State] = field(default_factory=dict)  # by group; empty where none was kept
    settings: dict[str, Settings] = field(default_factory=dict)  # by side
    filters: dict[str, str] = field(default_factory=dict)  # by group
    progress: dict[str, float] = field(default_factory=dict)  # m along the path, by group
    lineup: bytes = b""  # frame of the characters beside the first one; empty for none

    @property
    def size(self) -> int:
        return self.picture.nbytes + len(self.lineup) + sum(state.nbytes for state in self.states.values())


class History:
    """Moments in order of their steps; written by the simulation, read by anyone."""

    def __init__(self, step_rate: float):
        self._most = round(MAX_HISTORY_SECONDS * step_rate)
        self._moments: deque[Moment] = deque()
        self._size = 0
        self._lock = threading.Lock()

    def add(self, moment: Moment) -> None:
        with self._lock:
            self._moments.append(moment)
            self._size += moment.size
            while len(self._moments) > self._most or (self._size > MAX_HISTORY_BYTES and len(self._moments) > 1):
                self._size -= self._moments.popleft().size

    def forget_after(self, step: int) -> None:
        with self._lock:
            while self._moments and self._moments[-1].step > step:
                self._size -= self._moments.pop().size

    def at(self, step: int) -> Moment:
        """The moment of a step, or the nearest one that is kept."""
        with self._lock:
            index = step - self._moments[0].step  # steps follow one another without gaps
            return self._moments[min(max(index, 0), len(self._moments) - 1)]

    def with_states(self, step: int) -> Moment:
        """The last moment up to a step from which one can go on."""
        for moment in reversed(self.between(0, step + 1)):
            if moment.states:
                return moment
        raise KinematchError(f"step {step} is no longer kept, so it cannot be resumed from")

    def between(self, start: int = 0, stop: int | None = None) -> list[Moment]:
        """Moments of the steps [start, stop)."""
        with self._lock:
            return [m for m in self._moments if start <= m.step and (stop is None or m.step < stop)]

    @property
    def bounds(self) -> tuple[int, int]:
        """First and last step that are kept; (0, 0) for none."""
        with self._lock:
            return (self._moments[0].step, self._moments[-1].step) if self._moments else (0, 0)
