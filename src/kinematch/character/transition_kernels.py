"""Compiled transitions: what a jump leaves behind, how it fades, and how it changes the animated pose.

Each number triple of a pose (a joint's rotation vector, or its place) remembers six numbers:

- spring inertialization (thesis 3.29-3.32): the offset and its velocity;
- quintic inertialization (digital humans 3.4): the offset at the jump, its speed along itself, and the blend time;
- dead blending: the pose that was shown and its velocity, which goes on by itself while the new one is blended in.

Rotation offsets stand in the parent's space, on the left of the animated rotation, with velocities in the same space:
at the moment of a jump the shown pose does not change.
"""

import math

from kinematch.character.motion_kernels import spring, velocity_spring
from kinematch.character.turn_kernels import from_vector, inverse, mixed, multiply, rotate, to_vector
from kinematch.math.jit import inner
from kinematch.math.spring import HALF

SPRING, QUINTIC, DEAD, NONE = range(4)
GONE = 1e-14  # square of an offset (rad or m) that nobody sees
# farthest that a velocity alone may carry an offset (rad or m): without it long half-lives and many jumps add up
# (learned MM 5.3.3)
OVERSHOOT = 0.35


@inner
def decay(memory, n, kind, halflife, dt):
    """Let the memory (N, K, 6) of character n fade for dt; rotations and places alike, dead blending apart."""
    if kind == SPRING:
        w = HALF / halflife
        e = math.exp(-w * dt)
        for k in range(memory.shape[1]):
            for i in range(3):
                memory[n, k, i], memory[n, k, i + 3] = spring(memory[n, k, i], memory[n, k, i + 3], w, dt, e)
    elif kind == DEAD:
        kept = 0.5 ** (dt / halflife)
        way = (1 - kept) * halflife / math.log(2)
        for k in range(memory.shape[1]):
            for i in range(3):
                v = memory[n, k, i + 3]
                memory[n, k, i + 3] = v * kept
                memory[n, k, i] += v * way


@inner
def decay_turning(memory, n, kind, halflife, dt):
    """The same for rotations (N, J, 6)."""
    if kind != DEAD:
        decay(memory, n, kind, halflife, dt)
        return
    kept = 0.5 ** (dt / halflife)
    way = (1 - kept) * halflife / math.log(2)
    for j in range(memory.shape[1]):
        x, y, z = memory[n, j, 3], memory[n, j, 4], memory[n, j, 5]
        before = from_vector(memory[n, j, 0], memory[n, j, 1], memory[n, j, 2])
        memory[n, j, 0], memory[n, j, 1], memory[n, j, 2] = to_vector(
            multiply(from_vector(x * way, y * way, z * way), before)
        )
        memory[n, j, 3], memory[n, j, 4], memory[n, j, 5] = x * kept, y * kept, z * kept


@inner
def decay_root(roots, n, halflife, dt):
    """Let the root's velocity offset fade; returns the way and turn that it adds, in the root's axes."""
    w = HALF / halflife
    e, gone = math.exp(-w * dt), -math.expm1(-w * dt)
    x, roots[n, 0], roots[n, 3] = velocity_spring(roots[n, 0], roots[n, 3], 0.0, w, dt, e, gone)
    z, roots[n, 1], roots[n, 4] = velocity_spring(roots[n, 1], roots[n, 4], 0.0, w, dt, e, gone)
    turn, roots[n, 2], roots[n, 5] = velocity_spring(roots[n, 2], roots[n, 5], 0.0, w, dt, e, gone)
    return x, z, turn


@inner
def quintic(x0, v0, t1, t):
    """Size and rate of an offset that is gone after t1 (digital humans 3.4, with a0 over t1 squared)."""
    if t >= t1:
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
def offset(memory, n, k, kind, age):
    """What is added to a number triple (three numbers), and its velocity (three more); not for dead blending."""
    x, y, z = memory[n, k, 0], memory[n, k, 1], memory[n, k, 2]
    if kind == SPRING:
        return (x, y, z), (memory[n, k, 3], memory[n, k, 4], memory[n, k, 5])
    size = math.sqrt(x * x + y * y + z * z)
    if kind != QUINTIC or size == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    now, rate = quintic(size, memory[n, k, 3], memory[n, k, 4], age)
    now, rate = now / size, rate / size
    return (x * now, y * now, z * now), (x * rate, y * rate, z * rate)


@inner
def shown_rotation(memory, n, j, kind, age, halflife, animated):
    """The rotation that is shown for an animated one."""
    if kind == NONE:
        return animated
    if kind == DEAD:
        share, _ = blend(age, halflife)
        if share >= 1:
            return animated
        return mixed(from_vector(memory[n, j, 0], memory[n, j, 1], memory[n, j, 2]), animated, share)
    (x, y, z), _ = offset(memory, n, j, kind, age)
    if x * x + y * y + z * z < GONE:
        return animated
    return multiply(from_vector(x, y, z), animated)


@inner
def shown_turning(memory, n, j, kind, age, halflife, animated, turning):
    """The angular velocity that is shown, for an animated rotation and its own."""
    if kind == NONE:
        return turning
    if kind == DEAD:
        share, rate = blend(age, halflife)
        lead = from_vector(memory[n, j, 0], memory[n, j, 1], memory[n, j, 2])
        x, y, z = to_vector(multiply(animated, inverse(lead)))
        r = 1 - share
        return (
            memory[n, j, 3] * r + turning[0] * share + x * rate, memory[n, j, 4] * r + turning[1] * share + y * rate,
            memory[n, j, 5] * r + turning[2] * share + z * rate,
        )  # fmt: skip
    (x, y, z), v = offset(memory, n, j, kind, age)
    carried = rotate(from_vector(x, y, z), turning)  # the animated turning is carried along by the offset
    return carried[0] + v[0], carried[1] + v[1], carried[2] + v[2]


@inner
def shown_place(memory, n, k, kind, age, halflife, animated, velocity):
    """The place that is shown for an animated one, and its velocity."""
    if kind == NONE:
        return animated, velocity
    if kind == DEAD:
        share, rate = blend(age, halflife)
        r = 1 - share
        x, y, z = animated[0] - memory[n, k, 0], animated[1] - memory[n, k, 1], animated[2] - memory[n, k, 2]
        return (memory[n, k, 0] + x * share, memory[n, k, 1] + y * share, memory[n, k, 2] + z * share), (
            memory[n, k, 3] * r + velocity[0] * share + x * rate, memory[n, k, 4] * r + velocity[1] * share + y * rate,
            memory[n, k, 5] * r + velocity[2] * share + z * rate,
        )  # fmt: skip
    (x, y, z), v = offset(memory, n, k, kind, age)
    return (animated[0] + x, animated[1] + y, animated[2] + z), (
        velocity[0] + v[0], velocity[1] + v[1], velocity[2] + v[2],
    )  # fmt: skip


@inner
def remember(memory, n, k, kind, halflife, step, velocity):
    """Take up what a jump changes: the step from the new numbers to those shown, and the velocity lacking."""
    x, y, z = step
    vx, vy, vz = velocity
    size = math.sqrt(x * x + y * y + z * z)
    if kind == QUINTIC:
        speed = (vx * x + vy * y + vz * z) / size if size > 0 else 0.0
        speed = min(speed, 0.0)  # moving away is forgotten at once
        duration = 2 * halflife  # a quintic is halfway after half of its time
        if speed < 0:
            duration = min(duration, -5 * size / speed)  # later it would overshoot
        vx, vy, vz = speed, duration, 0.0
    else:
        # how far a velocity carries: a spring's offset v / (e w), a pose left to itself v halflife / ln 2
        fastest = OVERSHOOT * (math.log(2) if kind == DEAD else math.e * HALF) / halflife
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        if speed > fastest:
            vx, vy, vz = vx * fastest / speed, vy * fastest / speed, vz * fastest / speed
    memory[n, k, 0], memory[n, k, 1], memory[n, k, 2] = x, y, z
    memory[n, k, 3], memory[n, k, 4], memory[n, k, 5] = vx, vy, vz
