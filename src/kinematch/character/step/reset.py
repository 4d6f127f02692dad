"""Reset: a character whose state is not finite restarts where it or its body is; the others go on."""

import math

from kinematch.character.step.data import find_source
from kinematch.compile.handle import copy_row
from kinematch.compile.jit import inner, routine
from kinematch.control.body import WORLD_RADIUS
from kinematch.database.run_path_kernels import enter_run, find_followed, is_run, restore_entry
from kinematch.math.vectors import Vector, vector


@routine
def reset(data, n, scratch):
    """The state of a new character, at rest at this one's position, or its body's, if that is finite."""
    body, playing, feet, beginning = data.body, data.playing, data.feet, data.beginning
    place, yaw = vector(beginning.playing.positions[0]), beginning.playing.yaws[0]
    if is_somewhere(body.positions, body.yaws, n):
        place, yaw = vector(body.positions[n]), body.yaws[n]
    if is_somewhere(playing.positions, playing.yaws, n):
        place, yaw = vector(playing.positions[n]), playing.yaws[n]
    copy_row(data, n, beginning, 0)
    body.positions[n], body.yaws[n] = place, yaw
    playing.positions[n], playing.yaws[n] = place, yaw
    for k in range(feet.grounds.shape[1]):
        feet.grounds[n, k, 0] = place.y
    source = find_source(data, n)
    if is_run(source):
        restore_entry(source.runs, source.runs.beginning, scratch.inputs[0])
        enter_run(source, n, scratch, find_followed(source.runs, source.runs.beginning))
    data.pose.displacements[n], data.pose.turns[n] = Vector(0.0, 0.0, 0.0), 0.0
    data.pose.restarted[n] = True


@inner
def is_somewhere(positions, yaws, n):
    farthest = max(abs(positions[n, 0]), abs(positions[n, 1]), abs(positions[n, 2]), abs(yaws[n]))
    total = positions[n, 0] + positions[n, 1] + positions[n, 2] + yaws[n]  # max may lose a NaN
    return math.isfinite(total) and farthest < WORLD_RADIUS
