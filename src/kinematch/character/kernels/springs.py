"""Springs and decays in kernels; what depends on half-lives and the step's length alone is worked out once a step."""

import math
from typing import Any, NamedTuple

import numpy as np

from kinematch.character.constants import TOE_GROUND_SHARE
from kinematch.character.kernels.rotations import find_yaw, wrap_angle
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, where_positive
from kinematch.math.spring import HALFLIFE_FACTOR

NOTHING = 1e-30  # square of an offset and its velocity that is nothing: denormal numbers cost a hundred times more
# an eighth, and one by 1 to 8, for `exp_negative`
DOUBLE_SERIES = 1 / 8, *(1 / n for n in range(1, 9))
SINGLE_SERIES = tuple(np.float32(number) for number in DOUBLE_SERIES)


class Damping(NamedTuple):
    """A critically damped spring over a time: what all that it moves have in common."""

    w: float  # 1/s, its stiffness
    dt: float  # s
    e: float  # exp(-w * dt)
    gone: float  # 1 - e; for small steps by expm1, which is slow and exact
    nothing: float  # see NOTHING


class Dampings(NamedTuple):
    """The springs of a step, in float64 for bodies and roots and in float32 for legs and poses."""

    velocity: Damping
    facing: Damping
    transition: Damping
    offset: Damping  # transition, float32
    lock: Damping  # float32
    unlock: Damping  # float32
    pelvis: Damping  # float32
    ground: Damping
    toe_ground: Damping
    synchronization: float  # what is left of a gap
    adjustment: float
    turn: float
    twist: float  # cosine of the turn that frees a locked toe; less than any where none does
    dt: float  # s


@inner
def make_damping(halflife, dt):
    w = HALFLIFE_FACTOR / halflife
    e = math.exp(-w * dt)
    return Damping(w, dt, e, 1 - e if e < 0.9 else -math.expm1(-w * dt), NOTHING)


@inner
def make_single(by):
    """The same in float32."""
    single: Any = np.float32
    return Damping(single(by.w), single(by.dt), single(by.e), single(by.gone), single(by.nothing))


@inner
def remaining(halflife, dt):
    """What is left after dt; all of it where there is no half-life."""
    return 0.5 ** (dt / halflife) if halflife > 0 else 1.0


@inner
def make_dampings(knobs, dt):
    transition = make_damping(knobs.transition_halflife, dt)
    return Dampings(
        make_damping(knobs.velocity_halflife, dt), make_damping(knobs.facing_halflife, dt), transition,
        make_single(transition), make_single(make_damping(knobs.lock_halflife, dt)),
        make_single(make_damping(knobs.unlock_halflife, dt)), make_single(make_damping(knobs.pelvis_halflife, dt)),
        make_damping(knobs.ground_halflife, dt), make_damping(TOE_GROUND_SHARE * knobs.ground_halflife, dt),
        remaining(knobs.synchronization_halflife, dt), remaining(knobs.adjustment_halflife, dt),
        remaining(knobs.turn_halflife, dt), math.cos(knobs.unlock_angle) if knobs.unlock_angle < math.pi else -2.0, dt,
    )  # fmt: skip


@inner
def spring(x, v, by):
    """An offset and its velocity after a spring's time (thesis eq. 3.27-3.28)."""
    slope = v + by.w * x
    return (x + slope * by.dt) * by.e, (v - slope * (by.w * by.dt)) * by.e


@inner
def spring_to_zero(x, v, by):
    """The same, and nothing becomes zero; NaN stays NaN."""
    quiet = by.nothing - (x * x + v * v)
    new_x, new_v = spring(x, v, by)
    return where_positive(quiet, x - x, new_x), where_positive(quiet, v - v, new_v)


@inner
def velocity_spring(v, a, desired, by):
    """Way, velocity and acceleration of a body whose velocity is drawn to the desired one (digital humans eq. 2-4)."""
    k0 = v - desired
    k1 = a + by.w * k0
    shift = desired * by.dt + (k0 * by.gone + k1 / by.w * (by.gone - by.w * by.dt * by.e)) / by.w
    return shift, desired + (k0 + k1 * by.dt) * by.e, (a - k1 * by.w * by.dt) * by.e


@inner
def exp_negative(x, c):
    """exp(-x) of what is not negative: to all digits but a few for what is small, and always smooth.

    `c`: SINGLE_SERIES or DOUBLE_SERIES, whichever x is.
    """
    u = c[0] * x
    series = c[1] + u * (c[1] + c[2] * u * (c[1] + c[3] * u * (c[1] + c[4] * u * (c[1] + c[5] * u * (
        c[1] + c[6] * u * (c[1] + c[7] * u * (c[1] + c[8] * u)))))))  # fmt: skip
    square = series * series
    square = square * square
    return c[1] / (square * square)


@inner
def remaining_turn(x, z, yaw, rate, w):
    """How far a body turns to face along x and z; without a facing it comes to rest where its turning leads."""
    return where_positive(larger(larger(x, -x), larger(z, -z)), wrap_angle(find_yaw(x, z) - yaw), rate / w)
