"""Compiled poses: the animated pose of a character with its transition, forward kinematics, and jumps."""

import math

import numpy as np

from kinematch.character.knobs import opened_knobs
from kinematch.character.motion_kernels import following, root_at
from kinematch.character.source import opened_source
from kinematch.character.state import opened_state, wide
from kinematch.character.transition_kernels import (
    DEAD,
    NONE,
    SPRING,
    remember,
    shown_place,
    shown_rotation,
    shown_turning,
)
from kinematch.character.turn_kernels import (
    from_vector,
    inverse,
    mixed,
    multiply,
    normalized,
    rotate,
    to_vector,
    turned,
)
from kinematch.math.jit import inner, kernel

ZERO, QUARTER, ONE = np.float32(0), np.float32(0.25), np.float32(1)
# the series of the cosine and of half of sin(x) / x, in squares of x: to a single number's last digit for any offset
COS0, COS1, COS2, COS3, COS4, COS5, COS6, COS7 = (np.float32((-1) ** k / math.factorial(2 * k)) for k in range(8))
SINC0, SINC1, SINC2, SINC3, SINC4, SINC5, SINC6, SINC7 = (
    np.float32((-1) ** k / math.factorial(2 * k + 1) / 2) for k in range(8)
)


@inner
def four(array, i, j):
    return (
        np.float64(array[i, j, 0]),
        np.float64(array[i, j, 1]),
        np.float64(array[i, j, 2]),
        np.float64(array[i, j, 3]),
    )


@inner
def three(array, i, j):
    return np.float64(array[i, j, 0]), np.float64(array[i, j, 1]), np.float64(array[i, j, 2])


@inner
def between_frames(array, frame, after, t, j):
    """A triple of a joint between two frames."""
    r = 1 - t
    return (
        array[frame, j, 0] * r + array[after, j, 0] * t, array[frame, j, 1] * r + array[after, j, 1] * t,
        array[frame, j, 2] * r + array[after, j, 2] * t,
    )  # fmt: skip


@inner
def store(array, n, j, values):
    for i in range(len(values)):
        array[n, j, i] = values[i]


@inner
def local_pose(state, source, knobs, n, out, scratch):
    """The local pose of character n, all joints but the root, into the output."""
    frame, t = state.playing.frames[n], state.playing.fractions[n]
    after = following(source, frame)
    age, kind, halflife = state.offsets.ages[n], knobs.transition, knobs.transition_halflife
    turns, places = state.offsets.rotations, state.offsets.positions
    if kind == SPRING:
        sprung_rotations(source.rotations, frame, after, t, turns, n, out.rotations, scratch)
    else:
        for j in range(1, source.parents.shape[0]):
            animated = mixed(four(source.rotations, frame, j), four(source.rotations, after, j), t)
            store(out.rotations, n, j, shown_rotation(turns, n, j, kind, age, halflife, animated))
    for j in range(1, source.parents.shape[0]):
        for i in range(3):
            out.positions[n, j, i] = source.rest[j, i]
    for k in range(source.moving.shape[0]):
        j = source.moving[k]
        animated_place = between_frames(source.positions, frame, after, t, j)
        place, _ = shown_place(places, n, k, kind, age, halflife, animated_place, (0.0, 0.0, 0.0))
        store(out.positions, n, j, place)


def scratch(joints):
    """Room for `sprung_rotations`; one for each thread."""
    return np.zeros((12, wide(joints)), np.float32)


@inner
def sprung_rotations(rotations, frame, after, t, memory, n, out, scratch):
    """All joints but the root between two frames, offset by springs: as `mixed` and `shown_rotation`, eight abreast.

    Compilers do so with numbers of one kind side by side, without branches; hence single ones, and scratch (12, W).
    """
    joints = rotations.shape[1]
    for j in range(joints):
        for i in range(4):
            scratch[i, j], scratch[i + 4, j] = rotations[frame, j, i], rotations[after, j, i]
    t = np.float32(t)
    r = ONE - t
    for j in range(scratch.shape[1]):
        a0, a1, a2, a3 = scratch[0, j], scratch[1, j], scratch[2, j], scratch[3, j]
        b0, b1, b2, b3 = scratch[4, j], scratch[5, j], scratch[6, j], scratch[7, j]
        s = t if a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3 >= ZERO else -t
        w, x, y, z = a0 * r + b0 * s, a1 * r + b1 * s, a2 * r + b2 * s, a3 * r + b3 * s
        scale = ONE / np.sqrt(w * w + x * x + y * y + z * z)
        ox, oy, oz = memory[n, 0, j], memory[n, 1, j], memory[n, 2, j]
        half = QUARTER * (ox * ox + oy * oy + oz * oz)  # square of the half-angle
        c = COS0 + half * (COS1 + half * (COS2 + half * (COS3 + half * (COS4 + half * (COS5 + half * (
            COS6 + half * COS7))))))  # fmt: skip
        s = SINC0 + half * (SINC1 + half * (SINC2 + half * (SINC3 + half * (SINC4 + half * (SINC5 + half * (
            SINC6 + half * SINC7))))))  # fmt: skip
        ox, oy, oz = ox * s, oy * s, oz * s
        scratch[8, j] = (c * w - ox * x - oy * y - oz * z) * scale
        scratch[9, j] = (c * x + ox * w + oy * z - oz * y) * scale
        scratch[10, j] = (c * y - ox * z + oy * w + oz * x) * scale
        scratch[11, j] = (c * z + ox * y - oy * x + oz * w) * scale
    for j in range(1, joints):
        for i in range(4):
            out[n, j, i] = scratch[8 + i, j]


@inner
def forward(out, parents, n):
    """Global from local."""
    for i in range(3):
        out.global_positions[n, 0, i] = out.positions[n, 0, i]
    for i in range(4):
        out.global_rotations[n, 0, i] = out.rotations[n, 0, i]
    for j in range(1, parents.shape[0]):
        to_global(out, parents[j], n, j)


@inner
def to_global(out, parent, n, j):
    """One joint, whose parent is done; in single numbers, as it is kept."""
    places, turns, local, turn = out.global_positions, out.global_rotations, out.positions, out.rotations
    q = turns[n, parent, 0], turns[n, parent, 1], turns[n, parent, 2], turns[n, parent, 3]
    x, y, z = rotate(q, (local[n, j, 0], local[n, j, 1], local[n, j, 2]))
    places[n, j, 0] = places[n, parent, 0] + x
    places[n, j, 1] = places[n, parent, 1] + y
    places[n, j, 2] = places[n, parent, 2] + z
    store(turns, n, j, multiply(q, (turn[n, j, 0], turn[n, j, 1], turn[n, j, 2], turn[n, j, 3])))


@inner
def root_rates(source, frame, after, t):
    """Velocity of the animated root in its own axes, and turn rate."""
    vx, _, vz = between_frames(source.velocities, frame, after, t, 0)
    _, _, yaw = root_at(source, frame, t)
    x, z = turned(vx, vz, -yaw)
    return x, z, source.angular_velocities[frame, 0, 1] * (1 - t) + source.angular_velocities[after, 0, 1] * t


@inner
def toe_height(source, frame, after, t, k):
    """Height of an animated toe above the root, and its rate."""
    a, b = source.toe_heights[frame, k], source.toe_heights[after, k]
    return a * (1 - t) + b * t, (b - a) * source.frame_rate


@kernel(fastmath={"contract"}, counting=False)
def jump(states, heres, theres, earlier, settings, who, frames):
    """Let some characters (M,) go on from frames (M,) of the same or another database.

    The difference between what is shown and what is then animated becomes an offset; the fraction of a frame is kept.
    `earlier` are the settings until now, which may name another kind of transition.
    """
    state, before, knobs = opened_state(states), opened_knobs(earlier), opened_knobs(settings)
    here, there = opened_source(heres), opened_source(theres)
    for m in range(who.shape[0]):
        n = who[m]
        if knobs.transition != NONE:
            take_over(state, here, there, before, knobs, n, frames[m])
        state.playing.frames[n] = frames[m]
        state.offsets.ages[n] = 0.0


@inner
def take_over(state, here, there, before, knobs, n, frame):
    """What is shown of character n just before a jump to a frame, remembered for after it."""
    kind, halflife = knobs.transition, knobs.transition_halflife
    old, old_halflife, age = before.transition, before.transition_halflife, state.offsets.ages[n]
    was, t = state.playing.frames[n], state.playing.fractions[n]
    was_after, after = following(here, was), following(there, frame)
    memory = state.offsets.rotations
    for j in range(1, here.parents.shape[0]):
        animated = mixed(four(here.rotations, was, j), four(here.rotations, was_after, j), t)
        turning = between_frames(here.angular_velocities, was, was_after, t, j)
        shown = shown_rotation(memory, n, j, old, age, old_halflife, animated)
        vx, vy, vz = shown_turning(memory, n, j, old, age, old_halflife, animated, turning)
        if kind == DEAD:
            remember(memory, n, j, kind, halflife, to_vector(shown), (vx, vy, vz))
            continue
        animated = mixed(four(there.rotations, frame, j), four(there.rotations, after, j), t)
        step = to_vector(multiply(shown, inverse(animated)))
        turning = between_frames(there.angular_velocities, frame, after, t, j)
        x, y, z = rotate(from_vector(step[0], step[1], step[2]), turning)
        remember(memory, n, j, kind, halflife, step, (vx - x, vy - y, vz - z))
    memory = state.offsets.positions
    for k in range(here.moving.shape[0]):
        j = here.moving[k]
        place = between_frames(here.positions, was, was_after, t, j)
        velocity = between_frames(here.velocities, was, was_after, t, j)
        (x, y, z), (vx, vy, vz) = shown_place(memory, n, k, old, age, old_halflife, place, velocity)
        if kind != DEAD:
            ax, ay, az = between_frames(there.positions, frame, after, t, j)
            ux, uy, uz = between_frames(there.velocities, frame, after, t, j)
            x, y, z, vx, vy, vz = x - ax, y - ay, z - az, vx - ux, vy - uy, vz - uz
        remember(memory, n, k, kind, halflife, (x, y, z), (vx, vy, vz))
    rates, root = root_rates(here, was, was_after, t), root_rates(there, frame, after, t)
    for i in range(3):
        state.offsets.roots[n, i] += rates[i] - root[i]
        state.offsets.roots[n, i + 3] = 0.0
    for k in range(here.legs.shape[0] if knobs.foot_lock > 0 else 0):
        height, rate = toe_height(here, was, was_after, t, k)
        new_height, new_rate = toe_height(there, frame, after, t, k)
        state.feet.offsets[n, k, 1] += height - new_height
        state.feet.offsets[n, k, 4] += rate - new_rate


@inner
def lay_over(out, n, rotations, weights):
    """Let another source (N, J, 4) own joints by weight (N, J): 0 leaves them, 1 replaces them."""
    for j in range(1, weights.shape[1]):
        w = weights[n, j]
        if w > 0:
            store(out.rotations, n, j, mixed(four(out.rotations, n, j), normalized(four(rotations, n, j)), min(w, 1.0)))


@inner
def length(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
