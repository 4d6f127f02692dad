"""Playback: which moment of its source a character plays, where time leads, and how the root moves meanwhile."""

import math

import numpy as np

from kinematch.character.constants import LOOP_RATE, LOOP_TURN, SLOWEST_PACE
from kinematch.compile.jit import inner
from kinematch.database.frame_kernels import find_clip, locate_root, read_pace, read_root
from kinematch.math.series import rotate_about_y, wrap_angle

MOST_ROUNDS = 100_000  # of a loop in one step


@inner
def read_playing(scene, source, n):
    """The frame and fraction that character n plays, clamped to what exists.

    Callers use what this returns and do not read the state again: another thread may write to it at any time.
    """
    playing = scene.playing
    frame, fraction = min(max(playing.frames[n], 0), source.frame_count - 1), playing.fractions[n]
    if source.each > 0:
        frame = np.int32(source.each * n)
    if not 0.0 <= fraction <= 1.0:
        fraction = 0.0
    playing.frames[n], playing.fractions[n] = frame, fraction
    return frame, fraction


@inner
def advance(scene, source, n, dt):
    """Play one character's clip on; its root's motion goes into `work.motions`."""
    frame, fraction = read_playing(scene, source, n)
    if source.each > 0:  # users' Python has played it on, or `runs`
        return
    seconds = dt * find_rate(scene, source, n, frame)
    new_frame, new_fraction, rounds = advance_time(source, frame, fraction, seconds)
    x, z, turn = measure_root_motion(source, frame, fraction, new_frame, new_fraction, rounds)
    scene.playing.frames[n], scene.playing.fractions[n] = new_frame, new_fraction
    motions, scale = scene.work.motions, scene.rig.scale
    motions[n, 0], motions[n, 1], motions[n, 2] = x * scale, z * scale, turn
    steered = LOOP_TURN * math.sqrt(x * x + z * z) if source.loops[find_clip(source, frame)] else 0.0
    limit_adjustment(scene, n, steered)


@inner
def limit_adjustment(scene, n, steered):
    """How far the root may be drawn to its body in this step, as a share of its way, and turned, in rad: a share of its
    own turn, and `steered` more. A character that idles sways in place, and is left where it stands."""
    motions, settings = scene.work.motions, scene.settings
    motions[n, 3], motions[n, 4] = settings.adjustment_ratio, settings.turn_ratio * abs(motions[n, 2]) + steered
    if scene.schedule.idle[n] or scene.acting.stretches[n] >= 0:
        motions[n, 3] = motions[n, 4] = 0.0


@inner
def find_rate(scene, source, n, frame):
    """How fast the clip plays: towards the body's speed, within the given change; slow clips play as they are."""
    change, pace = scene.settings.rate_change, read_pace(source, frame)
    if scene.acting.stretches[n] >= 0:
        return 1.0  # an action has its own time
    if source.loops[find_clip(source, frame)]:
        change = max(change, LOOP_RATE)
    if change <= 0 or pace < SLOWEST_PACE:
        return 1.0
    velocities = scene.body.velocities
    speed = math.sqrt(velocities[n, 0] ** 2 + velocities[n, 2] ** 2)
    return min(max(speed / pace, 1 - change), 1 + change)


@inner
def advance_time(source, frame, fraction, seconds):
    """Frame and fraction after a while, and how many rounds of a loop were completed; time stops at a clip's end."""
    clip = find_clip(source, frame)
    start, stop = source.starts[clip], source.stops[clip]
    time = (frame - start) + fraction + seconds * source.frame_rate
    if not time >= 0:
        time = 0.0
    length = stop - start
    rounds = 0
    if source.loops[clip]:
        rounds = math.floor(min(time / length, MOST_ROUNDS))
        time = min(time - rounds * length, float(length))
    else:
        time = min(time, length - 1.0)
    whole = min(math.floor(time), length - 1)
    return start + whole, time - whole, rounds


@inner
def measure_root_motion(source, frame, fraction, new_frame, new_fraction, rounds):
    """The root's motion to a later time of its clip: x and z in its own axes before, and its turn.

    Taken from the places themselves, not from velocities: steps of any length lead to the same spot.
    """
    clip = find_clip(source, frame)
    x0, z0, yaw0 = locate_root(source, clip, frame, fraction)
    x1, z1, yaw1 = locate_root(source, clip, new_frame, new_fraction)
    first = source.starts[clip]
    for _ in range(rounds):  # a round further on: the loop's displacement is in its first frame's axes
        ox, oz, facing = read_root(source, first)
        sx, sz = rotate_about_y(source.loop_shifts[clip, 0], source.loop_shifts[clip, 2], facing)
        px, pz = rotate_about_y(x1 - ox, z1 - oz, source.loop_turns[clip])
        x1, z1 = ox + sx + px, oz + sz + pz
        yaw1 += source.loop_turns[clip]
    x, z = rotate_about_y(x1 - x0, z1 - z0, -yaw0)
    return x, z, wrap_angle(yaw1 - yaw0)
