"""Time in a clip: which frame is reached after some seconds, and how the root moves meanwhile."""

import math

from kinematch.compile.jit import inner
from kinematch.database.frame_kernels import find_clip, locate_root, read_root
from kinematch.math.series import rotate_about_y, wrap_angle

MAX_ROUNDS = 100_000  # of a loop in one step


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
        rounds = math.floor(min(time / length, MAX_ROUNDS))
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
