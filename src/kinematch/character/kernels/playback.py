"""Playback in kernels: where time leads in a table, and how the root moves meanwhile."""

import math

from kinematch.character.constants import SLOWEST_PACE
from kinematch.character.kernels.frames import find_clip, is_packed, locate_root, read_pace, read_root
from kinematch.character.kernels.rotations import rotate_about_y, wrap_angle
from kinematch.character.kernels.unpacking import prefetch_pack
from kinematch.compile.jit import inner
from kinematch.compile.memory import address, fetch

MOST_ROUNDS = 100_000  # of a loop in one step


@inner
def clamp_frame(table, playing, n):
    """The frame that character n plays, which exists whatever was written into the state."""
    frame = min(max(playing.frames[n], 0), table.frame_count - 1)
    playing.frames[n] = frame
    if not 0.0 <= playing.fractions[n] <= 1.0:
        playing.fractions[n] = 0.0
    return frame


@inner
def advance_time(table, frame, fraction, seconds):
    """Frame and fraction after a while, and how many rounds of a loop were completed; time stops at a clip's end."""
    clip = find_clip(table, frame)
    start, stop = table.starts[clip], table.stops[clip]
    time = (frame - start) + fraction + seconds * table.frame_rate
    if not time >= 0:
        time = 0.0
    length = stop - start
    rounds = 0
    if table.loops[clip]:
        rounds = math.floor(min(time / length, MOST_ROUNDS))
        time = min(time - rounds * length, float(length))
    else:
        time = min(time, length - 1.0)
    whole = min(math.floor(time), length - 1)
    return start + whole, time - whole, rounds


@inner
def measure_root_motion(table, frame, fraction, new_frame, new_fraction, rounds):
    """The root's motion to a later time of its clip: x and z in its own axes before, and its turn.

    Taken from the places themselves, not from velocities: steps of any length lead to the same spot.
    """
    x0, z0, yaw0 = locate_root(table, frame, fraction)
    x1, z1, yaw1 = locate_root(table, new_frame, new_fraction)
    clip = find_clip(table, frame)
    first = table.starts[clip]
    for _ in range(rounds):  # a round further on: the loop's displacement is in its first frame's axes
        ox, oz, facing = read_root(table, first)
        sx, sz = rotate_about_y(table.loop_shifts[clip, 0], table.loop_shifts[clip, 2], facing)
        px, pz = rotate_about_y(x1 - ox, z1 - oz, table.loop_turns[clip])
        x1, z1 = ox + sx + px, oz + sz + pz
        yaw1 += table.loop_turns[clip]
    x, z = rotate_about_y(x1 - x0, z1 - z0, -yaw0)
    return x, z, wrap_angle(yaw1 - yaw0)


@inner
def find_rate(table, frame, velocities, n, knobs):
    """How fast the clip plays: towards the body's speed, within the given change; slow clips play as they are."""
    pace = read_pace(table, frame)
    if knobs.rate_change <= 0 or pace < SLOWEST_PACE:
        return 1.0
    speed = math.sqrt(velocities[n, 0] ** 2 + velocities[n, 2] ** 2)
    return min(max(speed / pace, 1 - knobs.rate_change), 1 + knobs.rate_change)


@inner
def advance(scene, n, dt):
    """Play one character's clip on; its root's motion goes into `work.motions`."""
    table, playing, scale = scene.table, scene.state.playing, scene.rig.scale
    frame, fraction = clamp_frame(table, playing, n), playing.fractions[n]
    seconds = dt * find_rate(table, frame, scene.state.body.velocities, n, scene.knobs)
    playing.frames[n], playing.fractions[n], rounds = advance_time(table, frame, fraction, seconds)
    x, z, turn = measure_root_motion(table, frame, fraction, playing.frames[n], playing.fractions[n], rounds)
    motions = scene.work.motions
    motions[n, 0], motions[n, 1], motions[n, 2] = x * scale, z * scale, turn


@inner
def prefetch_frame(table, frame):
    """Prefetch a frame and the next: nobody can foresee where a character is in a large database."""
    frame = min(max(frame, 0), table.frame_count - 1)
    if is_packed(table):
        prefetch_pack(table, frame)
        return
    fetch(address(table.rotations, frame), 2 * table.rotations.strides[0])
    fetch(address(table.places, frame), 2 * table.places.strides[0])
    fetch(address(table.root_paths, frame), 2 * table.root_paths.strides[0])
    fetch(address(table.toe_heights, frame), 2 * table.toe_heights.strides[0])
    fetch(address(table.contact_left, frame), table.contact_left.strides[0])
    fetch(address(table.clip_of, frame), 4)
    fetch(address(table.next_frames, frame), 4)
