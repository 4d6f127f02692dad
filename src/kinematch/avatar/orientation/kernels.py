"""Compiled twins of `inputs.py` and `recurrent.py`: what the network sees of each user, and its answer."""

import numpy as np

from kinematch.avatar.orientation.constants import (
    AVERAGE_SECONDS,
    AVERAGED_VECTORS,
    FADE_HALFLIFE,
    MAX_HELD_TURN,
    MAX_HELD_TURN_GROWTH,
    REFERENCE_RATE,
    WAIST_UNCERTAINTY,
)  # fmt: skip
from kinematch.avatar.trackers import CHEST, HEAD, LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND, WAIST
from kinematch.compile.jit import kernel, part
from kinematch.motion.heading import TILTED, UPRIGHT

AVERAGE_SPANS = np.array(AVERAGE_SECONDS)


@kernel
def average_sequence(vectors, seen, spans, dt, out):
    """Averages up to each sample: vectors (F, A, 2), seen (F, A), spans (S,) -> out (F, S, A, 2).

    Each decays exponentially; until a span has passed it is the plain mean. An unseen vector leaves its averages.
    """
    frames, averaged = seen.shape
    ages = np.zeros(averaged)
    for frame in range(frames):
        for a in range(averaged):
            if seen[frame, a]:
                ages[a] += dt
            for s in range(len(spans)):
                rate = max(1 - np.exp(-dt / spans[s]), dt / max(ages[a], dt)) if seen[frame, a] else 0.0
                for k in range(2):
                    last = out[frame - 1, s, a, k] if frame else 0.0
                    out[frame, s, a, k] = last + rate * (vectors[frame, a, k] - last)


@part
def turn_vector(q, x, y, z):
    """quaternion.rotate of one vector."""
    tx, ty, tz = 2 * (q[2] * z - q[3] * y), 2 * (q[3] * x - q[1] * z), 2 * (q[1] * y - q[2] * x)
    return (
        x + q[0] * tx + q[2] * tz - q[3] * ty,
        y + q[0] * ty + q[3] * tx - q[1] * tz,
        z + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@part
def face(q):
    """heading.facing_yaws of one rotation."""
    up = turn_vector(q, 0.0, 1.0, 0.0)[1]
    fx, _, fz = turn_vector(q, 0.0, 0.0, 1.0)
    trust = min(max((up - TILTED) / (UPRIGHT - TILTED), 0.0), 1.0)
    size = np.sqrt(fx * fx + fz * fz)
    if size > 0:
        fx, fz = fx / size, fz / size
    twist = 2 * np.arctan2(q[2], q[0])
    return np.arctan2(trust * fx + (1 - trust) * np.sin(twist), trust * fz + (1 - trust) * np.cos(twist))


@part
def wrap(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


@part
def put(row, k, c, s, x, y, z):
    """A vector in the headset's frame."""
    row[k], row[k + 1], row[k + 2] = c * x - s * z, y, c * z + s * x
    return k + 3


@part
def put_ground(row, k, c, s, x, z):
    row[k], row[k + 1] = c * x - s * z, c * z + s * x
    return k + 2


@part
def measure(positions, rotations, velocities, spins, valid, past, yaw, tall, arm, row):
    """inputs.measure_inputs of one user."""
    c, s = np.cos(yaw), np.sin(yaw)
    row[:] = 0
    hx, hy, hz = positions[HEAD, 0], positions[HEAD, 1], positions[HEAD, 2]
    vx, vy, vz = velocities[HEAD, 0] / tall, velocities[HEAD, 1] / tall, velocities[HEAD, 2] / tall
    ax, ay, az = turn_vector(rotations[HEAD], 0.0, 1.0, 0.0)
    k = put(row, 0, c, s, ax, ay, az)
    row[k] = hy / tall
    k = put(row, k + 1, c, s, vx, vy, vz)
    k = put(row, k, c, s, spins[HEAD, 0], spins[HEAD, 1], spins[HEAD, 2])
    for hand in (LEFT_HAND, RIGHT_HAND):
        if not valid[hand]:
            k += 16
            continue
        p, v, q = positions[hand], velocities[hand], rotations[hand]
        row[k] = 1
        k = put(row, k + 1, c, s, (p[0] - hx) / arm, (p[1] - hy) / arm, (p[2] - hz) / arm)
        ax, ay, az = turn_vector(q, 1.0 if hand == LEFT_HAND else -1.0, 0.0, 0.0)
        k = put(row, k, c, s, ax, ay, az)
        ax, ay, az = turn_vector(q, 0.0, 1.0, 0.0)
        k = put(row, k, c, s, ax, ay, az)
        k = put(row, k, c, s, v[0] / tall - vx, v[1] / tall - vy, v[2] / tall - vz)
        k = put(row, k, c, s, spins[hand, 0], spins[hand, 1], spins[hand, 2])
    if valid[CHEST]:
        ax, ay, az = turn_vector(rotations[CHEST], 0.0, 0.0, 1.0)
        p = positions[CHEST]
        row[k] = 1
        put_ground(row, k + 1, c, s, ax, az)
        put(row, k + 3, c, s, p[0] - hx, p[1] - hy, p[2] - hz)
    k += 6
    for foot in (LEFT_FOOT, RIGHT_FOOT):
        if valid[foot]:
            p, v = positions[foot], velocities[foot]
            ax, ay, az = turn_vector(rotations[foot], 0.0, 0.0, 1.0)
            row[k] = 1
            put(row, k + 1, c, s, (p[0] - hx) / tall, (p[1] - hy) / tall, (p[2] - hz) / tall)
            put_ground(row, k + 4, c, s, ax, az)
            put(row, k + 6, c, s, v[0] / tall, v[1] / tall, v[2] / tall)
        k += 9
    for span in range(past.shape[0]):
        for a in range(past.shape[1]):
            k = put_ground(row, k, c, s, past[span, a, 0], past[span, a, 1])


@part
def remember(positions, velocities, valid, yaw, tall, arm, dt, past, ages):
    """inputs.measure_ground_vectors and advance_past of one user."""
    for a in range(AVERAGED_VECTORS):
        point = HEAD if a < 2 else LEFT_HAND if a == 2 else RIGHT_HAND
        if not valid[point]:
            continue
        if a == 0:
            x, z = np.sin(yaw), np.cos(yaw)
        elif a == 1:
            x, z = velocities[HEAD, 0] / tall, velocities[HEAD, 2] / tall
        else:
            x = (positions[point, 0] - positions[HEAD, 0]) / arm
            z = (positions[point, 2] - positions[HEAD, 2]) / arm
        ages[a] += dt
        for s in range(len(AVERAGE_SPANS)):
            rate = max(1 - np.exp(-dt / AVERAGE_SPANS[s]), dt / max(ages[a], dt))
            past[s, a, 0] += rate * (x - past[s, a, 0])
            past[s, a, 1] += rate * (z - past[s, a, 1])


@part
def recur(row, weights, own_weights, biases, own_biases, vectors, turn, dt, hidden, given, own):
    """recurrent.advance_hidden of one user: rows of weights belong to inputs, columns to gate, mix and new."""
    size = len(hidden)
    c, s = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    for k in range(vectors):
        x, y = hidden[k], hidden[vectors + k]
        hidden[k], hidden[vectors + k] = c * x - s * y, s * x + c * y
    given[:] = biases
    for i in range(len(row)):
        if row[i] != 0:  # points that are not tracked cost nothing
            for k in range(3 * size):
                given[k] += row[i] * weights[i, k]
    own[:] = own_biases
    for i in range(size):
        for k in range(3 * size):
            own[k] += hidden[i] * own_weights[i, k]
    one, step = np.float32(1), np.float32(dt * REFERENCE_RATE)
    for k in range(size):
        opening = given[k] + own[k]
        # softplus without overflow
        rise = max(opening, np.float32(0)) + np.log1p(np.exp(-abs(opening)))
        share = one - np.exp(-step * rise)
        mix = one / (one + np.exp(-(given[size + k] + own[size + k])))
        hidden[k] += share * (np.tanh(given[2 * size + k] + mix * own[2 * size + k]) - hidden[k])


@part
def answer(hidden, output_weights, output_biases):
    """The output (x, z, log error) of one hidden state, the vector made a unit one."""
    x, z, e = output_biases[0], output_biases[1], output_biases[2]
    for k in range(len(hidden)):
        x += hidden[k] * output_weights[k, 0]
        z += hidden[k] * output_weights[k, 1]
        e += hidden[k] * output_weights[k, 2]
    size = max(np.sqrt(x * x + z * z), np.float32(1e-6))
    return x / size, z / size, e


@kernel
def advance_users(
    positions, rotations, velocities, spins, valid, talls, arms, dt,
    weights, own_weights, biases, own_biases, output_weights, output_biases, vectors, order, signs,
    hidden, past, ages, headings, started, relatives, errors,
):  # fmt: skip
    """One sample: the state and answers (relatives, errors) of N users, in place."""
    columns, size = weights.shape[0], hidden.shape[2]
    measured = np.empty(columns)
    row, mirrored = np.empty(columns, np.float32), np.empty(columns, np.float32)
    given, own = np.empty(3 * size, np.float32), np.empty(3 * size, np.float32)
    for n in range(len(positions)):
        if not valid[n, HEAD]:
            continue
        yaw = face(rotations[n, HEAD])
        turn = wrap(yaw - headings[n]) if started[n] else 0.0
        jump = wrap(turn - spins[n, HEAD, 1] * dt)
        if started[n] and abs(jump) > MAX_HELD_TURN + MAX_HELD_TURN_GROWTH * dt * dt:
            c, s = np.cos(jump), np.sin(jump)  # the space was turned, and the state with it
            for k in range(past.shape[1]):
                for a in range(AVERAGED_VECTORS):
                    x, z = past[n, k, a, 0], past[n, k, a, 1]
                    past[n, k, a, 0], past[n, k, a, 1] = c * x + s * z, c * z - s * x
            turn = wrap(turn - jump)
        headings[n], started[n] = yaw, True
        remember(positions[n], velocities[n], valid[n], yaw, talls[n], arms[n], dt, past[n], ages[n])
        measure(
            positions[n], rotations[n], velocities[n], spins[n], valid[n], past[n], yaw, talls[n], arms[n], measured
        )
        for k in range(columns):
            row[k] = measured[k]
        for k in range(columns):
            mirrored[k] = signs[k] * row[order[k]]
        recur(row, weights, own_weights, biases, own_biases, vectors, turn, dt, hidden[n, 0], given, own)
        recur(mirrored, weights, own_weights, biases, own_biases, vectors, -turn, dt, hidden[n, 1], given, own)
        x, z, e = answer(hidden[n, 0], output_weights, output_biases)
        mx, mz, me = answer(hidden[n, 1], output_weights, output_biases)
        relatives[n], errors[n] = np.arctan2(x - mx, z + mz), (e + me) / 2


@kernel
def blend_users(rotations, valid, dt, headings, relatives, errors, offset, slope, last, fades, yaws, wrong):
    """Directions and uncertainties of N users from the network's answers, in place.

    Where trackers come or go, a direction continues from its last value and settles within a few half-lives.
    """
    for n in range(len(valid)):
        if not (valid[n, HEAD] or valid[n, WAIST]):
            continue
        if valid[n, WAIST]:
            yaw, wrong[n] = face(rotations[n, WAIST]), WAIST_UNCERTAINTY
        else:
            yaw, wrong[n] = headings[n] + relatives[n], min(np.exp(offset + slope * errors[n]), np.pi / 2)
        changed, known = False, False
        for point in range(valid.shape[1]):
            changed |= valid[n, point] != last[n, point]
            known |= last[n, point]
            last[n, point] = valid[n, point]
        if changed and known:
            fades[n] = wrap(yaws[n] - yaw)
        fades[n] *= 0.5 ** (dt / FADE_HALFLIFE)
        yaws[n] = wrap(yaw + fades[n])
