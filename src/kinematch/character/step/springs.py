"""Springs and decays; what depends on half-lives and the step's length alone is worked out once a step."""

import math
from typing import NamedTuple

from kinematch.character.constants import TOE_GROUND_SHARE
from kinematch.compile.jit import inner
from kinematch.compile.lanes import where
from kinematch.math.spring import HALFLIFE_FACTOR

NOTHING = 1e-30  # square of an offset and its velocity that is nothing: denormal numbers cost a hundred times more


class Spring(NamedTuple):
    """A critically damped spring over a time: what everything that it moves has in common."""

    w: float  # 1/s, its stiffness
    dt: float  # s
    e: float  # exp(-w * dt)
    gone: float  # 1 - e; for small steps by expm1, which is slow and exact


class Springs(NamedTuple):
    """The springs of a step, and the shares of gaps that decay."""

    velocity: Spring
    facing: Spring
    transition: Spring
    lock: Spring
    unlock: Spring
    pelvis: Spring
    ground: Spring
    toe_ground: Spring
    synchronization: float  # what is left of a gap
    adjustment: float
    turn: float
    dt: float  # s


@inner
def make_spring(halflife, dt):
    w = HALFLIFE_FACTOR / halflife
    e = math.exp(-w * dt)
    return Spring(w, dt, e, 1 - e if e < 0.9 else -math.expm1(-w * dt))


@inner
def find_remaining(halflife, dt):
    """What is left after dt; all of it where there is no half-life."""
    return 0.5 ** (dt / halflife) if halflife > 0 else 1.0


@inner
def make_springs(settings, dt):
    return Springs(
        make_spring(settings.velocity_halflife, dt), make_spring(settings.facing_halflife, dt),
        make_spring(settings.transition_halflife, dt), make_spring(settings.lock_halflife, dt),
        make_spring(settings.unlock_halflife, dt), make_spring(settings.pelvis_halflife, dt),
        make_spring(settings.ground_halflife, dt), make_spring(TOE_GROUND_SHARE * settings.ground_halflife, dt),
        find_remaining(settings.synchronization_halflife, dt), find_remaining(settings.adjustment_halflife, dt),
        find_remaining(settings.turn_halflife, dt), dt,
    )  # fmt: skip


@inner
def move_spring(x, v, by):
    """An offset and its velocity after a spring's time (thesis eq. 3.27-3.28)."""
    slope = v + x * by.w
    return (x + slope * by.dt) * by.e, (v - slope * (by.w * by.dt)) * by.e


@inner
def settle_spring(x, v, by):
    """The same for numbers, and nothing becomes zero; NaN stays NaN."""
    quiet = x * x + v * v < NOTHING
    new_x, new_v = move_spring(x, v, by)
    return where(quiet, 0.0, new_x), where(quiet, 0.0, new_v)


@inner
def move_velocity_spring(v, a, desired, by):
    """Way, velocity and acceleration of a body whose velocity is drawn to the desired one (digital humans eq. 2-4)."""
    k0 = v - desired
    k1 = a + k0 * by.w
    shift = desired * by.dt + (k0 * by.gone + k1 * ((by.gone - by.w * by.dt * by.e) / by.w)) * (1 / by.w)
    return shift, desired + (k0 + k1 * by.dt) * by.e, (a - k1 * (by.w * by.dt)) * by.e
