"""Toes of eight characters in kernels: which are held, and how they go where they should be without a jerk.

See stages.feet, whose functions these are.
"""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.kernels.lane_rotations import from_rotation_vector
from kinematch.character.kernels.legs import find_rotation_between
from kinematch.character.kernels.reach import RESISTS, measure_leg, measure_shortfall
from kinematch.character.kernels.scratch import (
    CONTACT,
    FARTHEST,
    GROUND,
    HEIGHT,
    LEAN_X,
    LEAN_Z,
    LEG_SIXES,
    LEG_THREES,
    LEG_TWOS,
    LOCKED,
    REFUSED,
    REST,
    SHIFT_X,
    SLOPE_W,
    SLOPE_X,
    STAYS,
    WANTED_X,
    leg_rows,
    write_three,
)
from kinematch.character.kernels.springs import SINGLE_SERIES, Damping, exp_negative, spring_to_zero
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, read, root, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_threes, read_twos, write_threes, write_twos
from kinematch.math.kernels import rotate

U, F = np.uintp, np.float32
ZERO, ONE, TWO, TINY = F(0), F(1), F(2), F(1e-9)
NO_LENGTH = F(1e-30)  # square of a length that has no direction
TILT_HEIGHT, HARDEST_PULL, SOFTEST_SPRING = F(c.TILT_HEIGHT), F(c.HARDEST_PULL), F(c.SOFTEST_SPRING)
BRISK, LETS_GO = F(c.BRISK), F(c.LETS_GO)


@inner
def plant_toe(scene, k, sunk, by, tables, room):
    """Catch or free one toe of each character, and move on where it is shown. By how much lower the hips should be for
    locked ones to be reached; they are lower by `sunk`."""
    feet, rig, knobs, joints = scene.state.feet, scene.rig, scene.knobs, scene.rig.parents.shape[0]
    rows, threes, sixes, twos = (
        leg_rows(room, joints, k), address(tables, LEG_THREES), address(tables, LEG_SIXES), address(tables, LEG_TWOS)
    )  # fmt: skip
    places_at, toes_at = address(feet.places, 0) + U(12 * k), address(feet.toes, 0) + U(12 * k)
    offsets_at, headings_at = address(feet.offsets, 0) + U(24 * k), address(feet.headings, 0) + U(8 * k)
    on_terrain = scene.work.normals.shape[0] > 0
    leg, length, longest, foot, toe = measure_leg(rig.legs, knobs, k, room, rows)
    vx, vz = measure_velocity(toe, read_threes(threes, toes_at), by.lock.dt)
    place, heading = read_threes(threes, places_at), read_twos(twos, headings_at)
    o, ov = read_threes(sixes, offsets_at), read_threes(sixes, offsets_at + U(12))
    shift, _ = shift_ankle(toe, foot, place, o, rows, on_terrain)
    shortfall = measure_shortfall((leg[0] + shift[0], leg[1] + shift[1] + sunk, leg[2] + shift[2]), length, longest)
    rest = find_rest(toe, o, vx, vz, ov, by.lock)
    caught, freed, locked = hold_toe(knobs, by, toe, foot, vx, vz, place, rest, heading, shortfall, rows)
    pointing = inverse_root(larger(foot[0] * foot[0] + foot[2] * foot[2], splat(NO_LENGTH)))
    heading_x = where_positive(caught, foot[0] * pointing, heading[0])
    write_twos(twos, headings_at, (heading_x, where_positive(caught, foot[2] * pointing, heading[1])))
    x, ox, ovx = move_place(toe[0], place[0], rest[0], o[0], ov[0], vx, caught, freed, locked, by.lock.dt)
    z, oz, ovz = move_place(toe[2], place[2], rest[1], o[2], ov[2], vz, caught, freed, locked, by.lock.dt)
    height = read(rows, HEIGHT)
    if knobs.foot_lock <= 0:
        height = height + toe[1]
    lift = lift_toe(feet.lifts, knobs, k, height, vx + ovx, vz + ovz, locked, by.lock, twos, rows)
    place = x, height + lift, z
    pull = soften_spring(ox, oz, ovx, ovz, locked, by)
    ox, ovx = spring_to_zero(ox, ovx, pull)
    oy, ovy = spring_to_zero(o[1], ov[1], pull)
    oz, ovz = spring_to_zero(oz, ovz, pull)
    write_threes(threes, places_at, place)
    write_threes(threes, toes_at, (toe[0], height, toe[2]))
    write_threes(sixes, offsets_at, (ox, oy, oz))
    write_threes(sixes, offsets_at + U(12), (ovx, ovy, ovz))
    shift, slope = shift_ankle(toe, foot, place, (ox, oy, oz), rows, on_terrain)
    wanted = leg[0] + shift[0], leg[1] + shift[1], leg[2] + shift[2]
    write_three(rows, SHIFT_X, shift)
    write_three(rows, WANTED_X, wanted)
    write(rows, SLOPE_W, slope[0])
    write_three(rows, SLOPE_X, (slope[1], slope[2], slope[3]))
    reach, flat = larger(RESISTS * longest, length), wanted[0] * wanted[0] + wanted[2] * wanted[2]
    return where_positive(locked, -wanted[1] - root(larger(reach * reach - flat, splat(ZERO))), splat(ZERO))


@inner
def measure_velocity(toe, before, dt):
    """Of animated toes along the ground; zero where there was no step before, and so NaN."""
    known, rate = ONE + before[0] * before[0], ONE / dt if dt > ZERO else ZERO
    return (
        where_positive(known, (toe[0] - before[0]) * rate, splat(ZERO)),
        where_positive(known, (toe[2] - before[2]) * rate, splat(ZERO)),
    )


@inner
def find_rest(toe, o, vx, vz, ov, by):
    """Where, along x and z, toes come to rest if they are caught: ahead, so that they do not slide back afterwards."""
    ahead = ONE / by.w
    return toe[0] - vx * by.dt + o[0] + (vx + ov[0]) * ahead, toe[2] - vz * by.dt + o[2] + (vz + ov[2]) * ahead


@inner
def hold_toe(knobs, by, toe, foot, vx, vz, place, rest, heading, shortfall, rows):
    """Which toes are caught, which are freed, and which are held then: 1 for those, 0 for others."""
    locked, contact, refused = read(rows, LOCKED), read(rows, CONTACT), read(rows, REFUSED)
    x, z = toe[0] - place[0], toe[2] - place[2]
    farthest = read(rows, FARTHEST)
    far = x * x + z * z - farthest * farthest
    fast = vx * vx + vz * vz - F(knobs.unlock_speed * knobs.unlock_speed)
    size = root(foot[0] * foot[0] + foot[2] * foot[2])
    twisted = F(by.twist) * size - (foot[0] * heading[0] + foot[2] * heading[1])
    pulled = larger(larger(far, fast), larger(twisted, shortfall - LETS_GO))
    freed = where_positive(pulled, locked, locked * (ONE - contact))
    x, z = rest[0] - toe[0], rest[1] - toe[2]
    caught = (ONE - locked) * contact * read(rows, STAYS) * (ONE - refused)
    caught = where_positive(x * x + z * z - farthest * farthest, splat(ZERO), caught)
    if knobs.foot_lock <= 0:
        freed, caught = locked, splat(ZERO)
    locked = locked + caught - freed
    write(rows, LOCKED, locked)
    write(rows, REFUSED, contact * larger(refused, freed))
    return caught, freed, locked


@inner
def move_place(toe, place, rest, o, ov, v, caught, freed, locked, dt):
    """Target places of toes along an axis, and the offsets and rates that keep the shown toes continuous."""
    before = toe - v * dt  # offsets are those of the last step until they move on
    off = o + where_positive(caught, before - rest, where_positive(freed, place - before, splat(ZERO)))
    place = where_positive(caught, rest, where_positive(locked, place, toe))
    return place, off, ov + (caught - freed) * v


@inner
def lift_toe(lifts, knobs, k, height, vx, vz, locked, by, twos, rows):
    """By how much toes are raised: those that move must not scrape along."""
    lift = splat(ZERO)
    if knobs.foot_lock > 0:
        brisk = smaller(root(vx * vx + vz * vz) / BRISK, splat(ONE))
        lift = larger(read(rows, REST) + F(knobs.clearance) * brisk - height, splat(ZERO)) * (ONE - locked)
    own = address(lifts, 0) + U(8 * k)
    x, v = read_twos(twos, own)
    x, v = spring_to_zero(x - lift, v, by)
    write_twos(twos, own, (x + lift, v))
    return x + lift


@inner
def soften_spring(x, z, vx, vz, locked, by):
    """The spring that draws toes to their places: that of freed ones gives way where it would pull too hard."""
    w, far, speed = by.unlock.w, root(x * x + z * z), root(vx * vx + vz * vz)
    soft = HARDEST_PULL / larger(speed + root(speed * speed + HARDEST_PULL * far), splat(TINY))
    hard = w * (w * far + TWO * speed) - HARDEST_PULL
    soft = where_positive(hard, larger(soft, splat(SOFTEST_SPRING * w)), splat(w))
    e = where_positive(hard, exp_negative(soft * by.unlock.dt, SINGLE_SERIES), splat(by.unlock.e))
    w, e = where_positive(locked, splat(by.lock.w), soft), where_positive(locked, splat(by.lock.e), e)
    return Damping(w, by.lock.dt, e, e, by.lock.nothing)


@inner
def shift_ankle(toe, foot, place, o, rows, on_terrain):
    """How far the ankle moves for the toe to be in place, and how the foot turns: as a slope asks, the less the higher
    it is."""
    x, y, z = place[0] - toe[0] + o[0], place[1] - toe[1] + o[1], place[2] - toe[2] + o[2]
    slope = splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)
    if on_terrain:
        height = place[1] + o[1] - read(rows, GROUND)
        share = TWO * smaller(larger(ONE - height / TILT_HEIGHT, splat(ZERO)), splat(ONE))
        up = splat(ZERO), splat(ONE), splat(ZERO)
        turn = find_rotation_between(up, (-read(rows, LEAN_X), splat(ONE), -read(rows, LEAN_Z)))
        slope = from_rotation_vector(turn[1] * share, turn[2] * share, turn[3] * share)
        tilted = rotate(slope, foot)
        x, y, z = x + foot[0] - tilted[0], y + foot[1] - tilted[1], z + foot[2] - tilted[2]
    return (x, y, z), slope
