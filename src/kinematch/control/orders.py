"""Orders: a command, checked and copied into arrays of the types that kernels were compiled for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kinematch.control.command import Command
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError

LONGEST_STEP = 0.02  # s
DOUBLE = np.dtype(np.float64)


class Orders(NamedTuple):
    """A checked command for N characters."""

    velocities: np.ndarray  # (N, 3) m/s
    facings: np.ndarray  # (N, 3)
    filters: np.ndarray  # (N,) int32, numbers of filter expressions
    sources: np.ndarray  # (N,) int32
    given: np.ndarray  # (1,) bool, whether the controller says where bodies are, instead of springs
    longest_step: np.ndarray  # (1,) s; longer ones are split
    actions: np.ndarray  # (N,) int32, numbers of the actions that are requested; -1 for none
    targets: np.ndarray  # (N, 4) m and rad, where their events are to be, and the heading there; NaN for anywhere
    clears: np.ndarray  # (N, 3) m that must be free around the target; NaN for none
    times: np.ndarray  # (N,) s from now to the event; NaN for any


def make_orders(count: int) -> Orders:
    return Orders(
        np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count, np.int32), np.zeros(count, np.int32),
        np.zeros(1, bool), np.array([LONGEST_STEP]), np.full(count, -1, np.int32), np.full((count, 4), np.nan),
        np.full((count, 3), np.nan), np.full(count, np.nan),
    )  # fmt: skip


class Filters:
    """Every filter expression that was used, by number: kernels compare numbers, not text. None is a source's own."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {}
        self.texts: list[str | None] = []

    def number(self, expression: str | None) -> int:
        number = self._numbers.get(expression)
        if number is None:
            number = self._numbers[expression] = len(self.texts)
            self.texts.append(expression)
        return number

    def text(self, number: int) -> str | None:
        return self.texts[number] if 0 <= number < len(self.texts) else None


@dataclass(slots=True)
class Last:
    """What the last command named for all characters alike: most commands repeat it, and need not copy it again."""

    filter: str | None = None
    source: int = -1
    filters: Filters | None = None  # that its number is from
    request: object = None  # which, unlike these, is copied whenever there is one


def copy_command(
    command: Command, orders: Orders, filters: Filters, source_count: int, last: Last
) -> Trajectory | None:
    """Check a command and copy it into `orders`; its trajectory, if any. The step refuses what is not finite."""
    if not isinstance(command, Command):
        raise KinematchError(f"a command of type {type(command).__name__}, expected a Command, as km.move gives")
    shape = orders.velocities.shape
    _copy_vectors("velocities", command.velocities, orders.velocities, shape)
    _copy_vectors("facings", command.facings, orders.facings, shape)
    if command.filter is not last.filter or command.source is not last.source or filters is not last.filters:
        last.filters = None  # also if one of these raises
        _copy_filters(command.filter, orders.filters, filters)
        _copy_source_numbers(command.source, orders.sources, source_count)
        if (command.filter is None or type(command.filter) is str) and type(command.source) is int:
            last.filter, last.source, last.filters = command.filter, command.source, filters
    trajectory = command.trajectory
    if trajectory is None:
        return None
    if not isinstance(trajectory, Trajectory):
        raise KinematchError(f"command: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    if trajectory.count != shape[0]:
        raise KinematchError(f"command: a trajectory of {trajectory.count} characters, expected {shape[0]}")
    return trajectory


def _copy_vectors(name: str, given: Any, out: np.ndarray, shape: tuple[int, ...]) -> None:
    array = given if type(given) is np.ndarray else np.asarray(given)
    if array.shape != shape:
        raise KinematchError(f"command: {name} of shape {array.shape}, expected {shape}")
    if array.dtype is not DOUBLE and array.dtype.kind not in "fiu":
        raise KinematchError(f"command: {name} of type {array.dtype}, expected real numbers")
    out[...] = array


def refuse_orders(orders: Orders) -> None:
    """Raise an error that says what is not finite, if anything is."""
    _check_finite("velocities", orders.velocities)
    _check_finite("facings", orders.facings)


def _check_finite(name: str, vectors: np.ndarray) -> None:
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        worst = int(np.argmin(finite))
        raise KinematchError(f"command: {name} of character {worst} are {vectors[worst].tolist()}, expected numbers")


def _copy_filters(given: str | Sequence[str] | None, out: np.ndarray, filters: Filters) -> None:
    if given is None or isinstance(given, str):
        out.fill(filters.number(given))
        return
    if not isinstance(given, Sequence | np.ndarray) or not all(isinstance(one, str) for one in given):
        raise KinematchError(f"command: filter {given!r}, expected a text, or one for each character")
    if len(given) != len(out):
        raise KinematchError(f"command: {len(given)} filters, expected one or {len(out)}")
    out[...] = [filters.number(str(one)) for one in given]


def _copy_source_numbers(given: int | Sequence[int], out: np.ndarray, source_count: int) -> None:
    if type(given) is int and 0 <= given < source_count:
        out.fill(given)
        return
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), out.shape):
        raise KinematchError(f"command: source {given!r}, expected a whole number, or one for each character")
    low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or high >= source_count:
        raise KinematchError(f"command: sources {low} to {high}, expected numbers from 0 to {source_count - 1}")
    out[...] = numbers
