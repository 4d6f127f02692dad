"""Offsets: what a jump leaves behind, how it fades, and how it changes the animated pose, eight joints at a time.

Each number triple of a pose (a joint's rotation vector, or its place) remembers six numbers:

- spring inertialization (thesis 3.29-3.32): the offset and its velocity;
- quintic inertialization (digital humans 3.4): the offset at the jump, its speed along itself, and the blend time;
- dead blending: the pose that was shown and its velocity, which goes on by itself while the new one is blended in.

Rotation offsets are in the parent's space, on the left of the animated rotation. The velocity of an offset is the rate
of its rotation vector, which differs from an angular velocity the more, the larger the offset: at the moment of a jump
neither the shown pose nor its velocity changes.
"""

import math

from kinematch.character.constants import LONGEST_QUINTIC, OVERSHOOT
from kinematch.character.settings import DEAD, NO_TRANSITION, QUINTIC, SPRING
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, smaller, where
from kinematch.math.exponentials import halve
from kinematch.math.series import find_angular_velocity, from_rotation_vector, nlerp, to_rotation_vector
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.math.spring_kernels import evaluate_quintic, move_spring
from kinematch.math.vectors import Vector, dot, inverse, length, rotate

NO_OFFSET = 1e-18  # rad or m
ROUNDING = 1e-6  # rad or m: a smaller step of float32 poses has no direction


@inner
def read_memory(memory, j):
    """The first and the last three numbers that triples j remember."""
    return Vector(memory[0][j], memory[1][j], memory[2][j]), Vector(memory[3][j], memory[4][j], memory[5][j])


@inner
def write_memory(memory, j, x, v):
    memory[0][j] = x.x
    memory[1][j] = x.y
    memory[2][j] = x.z
    memory[3][j] = v.x
    memory[4][j] = v.y
    memory[5][j] = v.z


@inner
def fade_rotation(memory, j, kind, halflife, by):
    """Springs are drawn to zero; poses left to themselves turn on."""
    if kind == DEAD:
        x, v = read_memory(memory, j)
        kept, reach = find_drift(halflife, by.dt)
        turned = to_rotation_vector(from_rotation_vector(v * reach) * from_rotation_vector(x))
        write_memory(memory, j, turned, v * kept)
    else:
        fade_place(memory, j, kind, halflife, by)


@inner
def fade_place(memory, j, kind, halflife, by):
    x, v = read_memory(memory, j)
    if kind == SPRING:
        x, v = move_spring(x, v, by)
        write_memory(memory, j, x, v)
    elif kind == DEAD:
        kept, reach = find_drift(halflife, by.dt)
        write_memory(memory, j, x + v * reach, v * kept)


@inner
def find_drift(halflife, dt):
    """What is left of a velocity that fades by itself, and how far one of 1 leads."""
    kept = halve(dt / halflife)
    return kept, (1 - kept) * halflife / math.log(2)


@inner
def read_offset(memory, j, kind, age):
    """What is added to triples, and its velocity; not for dead blending."""
    x, v = read_memory(memory, j)
    if kind == QUINTIC:
        size = length(x)
        now, rate = evaluate_quintic(size, v.x, v.y, age)
        scale = 1.0 / larger(size, NO_OFFSET)
        x, v = x * (now * scale), x * (rate * scale)
    return x, v


@inner
def find_blend(age, halflife):
    """How much of the new pose is shown, and its rate; half of it after a half-life."""
    u = min(age / (2 * halflife), 1.0)
    return u * u * (3 - 2 * u), 6 * u * (1 - u) / (2 * halflife)


@inner
def show_rotation(memory, j, kind, age, halflife, animated):
    """The rotations that are shown for animated ones."""
    if kind == NO_TRANSITION:
        return animated
    if kind == DEAD:
        share, _ = find_blend(age, halflife)
        if share >= 1:
            return animated
        return nlerp(from_rotation_vector(read_memory(memory, j)[0]), animated, share)
    return from_rotation_vector(read_offset(memory, j, kind, age)[0]) * animated


@inner
def show_spin(memory, j, kind, age, halflife, animated, spin):
    """The angular velocities that are shown, for animated rotations and their own."""
    if kind == NO_TRANSITION:
        return spin
    if kind == DEAD:
        share, rate = find_blend(age, halflife)
        x, v = read_memory(memory, j)
        gap = to_rotation_vector(animated * inverse(from_rotation_vector(x)))
        return v * (1 - share) + spin * share + gap * rate
    x, v = read_offset(memory, j, kind, age)
    return rotate(from_rotation_vector(x), spin) + find_angular_velocity(x, v)


@inner
def show_place(memory, j, kind, age, halflife, animated):
    """The places that are shown for animated ones."""
    if kind == NO_TRANSITION:
        return animated
    if kind == DEAD:
        share, _ = find_blend(age, halflife)
        x, _ = read_memory(memory, j)
        return x + (animated - x) * share
    return animated + read_offset(memory, j, kind, age)[0]


@inner
def show_velocity(memory, j, kind, age, halflife, animated, velocity):
    """The velocities that are shown, for animated places and their own."""
    if kind == NO_TRANSITION:
        return velocity
    if kind == DEAD:
        share, rate = find_blend(age, halflife)
        x, v = read_memory(memory, j)
        return v * (1 - share) + velocity * share + (animated - x) * rate
    return velocity + read_offset(memory, j, kind, age)[1]


@inner
def remember(memory, j, kind, halflife, step, velocity):
    """Take up what a jump changes: the step from the new numbers to those shown, and the velocity that is missing."""
    if kind == QUINTIC:
        size = length(step)
        speed = where(size > ROUNDING, dot(velocity, step) / larger(size, NO_OFFSET), 0.0)
        speed = smaller(speed, 0.0)  # moving away is forgotten at once
        duration = 2.0 * halflife + 0.0 * size  # a quintic is halfway after half of its time
        slowest = LONGEST_QUINTIC * size / larger(-speed, NO_OFFSET)  # a longer one overshoots
        duration = where(speed < 0.0, smaller(duration, slowest), duration)
        write_memory(memory, j, step, Vector(speed, duration, 0.0 * size))
    else:
        most = find_fastest(kind, halflife)
        share = smaller(most / larger(length(velocity), most), 1.0)
        write_memory(memory, j, step, velocity * share)


@inner
def find_fastest(kind, halflife):
    """The velocity that carries as far as it may: a spring's offset by v / (e w), a free pose by v halflife / ln 2."""
    return OVERSHOOT * (math.log(2) if kind == DEAD else math.e * HALFLIFE_FACTOR) / halflife
