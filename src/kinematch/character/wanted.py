"""Wanted: a command and a layer as the kernels take them, checked at the door."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematch.control.body import WORLD_RADIUS
from kinematch.control.command import Command
from kinematch.errors import KinematchError


class Wanted(NamedTuple):
    """A checked command for N characters."""

    velocities: np.ndarray  # (N, 3) m/s
    facings: np.ndarray  # (N, 3)
    filters: np.ndarray  # (N,) int32, numbers of expressions
    databases: np.ndarray  # (N,) int32


class Expressions:
    """Every filter that was asked with, by number: kernels compare numbers, not text."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._filled: dict[tuple[int, int], np.ndarray] = {}

    def number(self, expression: str) -> int:
        return self._numbers.setdefault(expression, len(self._numbers))

    def filled(self, number: int, count: int) -> np.ndarray:
        """(count,) int32 of one number; made once, since most commands ask the same of all."""
        if (number, count) not in self._filled:
            self._filled[number, count] = np.full(count, number, np.int32)
        return self._filled[number, count]

    def text(self, number: int) -> str:
        return next((text for text, known in self._numbers.items() if known == number), "")


def wanted_of(command: Command, count: int, databases: int, expressions: Expressions) -> Wanted:
    """The command in the very types that the kernels were compiled for."""
    arrays = []
    for name in ("velocities", "facings"):
        array = np.ascontiguousarray(getattr(command, name), np.float64)
        if array.shape != (count, 3):
            raise KinematchError(f"command: {name} of shape {array.shape}, expected ({count}, 3)")
        # a sum is quickly found; a dot product would wake threads that keep ours waiting. It may only have overflowed
        if not math.isfinite(array.sum()) and not np.isfinite(array).all():
            worst = int(np.argmin(np.isfinite(array).all(axis=1)))
            raise KinematchError(f"command: {name} of character {worst} are {array[worst].tolist()}, expected numbers")
        arrays.append(array)
    if isinstance(command.filter, str):
        filters = expressions.filled(expressions.number(command.filter), count)
    elif np.iterable(command.filter) and all(isinstance(one, str) for one in command.filter):
        filters = np.array([expressions.number(one) for one in command.filter], np.int32)
    else:
        raise KinematchError(f"command: filter {command.filter!r}, expected a text, or one for each character")
    if len(filters) != count:
        raise KinematchError(f"command: {len(filters)} filters, expected one or {count}")
    return Wanted(arrays[0], arrays[1], filters, _numbers(command.database, count, databases, expressions))


def _numbers(given: int | Sequence[int], count: int, databases: int, expressions: Expressions) -> np.ndarray:
    """Which database each character is to play."""
    if isinstance(given, int):
        numbers, low, high = expressions.filled(given, count), given, given
    else:
        numbers = np.ascontiguousarray(given, np.int32)
        if numbers.shape != (count,):
            raise KinematchError(f"command: databases of shape {numbers.shape}, expected one or {count}")
        low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or high >= databases:
        raise KinematchError(f"command: databases {low} to {high}, expected numbers from 0 to {databases - 1}")
    return numbers


def checked_layer(rotations: np.ndarray, weights: np.ndarray, count: int, joints: int) -> tuple[np.ndarray, np.ndarray]:
    rotations, weights = np.ascontiguousarray(rotations, np.float32), np.ascontiguousarray(weights, np.float32)
    if rotations.shape != (count, joints, 4) or weights.shape != (count, joints):
        raise KinematchError(
            f"layer of shapes {rotations.shape} and {weights.shape}, expected ({count}, {joints}, 4) and without the 4"
        )
    if not (np.isfinite(rotations).all() and np.isfinite(weights).all()):
        raise KinematchError("the layer is not finite")
    nothing = (weights > 0) & ~np.any(rotations, axis=-1)
    if nothing.any():
        character, joint = np.argwhere(nothing)[0]
        raise KinematchError(f"the layer owns joint {joint} of character {character}, and its rotation there is zero")
    return rotations, weights


def checked_places(positions: np.ndarray, yaws: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where characters stand (count, 3), and their headings (count,)."""
    try:
        places, turns = np.empty((count, 3)), np.empty(count)
        places[:], turns[:] = positions, yaws
    except (TypeError, ValueError):
        shapes = np.shape(positions), np.shape(yaws)
        raise KinematchError(f"positions {shapes[0]} and yaws {shapes[1]} for {count} characters") from None
    largest = max(abs(places).max(), abs(turns).max())
    if not largest <= WORLD_RADIUS:
        raise KinematchError(f"positions or yaws up to {largest}, expected at most {WORLD_RADIUS:g} m or rad")
    return places, turns
