"""Axes and units of engines: pose arrays of an export turned from ours; features stay as they are searched."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.search.engine.arrays import FlatArray

OURS = "right-handed, Y up, Z forward, X left; m, s, rad; quaternions w x y z, child to parent"


@dataclass(frozen=True)
class Axes:
    """Rows of `turn` are the engine's axes in ours: a signed permutation, of determinant -1 where it is left-handed."""

    turn: tuple[tuple[int, int, int], ...]
    scale: float  # units of the engine in a metre
    text: str


PLAIN = Axes(((1, 0, 0), (0, 1, 0), (0, 0, 1)), 1.0, OURS)
ENGINE_AXES = {
    "unreal": Axes(
        ((0, 0, 1), (-1, 0, 0), (0, 1, 0)), 100.0,
        "left-handed, Z up, X forward, Y right; cm, s, rad; quaternions w x y z",
    ),
    "unity": Axes(
        ((-1, 0, 0), (0, 1, 0), (0, 0, 1)), 1.0,
        "left-handed, Y up, Z forward, X right; m, s, rad; quaternions w x y z",
    ),
    "blender": Axes(
        ((1, 0, 0), (0, 0, -1), (0, 1, 0)), 1.0,
        "right-handed, Z up, -Y forward, X left; m, s, rad; quaternions w x y z",
    ),
    "godot": PLAIN,
    "three": PLAIN,
}  # fmt: skip


def turn_array(array: FlatArray, axes: Axes) -> FlatArray:
    """An array of vectors or rotations in other axes; others, and those of features, as they are."""
    kind = array.axes[-1]
    if kind not in ("xyz", "wxyz"):
        return array
    turn = np.array(axes.turn, np.float32)
    mirror = np.float32(np.round(np.linalg.det(turn)))  # axes of rotations keep their sense in a mirrored space
    values = np.asarray(array.values)
    if kind == "wxyz":
        turned = np.concatenate([values[..., :1], mirror * (values[..., 1:] @ turn.T)], axis=-1)
    elif array.unit == "rad/s":
        turned = mirror * (values @ turn.T)
    else:
        turned = np.float32(axes.scale) * (values @ turn.T)
    unit = array.unit.replace("m", "cm", 1) if axes.scale == 100 and array.unit.startswith("m") else array.unit
    return replace(array, values=turned, unit=unit)
