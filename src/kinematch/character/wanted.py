"""Wanted: a command and a layer as the kernels take them, checked at the door."""

from typing import NamedTuple

import numpy as np

from kinematch.character.command import Command
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

    def number(self, expression: str) -> int:
        return self._numbers.setdefault(expression, len(self._numbers))

    def text(self, number: int) -> str:
        return next((text for text, known in self._numbers.items() if known == number), "")


def wanted_of(command: Command, count: int, databases: int, expressions: Expressions) -> Wanted:
    """The command in the very types that the kernels were compiled for."""
    arrays = []
    for name in ("velocities", "facings"):
        array = np.ascontiguousarray(getattr(command, name), np.float64)
        if array.shape != (count, 3) or not np.isfinite(array).all():
            raise KinematchError(f"command: {name} of shape {array.shape}, expected ({count}, 3), all finite")
        arrays.append(array)
    if isinstance(command.filter, str):
        filters = np.full(count, expressions.number(command.filter), np.int32)
    else:
        filters = np.array([expressions.number(one) for one in command.filter], np.int32)
    if len(filters) != count:
        raise KinematchError(f"command: {len(filters)} filters, expected one or {count}")
    try:
        numbers = np.ascontiguousarray(np.broadcast_to(np.asarray(command.database, np.int32), (count,)))
    except ValueError:
        raise KinematchError(f"command: {np.shape(command.database)} databases, expected one or {count}") from None
    if numbers.min() < 0 or numbers.max() >= databases:
        raise KinematchError(
            f"command: databases {numbers.min()} to {numbers.max()}, expected numbers from 0 to {databases - 1}"
        )
    return Wanted(arrays[0], arrays[1], filters, numbers)


def checked_layer(rotations: np.ndarray, weights: np.ndarray, count: int, joints: int) -> tuple[np.ndarray, np.ndarray]:
    rotations, weights = np.ascontiguousarray(rotations, np.float32), np.ascontiguousarray(weights, np.float32)
    if rotations.shape != (count, joints, 4) or weights.shape != (count, joints):
        raise KinematchError(
            f"layer of shapes {rotations.shape} and {weights.shape}, expected ({count}, {joints}, 4) and without the 4"
        )
    if not (np.isfinite(rotations).all() and np.isfinite(weights).all()):
        raise KinematchError("the layer is not finite")
    return rotations, weights
