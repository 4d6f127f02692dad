"""Critically damped springs, decays and quintics for kernels: of numbers, vectors or lanes.

The springs of math.spring are the same for arrays.
"""

from typing import NamedTuple

from kinematch.compile.jit import inner
from kinematch.compile.lanes import where
from kinematch.math.exponentials import exp, expm1, halve
from kinematch.math.spring import HALFLIFE_FACTOR

# square of an offset and its velocity that is nothing: denormal numbers cost a hundred times more
MIN_SQUARED_OFFSET = 1e-30


class Spring(NamedTuple):
    """A critically damped spring over a time: what everything that it moves has in common."""

    w: float  # 1/s, its stiffness
    dt: float  # s
    e: float  # exp(-w * dt)
    gone: float  # 1 - e; for small steps by expm1, which is slow and exact


@inner
def make_spring(halflife, dt):
    w = HALFLIFE_FACTOR / halflife
    e = exp(-w * dt)
    return Spring(w, dt, e, 1 - e if e < 0.9 else -expm1(-w * dt))


@inner
def find_remaining(halflife, dt):
    """The offset that remains after dt; all of it without a half-life."""
    return halve(dt / halflife) if halflife > 0 else 1.0


@inner
def move_spring(x, v, by):
    """An offset and its velocity after a spring's time (thesis eq. 3.27-3.28)."""
    slope = v + x * by.w
    return (x + slope * by.dt) * by.e, (v - slope * (by.w * by.dt)) * by.e


@inner
def settle_spring(x, v, by):
    """The same for numbers, and nothing becomes zero; NaN stays NaN."""
    quiet = x * x + v * v < MIN_SQUARED_OFFSET
    new_x, new_v = move_spring(x, v, by)
    return where(quiet, 0.0, new_x), where(quiet, 0.0, new_v)


@inner
def move_velocity_spring(v, a, desired, by):
    """Displacement, velocity and acceleration of a body with a velocity spring (digital humans eq. 2-4)."""
    k0 = v - desired
    k1 = a + k0 * by.w
    shift = desired * by.dt + (k0 * by.gone + k1 * ((by.gone - by.w * by.dt * by.e) / by.w)) * (1 / by.w)
    return shift, desired + (k0 + k1 * by.dt) * by.e, (a - k1 * (by.w * by.dt)) * by.e


@inner
def evaluate_quintic(x0, v0, t1, age):
    """Size and rate of an offset that is gone after t1 (digital humans 3.4, with a0 over t1 squared)."""
    lasting = t1 > age
    t1, t = where(lasting, t1, 1.0), where(lasting, age, 0.0 * t1)
    a0 = (-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1)
    a0 = where(a0 * v0 >= 0.0, 0.0, a0)
    t2 = t1 * t1
    a = -(a0 * t2 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t2 * t2 * t1)
    b = (3.0 * a0 * t2 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t2 * t2)
    c = -(3.0 * a0 * t2 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t2 * t1)
    x = ((((a * t + b) * t + c) * t + 0.5 * a0) * t + v0) * t + x0
    rate = (((5.0 * a * t + 4.0 * b) * t + 3.0 * c) * t + a0) * t + v0
    return where(lasting, x, 0.0), where(lasting, rate, 0.0)
