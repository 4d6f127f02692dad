"""Compiled motion of one character's body and root: springs, database time, the root's way."""

import math
from typing import NamedTuple

import numpy as np

from kinematch.character.kernels.rotations import angle_of, turned, wrapped
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, where_positive
from kinematch.math.spring import HALF

NOTHING = 1e-30  # square of what is nothing: numbers that are too small to be normal cost a hundred times more
# an eighth, and one by 1 to 8, for `fading`
DOUBLES = 1 / 8, *(1 / n for n in range(1, 9))
SINGLES = tuple(np.float32(number) for number in DOUBLES)


class Damping(NamedTuple):
    """A critically damped spring over a time: what all that it moves have in common."""

    w: float  # 1/s, its stiffness
    dt: float  # s
    e: float  # exp(-w * dt)
    gone: float  # what e lacks to one; for small steps by expm1, which is slow and exact


class Dampings(NamedTuple):
    """Everything of a step that depends on its length and on half-lives alone, worked out once for all characters."""

    velocity: Damping
    facing: Damping
    transition: Damping
    lock: Damping
    unlock: Damping
    pelvis: Damping
    ground: Damping
    toe_ground: Damping
    synchronized: float  # what is left of a gap
    adjusted: float
    turned: float
    twist: float  # cosine of the turn that frees a locked toe; less than any where none does


@inner
def damping(halflife, dt):
    w = HALF / halflife
    e = math.exp(-w * dt)
    return Damping(w, dt, e, 1 - e if e < 0.9 else -math.expm1(-w * dt))


@inner
def remaining(halflife, dt):
    """What is left after dt; all of it where there is no half-life."""
    return 0.5 ** (dt / halflife) if halflife > 0 else 1.0


@inner
def dampings(knobs, dt):
    return Dampings(
        damping(knobs.velocity_halflife, dt), damping(knobs.facing_halflife, dt),
        damping(knobs.transition_halflife, dt), damping(knobs.lock_halflife, dt), damping(knobs.unlock_halflife, dt),
        damping(knobs.pelvis_halflife, dt), damping(knobs.ground_halflife, dt),
        damping(0.5 * knobs.ground_halflife, dt), remaining(knobs.synchronization_halflife, dt),
        remaining(knobs.adjustment_halflife, dt), remaining(knobs.turn_halflife, dt),
        math.cos(knobs.unlock_angle) if knobs.unlock_angle < math.pi else -2.0,
    )  # fmt: skip


@inner
def spring(x, v, by):
    """A displacement and its velocity after a spring's time (thesis eq. 3.27-3.28); of eight or one."""
    slope, quiet = v + by.w * x, NOTHING - (x * x + v * v)  # what is no number stays none
    return (
        where_positive(quiet, x - x, (x + slope * by.dt) * by.e),
        where_positive(quiet, v - v, (v - slope * (by.w * by.dt)) * by.e),
    )


@inner
def velocity_spring(v, a, desired, by):
    """Way, velocity and acceleration of a body whose velocity is drawn to the desired one (digital humans eq. 2-4)."""
    w, dt, e, gone = by
    k0 = v - desired
    k1 = a + w * k0
    way = desired * dt + (k0 * gone + k1 / w * (gone - w * dt * e)) / w
    return way, desired + (k0 + k1 * dt) * e, (a - k1 * w * dt) * e


@inner
def fading(x, c):
    """exp(-x) of what is not negative, of eight or one: to all digits but a few for what is small, and always smooth.

    `c`: SINGLES or DOUBLES, whichever x is.
    """
    u = c[0] * x
    series = c[1] + u * (c[1] + c[2] * u * (c[1] + c[3] * u * (c[1] + c[4] * u * (c[1] + c[5] * u * (
        c[1] + c[6] * u * (c[1] + c[7] * u * (c[1] + c[8] * u)))))))  # fmt: skip
    square = series * series
    square = square * square
    return c[1] / (square * square)


@inner
def yaw_gap(x, z, yaw, rate, w):
    """How far a body, or eight, has to turn to face along x and z; told nothing, it comes to rest where its turning
    leads."""
    return where_positive(larger(larger(x, -x), larger(z, -z)), wrapped(angle_of(x, z) - yaw), rate / w)


@inner
def moved_on(source, frame, fraction, seconds):
    """Frame and fraction after a while, and how many rounds of a loop were completed; at a clip's end time stops."""
    clip = source.clip_of[frame]
    start, stop = source.starts[clip], source.stops[clip]
    time = (frame - start) + fraction + seconds * source.frame_rate
    if not time >= 0:  # a number that is none would lead out of the database
        time = 0.0
    length = stop - start
    rounds = 0
    if source.loops[clip]:
        rounds = math.floor(time / length)
        time -= rounds * length
    else:
        time = min(time, length - 1.0)
    whole = min(math.floor(time), length - 1)
    return start + whole, time - whole, rounds


@inner
def root_at(source, frame, t):
    """Where the root is in its clip's world (x, z, yaw); past the last frame of a loop it stays there."""
    road = source.roads
    return road[frame, 0] + t * road[frame, 3], road[frame, 1] + t * road[frame, 4], road[frame, 2] + t * road[frame, 5]


@inner
def root_step(source, frame, fraction, new_frame, new_fraction, rounds):
    """The root's way along the ground in its clip's world, its yaw before and its turn, to a later time of the clip.

    Taken from the places themselves, not from velocities: however long the steps are, they lead to the same spot.
    """
    x0, z0, yaw0 = root_at(source, frame, fraction)
    x1, z1, yaw1 = root_at(source, new_frame, new_fraction)
    clip = source.clip_of[frame]
    first = source.starts[clip]
    for _ in range(rounds):  # a round further on: the loop's displacement stands in its first frame's axes
        ox, oz = source.roads[first, 0], source.roads[first, 1]
        sx, sz = turned(source.loop_shifts[clip, 0], source.loop_shifts[clip, 2], source.roads[first, 2])
        px, pz = turned(x1 - ox, z1 - oz, source.loop_turns[clip])
        x1, z1 = ox + sx + px, oz + sz + pz
        yaw1 += source.loop_turns[clip]
    return x1 - x0, z1 - z0, yaw0, yaw1 - yaw0


@inner
def rate_of(paces, frame, velocities, n, knobs):
    """How fast the clip plays: towards the body's speed, within the given change; slow clips play as they are."""
    if knobs.rate_change <= 0:
        return 1.0
    pace = paces[frame]
    if pace < 0.3:  # m/s: below, a ratio of speeds says nothing
        return 1.0
    speed = math.sqrt(velocities[n, 0] ** 2 + velocities[n, 2] ** 2)
    return min(max(speed / pace, 1 - knobs.rate_change), 1 + knobs.rate_change)
