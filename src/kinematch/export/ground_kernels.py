"""Ground: what exported characters stand on, a grid of heights or what a program says, between the halves of a step."""

from typing import NamedTuple

import numpy as np

from kinematch.character.step.data import EXAMPLE, make_handle
from kinematch.compile.handle import WORD, find_place
from kinematch.compile.jit import inner, part
from kinematch.compile.memory import read_float, read_size, write_size
from kinematch.export import format as at
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.scene.terrain import FARTHEST_POINT, LOOK_AHEAD
from kinematch.scene.terrain_kernels import find_height, find_normal

U = np.uintp
LEVEL, GRID, ASKED = range(3)  # kinds of ground
KIND, REPEATS, BEGUN = range(3)  # of GroundChoice.choices
ORIGIN_X, ORIGIN_Z, CELL, SECONDS = range(4)  # of GroundChoice.numbers
LARGEST_GRID = 1 << 28  # heights


class GroundChoice(NamedTuple):
    choices: np.ndarray  # (3,) int64
    numbers: np.ndarray  # (4,) m, m, m, and the s of a step that was begun
    points: np.ndarray  # (N, 1 + L, 2) m, x and z under the root and each toe, where the ground is asked for
    values: np.ndarray  # (X, Z) float32 m, heights of a grid; memory of the program


def make_ground(count: int, legs: int) -> GroundChoice:
    return GroundChoice(
        np.zeros(3, np.int64), np.zeros(4), np.zeros((count, 1 + legs, 2)), np.zeros((0, 0), np.float32)
    )  # fmt: skip


GROUND_EXAMPLE = make_ground(0, 0)
# where the handle of the data has the address of the heights; their number follows, then normals likewise
_PARTS = list(EXAMPLE._fields)
HEIGHTS_AT = sum(len(make_handle(one, getattr(EXAMPLE, one))) for one in _PARTS[: _PARTS.index("work")])
HEIGHTS_AT += find_place(EXAMPLE.work, "heights")
NORMALS_AT = HEIGHTS_AT + 3
VALUES_AT = find_place(GROUND_EXAMPLE, "values")
assert EXAMPLE.work._fields[EXAMPLE.work._fields.index("heights") + 1] == "normals"


@part
def choose_ground(instance, instance_at, ground_at, kind, values, columns, rows, cell, x, z, repeats):
    """Stand on level ground, a grid or what is asked for from the next step on; 0 or an error."""
    if not 0 <= kind <= ASKED:
        return np.int64(at.NO_CHARACTER)
    if kind == GRID:
        if values == 0 or columns < 2 or rows < 2 or columns > LARGEST_GRID // rows:
            return np.int64(at.NO_CHARACTER)
        if not (0.0 < cell <= FARTHEST_POINT and abs(x) <= FARTHEST_POINT and abs(z) <= FARTHEST_POINT):
            return np.int64(at.NOT_FINITE)
        if not are_finite_heights(U(values), columns * rows):
            return np.int64(at.NOT_FINITE)
        place = instance_at + U(WORD * (ground_at + VALUES_AT))
        write_size(place, 0, values)
        write_size(place, 1, columns)
        write_size(place, 2, rows)
        instance.ground.numbers[ORIGIN_X], instance.ground.numbers[ORIGIN_Z] = x, z
        instance.ground.numbers[CELL] = cell
    instance.ground.choices[KIND], instance.ground.choices[BEGUN] = kind, 0
    instance.ground.choices[REPEATS] = 1 if repeats != 0 else 0
    data = read_size(instance_at, 0)
    count = instance.ground.points.shape[0] if kind != LEVEL else 0
    write_size(U(data), HEIGHTS_AT + 1, count)
    write_size(U(data), NORMALS_AT + 1, count)
    return np.int64(0)


@part
def are_finite_heights(values, count):
    total = 0.0
    for i in range(count):
        total += np.float64(read_float(values, i)) * 0.0
    return total == 0.0


@inner
def find_points(data, ground, dt):
    """Where the ground is asked for: under roots and locked toes, and ahead of moving toes, to make up for the lag of
    the spring that follows it; as terrain.find_ground."""
    points, feet = ground.points, data.feet
    halflife = data.settings.ground_halflife
    for n in range(points.shape[0]):
        points[n, 0, 0], points[n, 0, 1] = data.playing.positions[n, 0], data.playing.positions[n, 2]
        for k in range(feet.locked.shape[1]):
            joint = data.rig.legs[k, 3]
            for i in range(2):
                toe = np.float64(data.pose.global_positions[n, joint, 2 * i])
                if feet.locked[n, k]:
                    toe = feet.places[n, k, 2 * i]
                elif dt > 0.0:
                    moved = toe - feet.toes[n, k, 2 * i]
                    moved = moved if moved * 0.0 == 0.0 else 0.0
                    ahead = moved * (halflife / HALFLIFE_FACTOR / dt - 1.0)
                    toe += min(max(ahead, -LOOK_AHEAD), LOOK_AHEAD)
                points[n, 1 + k, i] = toe
        for k in range(points.shape[1]):
            for i in range(2):
                if not abs(points[n, k, i]) <= FARTHEST_POINT:
                    points[n, k, i] = 0.0


@inner
def look_up(data, ground):
    """Heights and normals of the grid at the points."""
    x, z, cell = ground.numbers[ORIGIN_X], ground.numbers[ORIGIN_Z], ground.numbers[CELL]
    repeats = ground.choices[REPEATS] != 0
    for n in range(ground.points.shape[0]):
        for k in range(ground.points.shape[1]):
            px, pz = ground.points[n, k, 0], ground.points[n, k, 1]
            data.work.heights[n, k] = find_height(ground.values, x, z, cell, repeats, px, pz)
            if k > 0:
                nx, ny, nz = find_normal(ground.values, x, z, cell, repeats, px, pz)
                data.work.normals[n, k - 1, 0] = nx
                data.work.normals[n, k - 1, 1] = ny
                data.work.normals[n, k - 1, 2] = nz


@inner
def clean_ground(data):
    """What a program says of the ground may be anything: heights that are not finite become that of the root."""
    work = data.work
    for n in range(work.heights.shape[0]):
        for k in range(work.heights.shape[1]):
            if not abs(work.heights[n, k]) <= FARTHEST_POINT:
                work.heights[n, k] = data.playing.positions[n, 1]
        for k in range(work.normals.shape[1]):
            x, y, z = work.normals[n, k, 0], work.normals[n, k, 1], work.normals[n, k, 2]
            if not (abs(x) <= 1.0 and 0.0 < y <= 1.0 and abs(z) <= 1.0):
                work.normals[n, k, 0], work.normals[n, k, 1], work.normals[n, k, 2] = 0.0, 1.0, 0.0
