"""Compiled poses: the animated pose of a character with its transition, forward kinematics, and jumps."""

import numpy as np

from kinematch.character.kernels.motion import root_at
from kinematch.character.kernels.poses8 import rest, sprung_jump, sprung_rotations
from kinematch.character.kernels.rotations import (
    from_vector,
    inverse,
    mixed,
    multiply,
    normalized,
    rotate,
    to_vector,
    turned,
)
from kinematch.character.kernels.transitions import (
    DEAD,
    NONE,
    SPRING,
    fading,
    fastest,
    remember,
    shown_place,
    shown_rotation,
    shown_turning,
)
from kinematch.character.knobs import opened_knobs
from kinematch.character.source import opened_source
from kinematch.character.state import opened_state
from kinematch.compile.jit import inner, kernel
from kinematch.compile.memory import address, fetch


@inner
def four(array, i, j):
    return (
        np.float64(array[i, j, 0]),
        np.float64(array[i, j, 1]),
        np.float64(array[i, j, 2]),
        np.float64(array[i, j, 3]),
    )


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
def local_pose(state, source, knobs, n, out, by):
    """The local pose of character n into the output; only the root's is still to come."""
    frame, t = state.playing.frames[n], state.playing.fractions[n]
    after = source.next_frames[frame]
    age, kind, halflife = state.offsets.ages[n], knobs.transition, knobs.transition_halflife
    turns, places = state.offsets.rotations, state.offsets.positions
    if kind == SPRING:
        sprung_rotations(source, frame, after, t, turns, n, out.rotations, fading(age, halflife, by.transition))
    else:
        for j in range(1, source.parents.shape[0]):
            animated = mixed(four(source.rotations, frame, j), four(source.rotations, after, j), t)
            store(out.rotations, n, j, shown_rotation(turns, n, j, kind, age, halflife, animated))
    rest(source, n, out)
    for k in range(source.moving.shape[0]):
        animated_place = between_frames(source.places, frame, after, t, k)
        place, _ = shown_place(places, n, k, kind, age, halflife, animated_place, (0.0, 0.0, 0.0))
        store(out.positions, n, source.moving[k], place)


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
        if m + 1 < who.shape[0]:
            land_soon(here.rotations, here.angular_velocities, state.playing.frames[who[m + 1]])
            land_soon(there.rotations, there.angular_velocities, frames[m + 1])
        if knobs.transition != NONE:
            take_over(state, here, there, before, knobs, n, frames[m])
        state.playing.frames[n] = frames[m]
        state.offsets.ages[n] = 0.0


@inner
def land_soon(rotations, turnings, frame):
    """Ask for what lies at a frame and the next, from or to which somebody jumps next."""
    fetch(address(rotations, frame), 2 * rotations.strides[0])
    fetch(address(turnings, frame), 2 * turnings.strides[0])


@inner
def take_over(state, here, there, before, knobs, n, frame):
    """What is shown of character n just before a jump to a frame, remembered for after it."""
    kind, halflife = knobs.transition, knobs.transition_halflife
    old, old_halflife, age = before.transition, before.transition_halflife, state.offsets.ages[n]
    was, t = state.playing.frames[n], state.playing.fractions[n]
    was_after, after = here.next_frames[was], there.next_frames[frame]
    memory = state.offsets.rotations
    sprung = kind == SPRING and old == SPRING
    if sprung:
        sprung_jump(memory, n, here, was, was_after, there, frame, after, t, fastest(kind, halflife))
    for j in range(1, 1 if sprung else here.parents.shape[0]):
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
        place = between_frames(here.places, was, was_after, t, k)
        velocity = between_frames(here.velocities, was, was_after, t, j)
        (x, y, z), (vx, vy, vz) = shown_place(memory, n, k, old, age, old_halflife, place, velocity)
        if kind != DEAD:
            ax, ay, az = between_frames(there.places, frame, after, t, k)
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
