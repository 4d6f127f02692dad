"""Playback: which moment of its source a character plays, where time leads, and how the root moves meanwhile."""

import math

import numpy as np

from kinematch.character.constants import LOOP_RATE, LOOP_TURN, SLOWEST_PACE
from kinematch.compile.jit import inner
from kinematch.database.frame_kernels import find_clip, read_pace
from kinematch.database.time_kernels import advance_time, measure_root_motion


@inner
def read_playing(data, source, n):
    """The frame and fraction that character n plays, clamped to what exists.

    Callers use what this returns and do not read the state again: another thread may write to it at any time.
    """
    playing = data.playing
    frame, fraction = min(max(playing.frames[n], 0), source.frame_count - 1), playing.fractions[n]
    if source.each > 0:
        frame = np.int32(source.each * n)
    if not 0.0 <= fraction <= 1.0:
        fraction = 0.0
    playing.frames[n], playing.fractions[n] = frame, fraction
    return frame, fraction


@inner
def advance(data, source, n, dt):
    """Play one character's clip on; its root's motion goes into `work.motions`."""
    frame, fraction = read_playing(data, source, n)
    if source.each > 0:  # users' Python has played it on, or `runs`
        return
    seconds = dt * find_rate(data, source, n, frame)
    new_frame, new_fraction, rounds = advance_time(source, frame, fraction, seconds)
    x, z, turn = measure_root_motion(source, frame, fraction, new_frame, new_fraction, rounds)
    data.playing.frames[n], data.playing.fractions[n] = new_frame, new_fraction
    motions, scale = data.work.motions, data.rig.scale
    motions[n, 0], motions[n, 1], motions[n, 2] = x * scale, z * scale, turn
    steered = LOOP_TURN * math.sqrt(x * x + z * z) if source.loops[find_clip(source, frame)] else 0.0
    limit_adjustment(data, n, steered)


@inner
def limit_adjustment(data, n, steered):
    """How far the root may be drawn to its body in this step, as a share of its way, and turned, in rad: a share of its
    own turn, and `steered` more. A character that idles sways in place, and is left where it stands."""
    motions, settings = data.work.motions, data.settings
    motions[n, 3], motions[n, 4] = settings.adjustment_ratio, settings.turn_ratio * abs(motions[n, 2]) + steered
    if data.schedule.idle[n] or data.acting.stretches[n] >= 0:
        motions[n, 3] = motions[n, 4] = 0.0


@inner
def find_rate(data, source, n, frame):
    """How fast the clip plays: towards the body's speed, within the given change; slow clips play as they are."""
    change, pace = data.settings.rate_change, read_pace(source, frame)
    if data.acting.stretches[n] >= 0:
        return 1.0  # an action has its own time
    if source.each == 0 and source.loops[find_clip(source, frame)]:  # a row that goes on is marked as a loop too
        change = max(change, LOOP_RATE)
    if change <= 0 or pace < SLOWEST_PACE:
        return 1.0
    velocities = data.body.velocities
    speed = math.sqrt(velocities[n, 0] ** 2 + velocities[n, 2] ** 2)
    return min(max(speed / pace, 1 - change), 1 + change)
