"""Reach of eight characters' legs in kernels: how long they are, how far they may stretch, by how much they lack."""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.kernels.scratch import (
    DISTANCE,
    LEG_TWOS,
    LENGTH,
    LONGEST,
    MOVED,
    RISE,
    SHIFT_X,
    SHORTEST,
    SLOPE_W,
    WANTED_X,
    WANTED_Y,
    WHOLE,
    leg_rows,
    read_position,
    read_three,
)
from kinematch.character.kernels.springs import SINGLE_SERIES, exp_negative, spring_to_zero
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, read, root, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_twos, write_twos
from kinematch.math.kernels import dot, subtract

U, F = np.uintp, np.float32
ZERO, ONE, FOUR, TINY = F(0), F(1), F(4), F(1e-9)
RESISTS, STRAIGHT, GIVES, FOLDS = F(c.RESISTS), F(c.STRAIGHT), F(c.GIVES), F(c.FOLDS)
EASES, SAME_PLACE, FOLDED = F(c.EASES), F(c.SAME_PLACE), F(c.FOLDED)


@inner
def measure_leg(legs, knobs, k, room, rows):
    """A leg as animated: from hip to ankle, its length, the longest it may be; from ankle to toe, and the toe."""
    hip, knee = read_position(room, legs[k, 0]), read_position(room, legs[k, 1])
    ankle, toe = read_position(room, legs[k, 2]), read_position(room, legs[k, 3])
    leg, upper, lower = subtract(ankle, hip), subtract(knee, hip), subtract(ankle, knee)
    a, b, length = root(dot(upper, upper)), root(dot(lower, lower)), root(dot(leg, leg))
    # a share of the leg's length, and ever nearer to all of it the straighter the leg is animated
    whole = a + b
    slack, spare = larger(whole - length, splat(ZERO)), (ONE - F(knobs.extension)) * whole
    longest = whole - slack * spare / larger(slack + spare, splat(TINY))
    write(rows, LENGTH, length)
    write(rows, WHOLE, whole)
    write(rows, SHORTEST, larger(a - b, b - a) + FOLDED)
    write(rows, LONGEST, longest)
    return leg, length, longest, subtract(toe, ankle), toe


@inner
def measure_shortfall(wanted, length, longest):
    """How much legs lack to where ankles are wanted: near their longest reach they resist."""
    far = root(dot(wanted, wanted))
    start = larger(length, RESISTS * longest)
    room, over = longest - start, far - start
    soft = start + room * (ONE - exp_negative(larger(over, splat(ZERO)) / larger(room, splat(TINY)), SINGLE_SERIES))
    return far - where_positive(smaller(room, over), soft, smaller(far, longest))


@inner
def unfold(distance, animated):
    """A distance that is hardly less than a share of the animated one: see stages.legs.unfold."""
    ease = EASES * animated
    over = smaller(larger(FOLDS * animated + ease - distance, splat(ZERO)), ease + ease)
    return larger(distance + over * over / (FOUR * ease), FOLDS * animated)


@inner
def aim_leg(shortfalls, knobs, joints, k, depth, by, tables, room):
    """How far ankles get, hips being lower by a depth: see stages.legs.aim_legs."""
    rows, twos, own = leg_rows(room, joints, k), address(tables, LEG_TWOS), address(shortfalls, 0) + U(8 * k)
    length, whole = read(rows, LENGTH), read(rows, WHOLE)
    x, y, z = read_three(rows, WANTED_X)
    wanted = x, y + depth, z
    least = measure_shortfall(wanted, length, read(rows, LONGEST))
    before, rate = read_twos(twos, own)
    short, rate = spring_to_zero(before, rate, by)
    rate = where_positive(least - short, (least - before) * (ONE / by.dt if by.dt > ZERO else ZERO), rate)
    short = larger(short, least)
    write_twos(twos, own, (short, rate))
    distance = root(dot(wanted, wanted)) - short
    # ground that is higher under the toe than under the root rightly shortens a leg
    distance = unfold(distance, larger(length - larger(read(rows, RISE), splat(ZERO)), read(rows, SHORTEST)))
    straight = (STRAIGHT if knobs.foot_lock > 0 else ONE) * whole
    x, y, z = read_three(rows, SHIFT_X)
    shift = x, y + depth, z
    apart = larger(larger(distance - length, length - distance), length - straight) - SAME_PLACE
    over = larger(distance - straight, splat(ZERO))
    write(rows, WANTED_Y, wanted[1])
    write(rows, DISTANCE, larger(distance - GIVES * over * over / whole, read(rows, SHORTEST)))
    shifted = dot(shift, shift) - SAME_PLACE * SAME_PLACE
    write(rows, MOVED, larger(larger(apart, shifted), ONE - read(rows, SLOPE_W)))
