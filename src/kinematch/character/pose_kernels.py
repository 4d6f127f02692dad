"""Compiled poses: the animated pose of a character with its transition, forward kinematics, and jumps."""

import math

import numpy as np

from kinematch.character.motion_kernels import following
from kinematch.character.transition_kernels import (
    DEAD,
    NONE,
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
def local_pose(state, source, knobs, n, out):
    """The local pose of character n, all joints but the root, into the output."""
    frame, t = state.playing.frames[n], state.playing.fractions[n]
    after = following(source, frame)
    age, kind, halflife = state.offsets.ages[n], knobs.transition, knobs.transition_halflife
    turns, places = state.offsets.rotations, state.offsets.positions
    for j in range(1, source.parents.shape[0]):
        animated = mixed(four(source.rotations, frame, j), four(source.rotations, after, j), t)
        store(out.rotations, n, j, shown_rotation(turns, n, j, kind, age, halflife, animated))
        store(out.positions, n, j, three(source.positions, 0, j))
    for k in range(source.moving.shape[0]):
        j = source.moving[k]
        animated_place = between_frames(source.positions, frame, after, t, j)
        place, _ = shown_place(places, n, k, kind, age, halflife, animated_place, (0.0, 0.0, 0.0))
        store(out.positions, n, j, place)


@inner
def forward(out, parents, n, only, k):
    """Global from local: all joints (no masks), or those of a mask k of several (K, J)."""
    for j in range(parents.shape[0]):
        if only.shape[0] > 0 and not only[k, j]:
            continue
        p = parents[j]
        if p < 0:
            store(out.global_positions, n, j, three(out.positions, n, j))
            store(out.global_rotations, n, j, four(out.rotations, n, j))
            continue
        turn = four(out.global_rotations, n, p)
        x, y, z = rotate(turn, three(out.positions, n, j))
        px, py, pz = three(out.global_positions, n, p)
        store(out.global_positions, n, j, (px + x, py + y, pz + z))
        store(out.global_rotations, n, j, multiply(turn, four(out.rotations, n, j)))


@inner
def root_rates(source, frame, after, t):
    """Velocity of the animated root in its own axes, and turn rate."""
    vx, _, vz = between_frames(source.velocities, frame, after, t, 0)
    x, z = turned(vx, vz, -source.root_yaws[frame])
    return x, z, source.angular_velocities[frame, 0, 1] * (1 - t) + source.angular_velocities[after, 0, 1] * t


@inner
def toe_height(source, frame, after, t, k):
    """Height of an animated toe above the root, and its rate."""
    a, b = source.toe_heights[frame, k], source.toe_heights[after, k]
    return a * (1 - t) + b * t, (b - a) * source.frame_rate


@kernel(fastmath={"contract"}, counting=False)
def leave(state, source, knobs, who, turns, turnings, places, velocities, rates, toes):
    """What is shown of some characters (M,) just before a jump.

    Rotations (M, J, 4), angular velocities (M, J, 3), places and velocities (M, K, 3) of the joints that move, the
    root's rates (M, 3), and the heights of the toes with their rates (M, K, 2).
    """
    kind, halflife = knobs.transition, knobs.transition_halflife
    for m in range(who.shape[0]):
        n = who[m]
        frame, t = state.playing.frames[n], state.playing.fractions[n]
        after, age = following(source, frame), state.offsets.ages[n]
        memory = state.offsets.rotations
        for j in range(1, source.parents.shape[0]):
            animated = mixed(four(source.rotations, frame, j), four(source.rotations, after, j), t)
            turning = between_frames(source.angular_velocities, frame, after, t, j)
            store(turns, m, j, shown_rotation(memory, n, j, kind, age, halflife, animated))
            store(turnings, m, j, shown_turning(memory, n, j, kind, age, halflife, animated, turning))
        memory = state.offsets.positions
        for k in range(source.moving.shape[0]):
            j = source.moving[k]
            animated_place = between_frames(source.positions, frame, after, t, j)
            velocity = between_frames(source.velocities, frame, after, t, j)
            place, speed = shown_place(memory, n, k, kind, age, halflife, animated_place, velocity)
            store(places, m, k, place)
            store(velocities, m, k, speed)
        root = root_rates(source, frame, after, t)
        for i in range(3):
            rates[m, i] = root[i] + state.offsets.roots[n, i]
        for k in range(source.legs.shape[0]):
            toes[m, k, 0], toes[m, k, 1] = toe_height(source, frame, after, t, k)


@kernel(fastmath={"contract"}, counting=False)
def enter(state, source, knobs, who, frames, turns, turnings, places, velocities, rates, toes):
    """Go on from other frames (M,), the difference to what was shown becoming an offset; the fraction is kept."""
    kind, halflife = knobs.transition, knobs.transition_halflife
    for m in range(who.shape[0]):
        n = who[m]
        frame, t = frames[m], state.playing.fractions[n]
        after = following(source, frame)
        state.playing.frames[n] = frame
        state.offsets.ages[n] = 0.0
        if kind == NONE:
            continue
        memory = state.offsets.rotations
        for j in range(1, source.parents.shape[0]):
            if kind == DEAD:
                remember(memory, n, j, kind, halflife, to_vector(four(turns, m, j)), three(turnings, m, j))
                continue
            animated = mixed(four(source.rotations, frame, j), four(source.rotations, after, j), t)
            step = to_vector(multiply(four(turns, m, j), inverse(animated)))
            x, y, z = between_frames(source.angular_velocities, frame, after, t, j)
            x, y, z = rotate(from_vector(step[0], step[1], step[2]), (x, y, z))
            vx, vy, vz = three(turnings, m, j)
            remember(memory, n, j, kind, halflife, step, (vx - x, vy - y, vz - z))
        memory = state.offsets.positions
        for k in range(source.moving.shape[0]):
            j = source.moving[k]
            x, y, z = three(places, m, k)
            vx, vy, vz = three(velocities, m, k)
            if kind != DEAD:
                ax, ay, az = between_frames(source.positions, frame, after, t, j)
                ux, uy, uz = between_frames(source.velocities, frame, after, t, j)
                x, y, z, vx, vy, vz = x - ax, y - ay, z - az, vx - ux, vy - uy, vz - uz
            remember(memory, n, k, kind, halflife, (x, y, z), (vx, vy, vz))
        root = root_rates(source, frame, after, t)
        for i in range(3):
            state.offsets.roots[n, i] = rates[m, i] - root[i]
            state.offsets.roots[n, i + 3] = 0.0
        for k in range(source.legs.shape[0] if knobs.foot_lock > 0 else 0):
            height, rate = toe_height(source, frame, after, t, k)
            state.feet.offsets[n, k, 1] += toes[m, k, 0] - height
            state.feet.offsets[n, k, 4] += toes[m, k, 1] - rate


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
