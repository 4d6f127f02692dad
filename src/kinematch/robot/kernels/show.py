"""Robots in frames of a table, now and ahead: joints, base and bodies of many robots, in the axes of robot files."""

import math
from typing import NamedTuple

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import (
    about,
    add,
    inverse,
    multiply,
    read3,
    read4,
    rotate,
    scale_vector,
    subtract,
    write3,
    write4,
)
from kinematch.robot.kernels.rotations import normalize, to_vector

UP = (0.0, 1.0, 0.0)


class ShownTables(NamedTuple):
    """Constants: the database on the robot, and for each of T times the frame of then and the root's way there."""

    angles: np.ndarray  # (F, D) rad
    base_positions: np.ndarray  # (F, 3) m, in the root's axes
    base_rotations: np.ndarray  # (F, 4)
    contacts: np.ndarray  # (F, 2) bool
    following: np.ndarray  # (F,) int32
    root_steps: np.ndarray  # (F, 4) x, z, yaw, y to the following frame, in the root's axes
    ahead: np.ndarray  # (T, F) int32
    ways: np.ndarray  # (T, F, 4) float32, x, z, yaw, y
    ages: np.ndarray  # (T,) s from now
    limits: np.ndarray  # (D, 2) rad
    body_links: np.ndarray  # (B,) int32
    body_offsets: np.ndarray  # (B, 3) m
    body_rotations: np.ndarray  # (B, 4)
    floor_starts: np.ndarray  # (L + 1,) int32, the first floor point of each link
    floor_points: np.ndarray  # (P, 3) m, sorted by link
    floor_radii: np.ndarray  # (P,) m
    numbers: np.ndarray  # (3,) frames a second, robot's size over the person's, stiffness of the fading 1/s


class ShownWork(NamedTuple):
    """What is shown now in the root's axes, for transitions that take over from it."""

    values: np.ndarray  # (N, D + 3) angles, place of the base
    turns: np.ndarray  # (N, 4) of the base
    rates: np.ndarray  # (N, D + 6) of angles, of the base's place and rotation


class ShownArrays(NamedTuple):
    """Results, float32: Z up, w first."""

    joint_positions: np.ndarray  # (N, T, D)
    joint_velocities: np.ndarray
    base_positions: np.ndarray  # (N, T, 3)
    base_rotations: np.ndarray  # (N, T, 4)
    base_velocities: np.ndarray  # (N, T, 3)
    base_angular_velocities: np.ndarray
    contacts: np.ndarray  # (N, T, 2)
    body_positions: np.ndarray  # (N, T, B, 3)
    body_rotations: np.ndarray  # (N, T, B, 4)


@kernel
def show_robots(plan, tables, playing, offsets, rates, work, out, start, stop):
    """Fill the rows [start, stop) of `out` and `work`.

    `playing` has frames (N,), fractions (N,), positions (N, 3) and yaws (N,) of the characters; `offsets` and `rates`
    (N, D + 6) of joints, place and rotation of the base fade by a critically damped spring.
    """
    hinges, links = tables.angles.shape[1], plan.parents.shape[0]
    places, turns, angles = np.empty((links, 3)), np.empty((links, 4)), np.empty(hinges)
    frames, fractions, positions, yaws = playing
    rate, scale, stiffness = tables.numbers[0], tables.numbers[1], tables.numbers[2]
    for n in range(start, stop):
        frame, share = frames[n], fractions[n]
        for t in range(tables.ages.shape[0]):
            age = tables.ages[t]
            fade = math.exp(-stiffness * age)
            first = tables.ahead[t, frame]
            second = tables.following[first]
            for d in range(hinges):
                low, high = tables.angles[first, d], tables.angles[second, d]
                value, speed = fade_offset(offsets[n, d], rates[n, d], stiffness, age, fade)
                angle, speed = low + share * (high - low) + value, (high - low) * rate + speed
                if angle < tables.limits[d, 0] or angle > tables.limits[d, 1]:
                    angle, speed = min(max(angle, tables.limits[d, 0]), tables.limits[d, 1]), 0.0
                angles[d] = angle
                out.joint_positions[n, t, d] = angle
                out.joint_velocities[n, t, d] = speed
                if t == 0:
                    work.values[n, d], work.rates[n, d] = angle, speed
            # the base in the root's axes
            away, away_speed = fade_three(offsets, rates, n, hinges, stiffness, age, fade)
            spin, spin_speed = fade_three(offsets, rates, n, hinges + 3, stiffness, age, fade)
            low, high = read3(tables.base_positions, first), read3(tables.base_positions, second)
            step = subtract(high, low)
            place = add(add(low, scale_vector(step, share)), away)
            place_speed = add(scale_vector(step, rate), away_speed)
            from_turn, to_turn = read4(tables.base_rotations, first), read4(tables.base_rotations, second)
            turning = to_vector(multiply(to_turn, inverse(from_turn)))
            offset = from_vector(spin)
            turn = normalize(multiply(offset, multiply(from_vector(scale_vector(turning, share)), from_turn)))
            turn_speed = add(rotate(offset, scale_vector(turning, rate)), spin_speed)
            if t == 0:
                for k in range(3):
                    work.values[n, hinges + k] = place[k]
                    work.rates[n, hinges + k], work.rates[n, hinges + 3 + k] = place_speed[k], turn_speed[k]
                write4(work.turns, n, turn)
            # the root
            after = tables.following[frame]
            x, z, yaw, y = blend_ways(tables.ways, t, frame, after, share)
            sin, cos = math.sin(yaws[n]), math.cos(yaws[n])
            root = (
                scale * positions[n, 0] + cos * x + sin * z,
                scale * positions[n, 1] + y,
                scale * positions[n, 2] + cos * z - sin * x,
            )
            heading = about(UP, yaws[n] + yaw)
            yaw_speed = tables.root_steps[first, 2] * rate
            going = (tables.root_steps[first, 0], tables.root_steps[first, 3], tables.root_steps[first, 1])
            swing = (yaw_speed * place[2], 0.0, -yaw_speed * place[0])
            speed = rotate(heading, add(add(scale_vector(going, rate), swing), place_speed))
            angular = rotate(heading, (turn_speed[0], turn_speed[1] + yaw_speed, turn_speed[2]))
            base, base_turn = add(root, rotate(heading, place)), multiply(heading, turn)
            lowest = place_robot(plan, tables, base, base_turn, angles, places, turns)
            lift = max(root[1] - lowest, 0.0)
            write_base(out, n, t, (base[0], base[1] + lift, base[2]), base_turn, speed, angular)
            out.contacts[n, t, 0], out.contacts[n, t, 1] = tables.contacts[first, 0], tables.contacts[first, 1]
            write_bodies(tables, places, turns, lift, out.body_positions[n, t], out.body_rotations[n, t])


@part
def place_robot(plan, tables, base, base_turn, angles, places, turns):
    """Places (L, 3) and rotations (L, 4) of links; the height of the lowest point."""
    write3(places, 0, base)
    write4(turns, 0, base_turn)
    lowest = np.inf
    for link in range(plan.parents.shape[0]):
        if link:
            above = plan.parents[link]
            turned = read4(turns, above)
            write3(places, link, add(read3(places, above), rotate(turned, read3(plan.offsets, link))))
            own = multiply(read4(plan.turns, link), turn_about(read3(plan.axes, link), angles[link - 1]))
            write4(turns, link, multiply(turned, own))
        w, x, y, z = read4(turns, link)
        across, up, ahead = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        for i in range(tables.floor_starts[link], tables.floor_starts[link + 1]):
            point = read3(tables.floor_points, i)
            height = places[link, 1] + across * point[0] + up * point[1] + ahead * point[2]
            lowest = min(lowest, height - tables.floor_radii[i])
    return lowest


@part
def turn_about(axis, angle):
    """As `about`, to 1e-9 and faster for angles up to half a turn: the Taylor series of sine and cosine."""
    x = 0.5 * angle
    if abs(x) > 1.58:
        return about(axis, angle)
    z = x * x
    sin = x * (
        1 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800 + z / 6227020800)))))
    )
    cos = 1 + z * (
        -0.5
        + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * (-1 / 3628800 + z * (1 / 479001600 - z / 87178291200)))))
    )
    return cos, axis[0] * sin, axis[1] * sin, axis[2] * sin


@part
def write_bodies(tables, places, turns, lift, out_places, out_turns):
    """Bodies of the file from links, in its axes."""
    for b in range(tables.body_links.shape[0]):
        link = tables.body_links[b]
        turned = read4(turns, link)
        at = add(read3(places, link), rotate(turned, read3(tables.body_offsets, b)))
        own = multiply(turned, read4(tables.body_rotations, b))
        out_places[b, 0], out_places[b, 1], out_places[b, 2] = at[2], at[0], at[1] + lift
        out_turns[b, 0], out_turns[b, 1], out_turns[b, 2], out_turns[b, 3] = own[0], own[3], own[1], own[2]


@part
def write_base(out, n, t, base, turn, speed, angular):
    """In the file's axes."""
    for k in range(3):
        to = (k + 1) % 3  # ours are y z x of the file's
        out.base_positions[n, t, to] = base[k]
        out.base_velocities[n, t, to] = speed[k]
        out.base_angular_velocities[n, t, to] = angular[k]
        out.base_rotations[n, t, 1 + to] = turn[1 + k]
    out.base_rotations[n, t, 0] = turn[0]


@part
def blend_ways(ways, t, first, second, share):
    """The root's way ahead from between two frames: x, z, yaw, y."""
    a, b = ways[t, first], ways[t, second]
    return (
        a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]),
        a[3] + share * (b[3] - a[3]),
    )  # fmt: skip


@part
def fade_offset(offset, rate, stiffness, time, fade):
    """An offset and its rate after a time: a critically damped spring."""
    pull = rate + offset * stiffness
    return fade * (offset + pull * time), fade * (rate - pull * stiffness * time)


@part
def fade_three(offsets, rates, n, column, stiffness, time, fade):
    """Three columns of a row as a vector, and its rate."""
    x = fade_offset(offsets[n, column], rates[n, column], stiffness, time, fade)
    y = fade_offset(offsets[n, column + 1], rates[n, column + 1], stiffness, time, fade)
    z = fade_offset(offsets[n, column + 2], rates[n, column + 2], stiffness, time, fade)
    return (x[0], y[0], z[0]), (x[1], y[1], z[1])


@part
def from_vector(v):
    """The rotation of a rotation vector."""
    size = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    half = 0.5 * size
    share = math.sin(half) / size if size > 1e-9 else 0.5  # the limit of the quotient
    return math.cos(half), share * v[0], share * v[1], share * v[2]


@kernel
def fade_offsets(offsets, rates, stiffness, time):
    """Offsets and their rates after a time, in place."""
    fade = math.exp(-stiffness * time)
    for n in range(offsets.shape[0]):
        for k in range(offsets.shape[1]):
            offsets[n, k], rates[n, k] = fade_offset(offsets[n, k], rates[n, k], stiffness, time, fade)


@kernel
def follow_frames(following, root_steps, counts, frames, ways):
    """For each frame the ones so many frames later (T, F), and the root's way there (T, F, 4): x, z, yaw, y."""
    for f in range(following.shape[0]):
        at, done = f, 0
        x = z = yaw = y = 0.0
        for t in range(counts.shape[0]):
            for _ in range(counts[t] - done):
                cos, sin = math.cos(yaw), math.sin(yaw)
                x += cos * root_steps[at, 0] + sin * root_steps[at, 1]
                z += cos * root_steps[at, 1] - sin * root_steps[at, 0]
                yaw += root_steps[at, 2]
                y += root_steps[at, 3]
                at = following[at]
            done = counts[t]
            frames[t, f] = at
            ways[t, f, 0], ways[t, f, 1], ways[t, f, 2], ways[t, f, 3] = x, z, yaw, y
