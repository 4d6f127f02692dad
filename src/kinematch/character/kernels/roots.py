"""Bodies and roots of eight characters in kernels: bodies follow commands, roots their clips and their bodies."""

import numpy as np

from kinematch.character.constants import CLAMP_PULL, CLAMP_SOFTNESS, FORGOTTEN
from kinematch.character.kernels.rotations import half_angle_sincos, rotate_by_wrapped, wrap_angle
from kinematch.character.kernels.scratch import DOUBLES, JOINT_ROTATIONS, JOINT_VECTORS, SIX_DOUBLES, THREE_DOUBLES
from kinematch.character.kernels.springs import (
    DOUBLE_SERIES,
    exp_negative,
    remaining_turn,
    spring_to_zero,
    velocity_spring,
)
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, narrowed, root, smaller, splat, where_positive, with_sign
from kinematch.compile.memory import address
from kinematch.compile.rows import read_doubles, write_doubles, write_fours, write_threes

U = np.uintp
X, Y, Z = np.int64(0), np.int64(1), np.int64(2)  # typed, so that numba compiles what takes them once
NEAREST = 1e-300  # m: below it a gap has no direction


@inner
def move_bodies(body, orders, by, tables):
    """The simulated bodies follow their commands."""
    for i in range(3):
        v, a = read_vector(body.velocities, i, tables), read_vector(body.accelerations, i, tables)
        shift, v, a = velocity_spring(v, a, read_vector(orders.velocities, i, tables), by.velocity)
        write_vector(body.positions, i, read_vector(body.positions, i, tables) + shift, tables)
        write_vector(body.velocities, i, v, tables)
        write_vector(body.accelerations, i, a, tables)
    yaw, rate = read_number(body.yaws, tables), read_number(body.yaw_rates, tables)
    facing_x, facing_z = read_vector(orders.facings, X, tables), read_vector(orders.facings, Z, tables)
    turn = remaining_turn(facing_x, facing_z, yaw, rate, by.facing.w)
    left, rate = spring_to_zero(-turn, rate, by.facing)
    write_number(body.yaws, wrap_angle(yaw + turn + left), tables)
    write_number(body.yaw_rates, rate, tables)


@inner
def adjust_roots(scene, by, tables):
    """Roots go their ways, with what is left of their last jumps, and are drawn to their bodies."""
    playing, offsets, body = scene.state.playing, scene.state.offsets, scene.state.body
    since, motions, out = scene.state.schedule.since, scene.work.motions, scene.pose
    x, z = read_vector(motions, X, tables), read_vector(motions, Y, tables)
    age = read_number(offsets.ages, tables)
    recent = FORGOTTEN * scene.knobs.transition_halflife - age
    x = x + fade_root_offset(offsets.roots, X, recent, by.transition, tables)
    z = z + fade_root_offset(offsets.roots, Y, recent, by.transition, tables)
    own = read_vector(motions, Z, tables)
    turn = own + fade_root_offset(offsets.roots, Z, recent, by.transition, tables)
    write_number(offsets.ages, age + by.dt, tables)
    write_number(since, read_number(since, tables) + by.dt, tables)
    before_x, before_z = read_vector(playing.positions, X, tables), read_vector(playing.positions, Z, tables)
    before = read_number(playing.yaws, tables)
    way_x, way_z = rotate_by_wrapped(x, z, wrap_angle(before))
    body_x, body_z = read_vector(body.positions, X, tables), read_vector(body.positions, Z, tables)
    gap_x, gap_z = body_x - (before_x + way_x), body_z - (before_z + way_z)
    facing = read_number(body.yaws, tables)
    gap_yaw = wrap_angle(facing - (before + turn))
    share, angle = close_gaps(gap_x, gap_z, gap_yaw, root(x * x + z * z), own, scene.knobs, by)
    x, z, yaw = body_x - gap_x * share, body_z - gap_z * share, wrap_angle(facing - angle)
    write_vector(playing.positions, X, x, tables)
    write_vector(playing.positions, Z, z, tables)
    write_number(playing.yaws, yaw, tables)
    write_vector(out.displacements, X, x - before_x, tables)
    write_vector(out.displacements, Y, splat(0.0), tables)
    write_vector(out.displacements, Z, z - before_z, tables)
    write_number(out.turns, wrap_angle(yaw - before), tables)


@inner
def fade_root_offset(roots, i, recent, by, tables):
    """The motion that the offset of a root's velocity adds, which fades; none long after a jump."""
    place = address(roots, 0) + U(8 * i)
    table = address(tables, SIX_DOUBLES)
    v, a = read_doubles(table, place), read_doubles(table, place + U(24))
    shift, new_v, new_a = velocity_spring(v, a, 0.0, by)
    write_doubles(table, place, where_positive(recent, new_v, v))
    write_doubles(table, place + U(24), where_positive(recent, new_a, a))
    return where_positive(recent, shift, splat(0.0))


@inner
def close_gaps(x, z, angle, distance, turn, knobs, by):
    """What is left of gaps between roots and bodies, as a share, and of angles: see stages.adjust.adjust_roots."""
    gap = root(x * x + z * z)
    kept, kept_angle = gap * by.synchronization, larger(angle, -angle) * by.synchronization
    kept = kept - smaller(kept * (1 - by.adjustment), knobs.adjustment_ratio * distance)
    kept_angle = kept_angle - smaller(kept_angle * (1 - by.turn), knobs.turn_ratio * larger(turn, -turn))
    if knobs.clamp_distance > 0:
        kept = clamp_gap(kept, knobs.clamp_distance, by.dt)
    if knobs.clamp_angle > 0:
        kept_angle = clamp_gap(kept_angle, knobs.clamp_angle, by.dt)
    return kept / larger(gap, splat(NEAREST)), with_sign(kept_angle, angle)


@inner
def clamp_gap(gap, most, dt):
    over = larger((gap - CLAMP_SOFTNESS * most) / (most - CLAMP_SOFTNESS * most), splat(0.0))
    return smaller(gap * exp_negative(CLAMP_PULL * dt * over * over, DOUBLE_SERIES), splat(most))


@inner
def show_roots(playing, out, tables):
    """The roots' poses into the local pose."""
    x, y = read_vector(playing.positions, X, tables), read_vector(playing.positions, Y, tables)
    z = read_vector(playing.positions, Z, tables)
    place = narrowed(x), narrowed(y), narrowed(z)
    write_threes(address(tables, JOINT_VECTORS), address(out.positions, 0), place)
    w, s = half_angle_sincos(read_number(playing.yaws, tables))
    zero = narrowed(splat(0.0))
    write_fours(address(tables, JOINT_ROTATIONS), address(out.rotations, 0), (narrowed(w), zero, narrowed(s), zero))


@inner
def read_number(array, tables):
    return read_doubles(address(tables, DOUBLES), address(array, 0))


@inner
def write_number(array, values, tables):
    write_doubles(address(tables, DOUBLES), address(array, 0), values)


@inner
def read_vector(array, i, tables):
    return read_doubles(address(tables, THREE_DOUBLES), address(array, 0) + U(8 * i))


@inner
def write_vector(array, i, values, tables):
    write_doubles(address(tables, THREE_DOUBLES), address(array, 0) + U(8 * i), values)
