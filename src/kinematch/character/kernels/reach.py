"""Compiled reach of eight characters' legs: how long they are, how far they may stretch, by how much they lack."""

import numpy as np

from kinematch.character.kernels.legs import DISTANCE, MOVED, SLOPE, WANTED, dot, leg_rows, less
from kinematch.character.kernels.motion import SINGLES, fading
from kinematch.character.kernels.poses8 import AIM, TWOS, place_of
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, read, root, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_twos, write_twos

U, F = np.uintp, np.float32
RESIST = F(0.92)  # of the longest reach, from which a leg resists being stretched and the pelvis helps
STRAIGHT = F(0.98)  # of the leg's length, from which it gives way: through a straight leg knees would snap
GIVES = F(6.25)  # how much: a leg of full length loses 0.25 %, two millimetres, and its knee stays bent by 8 degrees
FOLDS = F(0.55)  # of its animated length, to which a leg may be folded by where its toe is wanted
EASES = F(0.25)  # of it, on both sides of that, within which it begins to resist
SAME = F(1e-6)  # m within which a foot is where it is animated
FOLDED = F(1e-4)  # m: a leg folded shut has no knee angle
NOTHING = F(1e-30)  # square of what is nothing: numbers that are too small to be normal cost more
TINY = F(1e-9)
ZERO, ONE = F(0), F(1)
# rows of room for each leg, behind what it has to do: where its foot is to be moved, and lengths
SHIFT, NOW, WHOLE, LEAST, MOST = (MOVED + 1 + i for i in (0, 3, 4, 5, 6))
# and what was looked up
HEIGHT, REST, CONTACT, STAYS, LOCKED, REFUSED, FARTHEST, RISE, GROUND, LEAN = (MOST + 1 + i for i in range(10))
assert LEAN + 2 == AIM, "rows of one leg would reach into the next one's"


@inner
def measured(legs, knobs, k, room, rows):
    """A leg as animated: from hip to ankle, its length now, the longest it may be; from ankle to toe, and the toe."""
    hip, knee = place_of(room, legs[k, 0]), place_of(room, legs[k, 1])
    ankle, toe = place_of(room, legs[k, 2]), place_of(room, legs[k, 3])
    leg, upper, lower = less(ankle, hip), less(knee, hip), less(ankle, knee)
    a, b, now = root(dot(upper, upper)), root(dot(lower, lower)), root(dot(leg, leg))
    most = longest(now, a + b, F(knobs.extension))
    write(rows, NOW, now)
    write(rows, WHOLE, a + b)
    write(rows, LEAST, larger(a - b, b - a) + FOLDED)
    write(rows, MOST, most)
    return leg, now, most, less(toe, ankle), toe


@inner
def longest(now, whole, extension):
    """How far an ankle may be from its hip: a share of the leg's length, and ever nearer to all of it the straighter
    the leg is animated."""
    slack, spare = larger(whole - now, splat(ZERO)), (ONE - extension) * whole
    return whole - slack * spare / larger(slack + spare, splat(TINY))


@inner
def lacking(wanted, now, most):
    """How much legs lack to where they are wanted."""
    far = root(dot(wanted, wanted))
    return far - soft_limit(far, now, most)


@inner
def soft_limit(wanted, animated, most):
    """A distance that never passes the most; beyond the animated one a leg that is nearly straight resists."""
    start = larger(animated, RESIST * most)
    room, over = most - start, wanted - start
    soft = start + room * (ONE - fading(larger(over, splat(ZERO)) / larger(room, splat(TINY)), SINGLES))
    return where_positive(smaller(room, over), soft, smaller(wanted, most))


@inner
def unfolded(wanted, animated):
    """A distance that is hardly less than a share of the animated one: in hard turns hips come down on legs that clips
    have high up."""
    ease = EASES * animated
    over = smaller(larger(FOLDS * animated + ease - wanted, splat(ZERO)), ease + ease)
    return larger(wanted + over * over / (F(4) * ease), FOLDS * animated)


@inner
def reach_for(shorts, knobs, joints, k, depth, by, tables, room):
    """How legs have to be bent, for all to be bent together; hips are lower by a depth."""
    rows, twos, shorts_at = leg_rows(room, joints, k), address(tables, TWOS), address(shorts, 0) + U(8 * k)
    now, whole = read(rows, NOW), read(rows, WHOLE)
    wanted = read(rows, WANTED), read(rows, WANTED + 1) + depth, read(rows, WANTED + 2)
    # by how much they fall short of their targets: at least so much, and no sooner at its end than smoothly
    least = lacking(wanted, now, read(rows, MOST))
    before, rate = read_twos(twos, shorts_at)
    short, rate = sprung(before, rate, F(by.w), F(by.dt), F(by.e))
    rate = where_positive(least - short, (least - before) * F(1 / by.dt if by.dt > 0 else 0.0), rate)
    short = larger(short, least)
    write_twos(twos, shorts_at, (short, rate))
    distance = root(dot(wanted, wanted)) - short
    # ground that is higher under the toe than under the root folds a leg by right
    distance = unfolded(distance, larger(now - larger(read(rows, RISE), splat(ZERO)), read(rows, LEAST)))
    straight = (STRAIGHT if knobs.foot_lock > 0 else ONE) * whole
    shift = read(rows, SHIFT), read(rows, SHIFT + 1) + depth, read(rows, SHIFT + 2)
    apart = larger(larger(distance - now, now - distance), now - straight) - SAME
    over = larger(distance - straight, splat(ZERO))
    write(rows, WANTED + 1, wanted[1])
    write(rows, DISTANCE, larger(distance - GIVES * over * over / whole, read(rows, LEAST)))
    write(rows, MOVED, larger(larger(apart, dot(shift, shift) - SAME * SAME), ONE - read(rows, SLOPE)))


@inner
def sprung(x, v, w, dt, e):
    """As motion_kernels.spring."""
    slope, quiet = v + w * x, NOTHING - (x * x + v * v)  # what is no number stays none
    return (
        where_positive(quiet, splat(ZERO), (x + slope * dt) * e),
        where_positive(quiet, splat(ZERO), (v - slope * (w * dt)) * e),
    )
