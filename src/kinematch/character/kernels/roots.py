"""Compiled bodies and roots of eight characters: bodies follow commands, roots their clips and their bodies."""

import numpy as np

from kinematch.character.kernels.motion import (
    DOUBLES,
    fading,
    moved_on,
    rate_of,
    root_step,
    spring,
    velocity_spring,
    yaw_gap,
)
from kinematch.character.kernels.poses8 import ONES, SIX_DOUBLES, THREE_DOUBLES
from kinematch.character.kernels.rotations import half_turn, turned_by, wrapped
from kinematch.character.kernels.transitions import DEAD, FORGOTTEN, decay, decay_turning
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, narrowed, root, smaller, splat, where_positive, with_sign
from kinematch.compile.memory import address
from kinematch.compile.rows import read_doubles, write_doubles, write_fours, write_threes

U = np.uintp
X, Y, Z = np.int64(0), np.int64(1), np.int64(2)  # for plain ones, numba would compile what they are given to once more
NEAREST = 1e-300  # m: below, a gap has no direction
SOFT = 0.5  # of a clamp's distance or angle, from which it pulls
PULL = 12.0  # 1/s at which a gap shrinks at the clamp's limit: 0.3 m are made up at 3.6 m/s, as fast as most run


@inner
def advance_bodies(body, velocities, facings, by, tables):
    for i in range(3):
        v, a, wanted = (
            three(body.velocities, i, tables),
            three(body.accelerations, i, tables),
            three(velocities, i, tables),
        )
        way, v, a = velocity_spring(v, a, wanted, by.velocity)
        put_three(body.positions, i, three(body.positions, i, tables) + way, tables)
        put_three(body.velocities, i, v, tables)
        put_three(body.accelerations, i, a, tables)
    yaw, rate = one(body.yaws, tables), one(body.yaw_rates, tables)
    gap = yaw_gap(three(facings, X, tables), three(facings, Z, tables), yaw, rate, by.facing.w)
    left, rate = spring(-gap, rate, by.facing)
    put_one(body.yaws, wrapped(yaw + gap + left), tables)
    put_one(body.yaw_rates, rate, tables)


@inner
def go_on(playing, offsets, velocities, source, knobs, n, out, by):
    """Move one character's clip on; its root's way and turn meanwhile, as the clip has them, wait in the output."""
    frame, fraction = playing.frames[n], playing.fractions[n]
    seconds = by.transition.dt * rate_of(source.paces, frame, velocities, n, knobs)
    playing.frames[n], playing.fractions[n], rounds = moved_on(source, frame, fraction, seconds)
    x, z, yaw, turn = root_step(source, frame, fraction, playing.frames[n], playing.fractions[n], rounds)
    out.displacements[n, 0], out.displacements[n, 1], out.displacements[n, 2], out.turns[n] = x, yaw, z, turn
    if offsets.ages[n] < FORGOTTEN * knobs.transition_halflife:
        if knobs.transition == DEAD:
            decay_turning(offsets.rotations, n, knobs.transition_halflife, by.transition)
        decay(offsets.positions, n, knobs.transition, knobs.transition_halflife, by.transition)


@inner
def follow(playing, offsets, body, since, knobs, out, by, tables):
    """Roots go their ways, with what is left of their last jumps, and are drawn to their bodies."""
    dt = by.transition.dt
    yaw = three(out.displacements, Y, tables)  # of the clip: see go_on
    x, z = turned_by(three(out.displacements, X, tables), three(out.displacements, Z, tables), wrapped(-yaw))
    age = one(offsets.ages, tables)
    recent = FORGOTTEN * knobs.transition_halflife - age
    # whose offsets are those of the velocities along x and z, and of the turn
    x = x + left_over(offsets.roots, X, recent, by.transition, tables)
    z = z + left_over(offsets.roots, Y, recent, by.transition, tables)
    turn = wrapped(one(out.turns, tables)) + left_over(offsets.roots, Z, recent, by.transition, tables)
    put_one(offsets.ages, age + dt, tables)
    put_one(since, one(since, tables) + dt, tables)
    was_x, was_z, was = (
        three(playing.positions, X, tables),
        three(playing.positions, Z, tables),
        one(playing.yaws, tables),
    )
    ahead_x, ahead_z = turned_by(x, z, wrapped(was))
    gap_x = three(body.positions, X, tables) - (was_x + ahead_x)
    gap_z = three(body.positions, Z, tables) - (was_z + ahead_z)
    facing = one(body.yaws, tables)
    share, angle = drawn(gap_x, gap_z, wrapped(facing - (was + turn)), root(x * x + z * z), turn, knobs, by)
    x, z = three(body.positions, X, tables) - gap_x * share, three(body.positions, Z, tables) - gap_z * share
    yaw = wrapped(facing - angle)
    put_three(playing.positions, X, x, tables)
    put_three(playing.positions, Z, z, tables)
    put_one(playing.yaws, yaw, tables)
    put_three(out.displacements, X, x - was_x, tables)
    put_three(out.displacements, Y, splat(0.0), tables)
    put_three(out.displacements, Z, z - was_z, tables)
    put_one(out.turns, wrapped(yaw - was), tables)


@inner
def left_over(roots, i, recent, by, tables):
    """The way that the offset of a root's velocity adds, which fades; none long after a jump."""
    place = address(roots, 0) + U(8 * i)
    table = address(tables, SIX_DOUBLES)
    v, a = read_doubles(table, place), read_doubles(table, place + U(24))
    way, new_v, new_a = velocity_spring(v, a, 0.0, by)
    write_doubles(table, place, where_positive(recent, new_v, v))
    write_doubles(table, place + U(24), where_positive(recent, new_a, a))
    return where_positive(recent, way, splat(0.0))


@inner
def drawn(x, z, angle, way, turn, knobs, by):
    """What is left, as a share, of gaps between roots and bodies; and of angles.

    Velocity-proportional adjustment is a decay limited to a share of how far and by what angle the animation itself
    moved in this step (thesis 3.3.2): who stands still is not dragged. Synchronization (digital humans 3.5) drags.
    """
    gap = root(x * x + z * z)
    kept, kept_angle = gap * by.synchronized, larger(angle, -angle) * by.synchronized
    kept = kept - smaller(kept * (1 - by.adjusted), knobs.adjustment_ratio * way)
    kept_angle = kept_angle - smaller(kept_angle * (1 - by.turned), knobs.turn_ratio * larger(turn, -turn))
    if knobs.clamp_distance > 0:
        kept = clamped(kept, knobs.clamp_distance, by.velocity.dt)
    if knobs.clamp_angle > 0:
        kept_angle = clamped(kept_angle, knobs.clamp_angle, by.velocity.dt)
    return kept / larger(gap, splat(NEAREST)), with_sign(kept_angle, angle)


@inner
def clamped(gap, most, dt):
    """A gap that never passes the most; a pull that grows from SOFT of it on keeps it from being hit hard."""
    over = larger((gap - SOFT * most) / (most - SOFT * most), splat(0.0))
    return smaller(gap * fading(PULL * dt * over * over, DOUBLES), splat(most))


@inner
def show_roots(playing, out, turns, places, tables):
    """The roots' poses into the output."""
    x, y, z = (
        three(playing.positions, X, tables),
        three(playing.positions, Y, tables),
        three(playing.positions, Z, tables),
    )
    write_threes(places, address(out.positions, 0), (narrowed(x), narrowed(y), narrowed(z)))
    w, s = half_turn(one(playing.yaws, tables))
    none = narrowed(splat(0.0))
    write_fours(turns, address(out.rotations, 0), (narrowed(w), none, narrowed(s), none))


@inner
def one(array, tables):
    return read_doubles(address(tables, ONES), address(array, 0))


@inner
def put_one(array, values, tables):
    write_doubles(address(tables, ONES), address(array, 0), values)


@inner
def three(array, i, tables):
    return read_doubles(address(tables, THREE_DOUBLES), address(array, 0) + U(8 * i))


@inner
def put_three(array, i, values, tables):
    write_doubles(address(tables, THREE_DOUBLES), address(array, 0) + U(8 * i), values)
