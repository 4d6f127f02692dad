"""Orders: a command checked at the border and copied into arrays of the types that kernels were compiled for."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinematch.control.body import WORLD_RADIUS
from kinematch.control.command import Command
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError


class Orders(NamedTuple):
    """A checked command for N characters."""

    vectors: np.ndarray  # (2, N, 3), velocities and facings in one piece, which is checked at once
    velocities: np.ndarray  # (N, 3) m/s
    facings: np.ndarray  # (N, 3)
    filters: np.ndarray  # (N,) int32, numbers of filter expressions
    sources: np.ndarray  # (N,) int32


def make_orders(count: int) -> Orders:
    vectors = np.zeros((2, count, 3))
    return Orders(vectors, vectors[0], vectors[1], np.zeros(count, np.int32), np.zeros(count, np.int32))


class Filters:
    """Every filter expression that was used, by number: kernels compare numbers, not text. None is a source's own."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {}
        self._texts: list[str | None] = []

    def number(self, expression: str | None) -> int:
        if expression not in self._numbers:
            self._numbers[expression] = len(self._texts)
            self._texts.append(expression)
        return self._numbers[expression]

    def text(self, number: int) -> str | None:
        return self._texts[number] if 0 <= number < len(self._texts) else None


def copy_command(command: Command, orders: Orders, filters: Filters, source_count: int) -> Trajectory | None:
    """Check a command and copy it into `orders`; its trajectory, if it carries one."""
    if not isinstance(command, Command):
        raise KinematchError(f"a command of type {type(command).__name__}, expected a Command, as km.move gives")
    _copy_vectors("velocities", command.velocities, orders.velocities)
    _copy_vectors("facings", command.facings, orders.facings)
    # a sum is quick, a dot product would wake BLAS threads; it may only have overflowed, so look closer
    if not math.isfinite(orders.vectors.sum()):
        _check_finite("velocities", orders.velocities)
        _check_finite("facings", orders.facings)
    _copy_filters(command.filter, orders.filters, filters)
    _copy_source_numbers(command.source, orders.sources, source_count)
    trajectory, count = command.trajectory, len(orders.velocities)
    if trajectory is not None and not isinstance(trajectory, Trajectory):
        raise KinematchError(f"command: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    if trajectory is not None and trajectory.count != count:
        raise KinematchError(f"command: a trajectory of {trajectory.count} characters, expected {count}")
    return trajectory


def _copy_vectors(name: str, given: Any, out: np.ndarray) -> None:
    array = given if isinstance(given, np.ndarray) else np.asarray(given)
    if array.shape != out.shape:
        raise KinematchError(f"command: {name} of shape {array.shape}, expected {out.shape}")
    if array.dtype.kind not in "fiu":
        raise KinematchError(f"command: {name} of type {array.dtype}, expected real numbers")
    out[...] = array


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


def check_places(positions: Any, yaws: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where characters stand (count, 3), and their headings (count,)."""
    try:
        places, turns = np.empty((count, 3)), np.empty(count)
        places[:], turns[:] = positions, yaws
    except (TypeError, ValueError):
        shapes = np.shape(positions), np.shape(yaws)
        raise KinematchError(f"positions {shapes[0]} and yaws {shapes[1]} for {count} characters") from None
    largest = max(abs(places).max(initial=0.0), abs(turns).max(initial=0.0))
    if not largest <= WORLD_RADIUS:
        raise KinematchError(f"positions or yaws up to {largest}, expected at most {WORLD_RADIUS:g} m or rad")
    return places, turns
