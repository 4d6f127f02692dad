"""Critically damped springs and exponential decay in closed form, with half-lives: exact for any time step."""

import numpy as np
from numpy.typing import ArrayLike

from kinematch.math.quaternion import Array, floating

# omega * halflife at which half of a displacement at rest remains: (1 + y) * exp(-y) = 1/2
HALFLIFE_FACTOR = 1.6783469900166605


def omega(halflife: ArrayLike) -> Array:
    """Stiffness w of thesis eq. 3.26 for a half-life in seconds; infinite for zero."""
    with np.errstate(divide="ignore"):
        return HALFLIFE_FACTOR / floating(halflife)


def decay(x: ArrayLike, target: ArrayLike, halflife: ArrayLike, dt: ArrayLike) -> Array:
    """Exponential approach: half of the way in a half-life; a half-life of zero is there at once."""
    x, target, halflife = floating(x), floating(target), floating(halflife)
    steps = np.divide(dt, halflife, out=np.full(np.broadcast(dt, halflife).shape, np.inf), where=halflife > 0)
    return (target + (x - target) * np.exp2(-steps)).astype(x.dtype)


def spring(
    x: ArrayLike, velocity: ArrayLike, target: ArrayLike, *, halflife: ArrayLike, dt: ArrayLike
) -> tuple[Array, Array]:
    """Position and velocity after dt (thesis eq. 3.27-3.28)."""
    x, velocity, target = floating(x), floating(velocity), floating(target)
    w = omega(halflife)
    at_once = np.isinf(w)
    w = np.where(at_once, 0, w)
    e = np.where(at_once, 0, np.exp(-w * dt))
    offset = x - target
    slope = velocity + w * offset
    return (
        (target + (offset + slope * dt) * e).astype(x.dtype),
        ((velocity - slope * w * dt) * e).astype(x.dtype),
    )


def velocity_spring(
    x: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    *,
    desired: ArrayLike,
    halflife: ArrayLike,
    dt: ArrayLike,
) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration after dt of a body with a velocity spring.

    Digital humans eq. 2-4; expm1 keeps the position exact for small steps.
    """
    x, velocity, acceleration = floating(x), floating(velocity), floating(acceleration)
    desired = floating(desired)
    w = omega(halflife)
    at_once = np.isinf(w)
    w = np.where(at_once, 1, w)
    y = w * dt
    e = np.exp(-y)
    k0 = velocity - desired
    k1 = acceleration + w * k0
    shift = (k0 * -np.expm1(-y) + k1 / w * (-np.expm1(-y) - y * e)) / w
    new_x = x + desired * dt + np.where(at_once, 0, shift)
    new_velocity = desired + np.where(at_once, 0, (k0 + k1 * dt) * e)
    new_acceleration = np.where(at_once, 0, (acceleration - k1 * y) * e)
    return new_x.astype(x.dtype), new_velocity.astype(x.dtype), new_acceleration.astype(x.dtype)
