"""Runs: characters that play a learned model, advanced together so that the weights of its networks are read once."""

from kinematch.character.constants import LONGEST_JUMP
from kinematch.character.step.data import find_number, open_source
from kinematch.character.step.playback import find_rate, limit_adjustment, read_playing
from kinematch.compile.jit import inner, routine
from kinematch.database.run_kernels import decode_inputs, join_frames
from kinematch.database.run_path_kernels import is_run, predict_frame, shift_frames
from kinematch.math.networks import ROWS
from kinematch.math.series import rotate_about_y


@routine
def advance_runs(data, scratch, count, dt):
    """Play on the characters of the block that play models, those of one model together.

    The root moves evenly between frames, so steps of any length lead to the same spot.
    """
    for number in range(len(data.sources)):
        source = open_source(data.sources[number])
        if is_run(source):
            begin_moves(data, source, scratch, count, number, dt)
            waiting = True
            while waiting:
                waiting = pass_frames(data, source, scratch, count, number)
            end_moves(data, source, scratch, count, number)


@inner
def begin_moves(data, source, scratch, count, number, dt):
    """How far each has to go, in frames, from where its frame began."""
    for m in range(count):
        n = scratch.block[m]
        if find_number(data, data.playing.sources[n]) == number:
            frame, fraction = read_playing(data, source, n)
            ahead = dt * find_rate(data, source, n, frame) * source.frame_rate
            scratch.moves[m, 0], scratch.moves[m, 1] = fraction + min(max(ahead, 0.0), LONGEST_JUMP), fraction
            scratch.moves[m, 2] = -fraction * source.root_paths[frame, 5]  # the frame's axes as seen from the root's
            for i in range(3):
                data.work.motions[n, i] = 0.0


@inner
def pass_frames(data, source, scratch, count, number):
    """Let those that reach the next frame go on from it; whether any may reach a further one."""
    rows, passed = 0, False
    for m in range(count):
        n = scratch.block[m]
        if find_number(data, data.playing.sources[n]) == number and scratch.moves[m, 0] >= 1.0:
            add_motion(data, source, scratch, m, n, 1.0)
            scratch.moves[m, 0] -= 1.0
            scratch.moves[m, 1] = 0.0
            scratch.moves[m, 2] += source.root_paths[2 * n, 5]
            steps = shift_frames(source, n)
            predict_frame(source, n, steps + 1, scratch, rows)
            scratch.list[rows] = 2 * n + 1
            rows += 1
            passed = passed or scratch.moves[m, 0] >= 1.0
        if rows == ROWS or (m == count - 1 and rows > 0):
            decode_inputs(source, scratch, rows)
            for r in range(rows):
                join_frames(source, scratch.list[r] // 2)
            rows = 0
    return passed


@inner
def add_motion(data, source, scratch, m, n, until):
    part = until - scratch.moves[m, 1]
    path, motions = source.root_paths, data.work.motions
    x, z = rotate_about_y(path[2 * n, 3] * part, path[2 * n, 4] * part, scratch.moves[m, 2])
    motions[n, 0] += x
    motions[n, 1] += z


@inner
def end_moves(data, source, scratch, count, number):
    for m in range(count):
        n = scratch.block[m]
        if find_number(data, data.playing.sources[n]) == number:
            time = scratch.moves[m, 0]
            add_motion(data, source, scratch, m, n, time)
            motions, scale = data.work.motions, data.rig.scale
            motions[n, 0] *= scale
            motions[n, 1] *= scale
            motions[n, 2] = scratch.moves[m, 2] + time * source.root_paths[2 * n, 5]
            limit_adjustment(data, n, 0.0)
            data.playing.frames[n], data.playing.fractions[n] = 2 * n, time
