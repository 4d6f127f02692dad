"""Transitions in kernels, one joint at a time: what a jump leaves behind and how it fades; see stages.transition."""

import math

from kinematch.character.constants import LONGEST_QUINTIC, OVERSHOOT
from kinematch.character.kernels.rotations import find_angular_velocity, from_rotation_vector, nlerp, to_rotation_vector
from kinematch.character.kernels.springs import spring
from kinematch.character.settings import DEAD, NO_TRANSITION, QUINTIC, SPRING
from kinematch.compile.jit import inner
from kinematch.math.kernels import inverse, multiply, rotate
from kinematch.math.spring import HALFLIFE_FACTOR

GONE = 1e-14  # square of an offset (rad or m) that nobody sees


@inner
def fade_places(memory, n, kind, halflife, by):
    """Let the memory (N, 6, K) of places of character n fade; `by` is float32."""
    if kind == SPRING:
        for k in range(memory.shape[2]):
            for i in range(3):
                memory[n, i, k], memory[n, i + 3, k] = spring(memory[n, i, k], memory[n, i + 3, k], by)
    elif kind == DEAD:
        kept, reach = drift(halflife, by.dt)
        for k in range(memory.shape[2]):
            for i in range(3):
                v = memory[n, i + 3, k]
                memory[n, i + 3, k] = v * kept
                memory[n, i, k] += v * reach


@inner
def drift(halflife, dt):
    """What is left of a velocity that fades by itself, and how far one of 1 leads."""
    kept = 0.5 ** (dt / halflife)
    return kept, (1 - kept) * halflife / math.log(2)


@inner
def fade_dead_rotations(memory, n, halflife, by):
    """Poses left to themselves turn on; springs of rotations fade as they are shown: see poses."""
    kept, reach = drift(halflife, by.dt)
    for j in range(memory.shape[2]):
        x, y, z = memory[n, 3, j], memory[n, 4, j], memory[n, 5, j]
        before = from_rotation_vector(memory[n, 0, j], memory[n, 1, j], memory[n, 2, j])
        memory[n, 0, j], memory[n, 1, j], memory[n, 2, j] = to_rotation_vector(
            multiply(from_rotation_vector(x * reach, y * reach, z * reach), before)
        )
        memory[n, 3, j], memory[n, 4, j], memory[n, 5, j] = x * kept, y * kept, z * kept


@inner
def evaluate_quintic(x0, v0, t1, t):
    """Size and rate of an offset that is gone after t1 (digital humans 3.4, with a0 over t1 squared)."""
    if not t < t1:
        return 0.0, 0.0
    a0 = (-8 * v0 * t1 - 20 * x0) / (t1 * t1)
    if a0 * v0 >= 0:
        a0 = 0.0
    a = -(a0 * t1 * t1 + 6 * v0 * t1 + 12 * x0) / (2 * t1**5)
    b = (3 * a0 * t1 * t1 + 16 * v0 * t1 + 30 * x0) / (2 * t1**4)
    c = -(3 * a0 * t1 * t1 + 12 * v0 * t1 + 20 * x0) / (2 * t1**3)
    x = ((((a * t + b) * t + c) * t + 0.5 * a0) * t + v0) * t + x0
    return x, (((5 * a * t + 4 * b) * t + 3 * c) * t + a0) * t + v0


@inner
def blend(age, halflife):
    """How much of the new pose is shown, and its rate; half of it after a half-life."""
    u = min(age / (2 * halflife), 1.0)
    return u * u * (3 - 2 * u), 6 * u * (1 - u) / (2 * halflife)


@inner
def read_offset(memory, n, k, kind, age):
    """What is added to a number triple, and its velocity; not for dead blending."""
    x, y, z = memory[n, 0, k], memory[n, 1, k], memory[n, 2, k]
    if kind == SPRING:
        return (x, y, z), (memory[n, 3, k], memory[n, 4, k], memory[n, 5, k])
    size = math.sqrt(x * x + y * y + z * z)
    if kind != QUINTIC or size == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    now, rate = evaluate_quintic(size, memory[n, 3, k], memory[n, 4, k], age)
    now, rate = now / size, rate / size
    return (x * now, y * now, z * now), (x * rate, y * rate, z * rate)


@inner
def show_rotation(memory, n, j, kind, age, halflife, animated):
    """The rotation that is shown for an animated one."""
    if kind == NO_TRANSITION:
        return animated
    if kind == DEAD:
        share, _ = blend(age, halflife)
        if share >= 1:
            return animated
        return nlerp(from_rotation_vector(memory[n, 0, j], memory[n, 1, j], memory[n, 2, j]), animated, share)
    (x, y, z), _ = read_offset(memory, n, j, kind, age)
    if x * x + y * y + z * z < GONE:
        return animated
    return multiply(from_rotation_vector(x, y, z), animated)


@inner
def show_angular_velocity(memory, n, j, kind, age, halflife, animated, spin):
    """The angular velocity that is shown, for an animated rotation and its own."""
    if kind == NO_TRANSITION:
        return spin
    if kind == DEAD:
        share, rate = blend(age, halflife)
        lead = from_rotation_vector(memory[n, 0, j], memory[n, 1, j], memory[n, 2, j])
        x, y, z = to_rotation_vector(multiply(animated, inverse(lead)))
        r = 1 - share
        return (
            memory[n, 3, j] * r + spin[0] * share + x * rate, memory[n, 4, j] * r + spin[1] * share + y * rate,
            memory[n, 5, j] * r + spin[2] * share + z * rate,
        )  # fmt: skip
    (x, y, z), rate = read_offset(memory, n, j, kind, age)
    v = find_angular_velocity((x, y, z), rate)
    carried = rotate(from_rotation_vector(x, y, z), spin)  # rotate the animated angular velocity by the offset
    return carried[0] + v[0], carried[1] + v[1], carried[2] + v[2]


@inner
def show_place(memory, n, k, kind, age, halflife, animated, velocity):
    """The place that is shown for an animated one, and its velocity."""
    if kind == NO_TRANSITION:
        return animated, velocity
    if kind == DEAD:
        share, rate = blend(age, halflife)
        r = 1 - share
        x, y, z = animated[0] - memory[n, 0, k], animated[1] - memory[n, 1, k], animated[2] - memory[n, 2, k]
        return (memory[n, 0, k] + x * share, memory[n, 1, k] + y * share, memory[n, 2, k] + z * share), (
            memory[n, 3, k] * r + velocity[0] * share + x * rate, memory[n, 4, k] * r + velocity[1] * share + y * rate,
            memory[n, 5, k] * r + velocity[2] * share + z * rate,
        )  # fmt: skip
    (x, y, z), v = read_offset(memory, n, k, kind, age)
    return (animated[0] + x, animated[1] + y, animated[2] + z), (
        velocity[0] + v[0], velocity[1] + v[1], velocity[2] + v[2],
    )  # fmt: skip


@inner
def remember(memory, n, k, kind, halflife, step, velocity):
    """Take up what a jump changes: the step from the new numbers to those shown, and the velocity that is missing."""
    x, y, z = step
    vx, vy, vz = velocity
    size = math.sqrt(x * x + y * y + z * z)
    if kind == QUINTIC:
        speed = (vx * x + vy * y + vz * z) / size if size > 0 else 0.0
        speed = min(speed, 0.0)  # moving away is forgotten at once
        duration = 2 * halflife  # a quintic is halfway after half of its time
        if speed < 0:
            duration = min(duration, -LONGEST_QUINTIC * size / speed)  # a longer one overshoots
        vx, vy, vz = speed, duration, 0.0
    else:
        most, speed = fastest_offset(kind, halflife), math.sqrt(vx * vx + vy * vy + vz * vz)
        if speed > most:
            vx, vy, vz = vx * most / speed, vy * most / speed, vz * most / speed
    memory[n, 0, k], memory[n, 1, k], memory[n, 2, k] = x, y, z
    memory[n, 3, k], memory[n, 4, k], memory[n, 5, k] = vx, vy, vz


@inner
def fastest_offset(kind, halflife):
    """The velocity that carries as far as it may: a spring's offset by v / (e w), a free pose by v halflife / ln 2."""
    return OVERSHOOT * (math.log(2) if kind == DEAD else math.e * HALFLIFE_FACTOR) / halflife
