"""Toes: which are held, and how they go where they should be without a jerk (thesis 4.3).

They are locked along the ground only: their heights are those of the clip, so that they roll as there.
"""

import math

from kinematch.character import constants as c
from kinematch.character.step.legs import measure_leg, measure_shortfall
from kinematch.compile.indexing import pair
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, opposite, root, single, smaller, where
from kinematch.math.series import exp_negative, find_rotation_between, from_rotation_vector, half_angle
from kinematch.math.spring_kernels import Spring, settle_spring
from kinematch.math.vectors import Quaternion, Vector, rotate, vector

NO_LENGTH = 1e-15  # m, of a foot along the ground that points nowhere
NO_SPEED = 1e-9  # m/s


@inner
def plant_toe(data, here, n, k, sunk, by):
    """Catch or free a toe, and move on where it is shown; returns how far the pelvis must sink for the leg to reach a
    locked one. It has sunk by `sunk` already."""
    feet, settings, work = data.feet, data.settings, data.work
    leg, foot, toe = measure_leg(data.rig, settings, here, k)
    own, longest = here.lengths[k], here.longest[k]
    velocity = measure_velocity(toe, vector(feet.toes[n][k]), by.dt)
    place, offset, rate = vector(feet.places[n][k]), vector(feet.offsets[n][k]), vector(feet.rates[n][k])
    # what is out of reach now, the pelvis as low as it is, is let go
    shift, _ = shift_ankle(data, n, k, toe, foot, place + offset)
    shortfall = measure_shortfall(leg + shift + Vector(0.0, sunk, 0.0), own, longest)
    # where the toe comes to rest if it is caught: ahead, so that it does not slide back afterwards
    before = toe - velocity * by.dt  # offsets are those of the last step until they move on
    rest = before + offset + (velocity + rate) * (1 / by.lock.w)
    caught, freed, locked = hold_toe(data, n, k, toe, foot, velocity, place, rest, shortfall)

    jump_x = where(caught, before.x - rest.x, where(freed, place.x - before.x, 0.0))
    jump_z = where(caught, before.z - rest.z, where(freed, place.z - before.z, 0.0))
    sign = where(caught, 1.0 + 0.0 * own, where(freed, -1.0 + 0.0 * own, 0.0))
    offset = offset + Vector(jump_x, 0.0, jump_z)
    rate = rate + Vector(velocity.x * sign, 0.0, velocity.z * sign)
    height = work.toe_heights[n][k]
    if settings.foot_lock <= 0:
        height = height + toe.y
    lift = lift_toe(data, n, k, height, velocity + rate, locked, by)
    place = Vector(
        where(caught, rest.x, where(locked, place.x, toe.x)), height + lift,
        where(caught, rest.z, where(locked, place.z, toe.z)),
    )  # fmt: skip
    pull = soften_spring(offset, rate, locked, by)
    x, vx = settle_spring(offset.x, rate.x, pull)
    y, vy = settle_spring(offset.y, rate.y, pull)
    z, vz = settle_spring(offset.z, rate.z, pull)
    offset = Vector(x, y, z)
    feet.places[n][k] = place
    feet.offsets[n][k] = offset
    feet.rates[n][k] = Vector(vx, vy, vz)
    feet.toes[n][k] = Vector(toe.x, height, toe.z)

    shift, slope = shift_ankle(data, n, k, toe, foot, place + offset)
    wanted = leg + shift
    here.shifts[k] = shift
    here.slopes[k] = slope
    here.wanted[k] = wanted
    reach, flat = larger(c.RESISTS * longest, own), wanted.x * wanted.x + wanted.z * wanted.z
    return where(locked, -wanted.y - root(larger(reach * reach - flat, 0.0)), 0.0)


@inner
def measure_velocity(toe, before, dt):
    """Of an animated toe along the ground; zero where there was no step before, and so NaN."""
    known, rate = before.x * before.x >= 0.0, 1 / dt if dt > 0 else 0.0
    return Vector(
        where(known, (toe.x - before.x) * rate, 0.0), 0.0 * toe.y, where(known, (toe.z - before.z) * rate, 0.0)
    )


@inner
def hold_toe(data, n, k, toe, foot, velocity, place, rest, shortfall):
    """Whether a toe is caught, is freed, and is held then.

    It is freed at the end of its contact, and where it is too far, too fast, too twisted or out of reach; caught if its
    contact stays for a while, it would not come to rest too far away, and it was not freed in it, or has stepped over
    since.
    """
    feet, settings, work = data.feet, data.settings, data.work
    locked, contact, refused = feet.locked[n][k], work.toe_contacts[n][k], work.toe_refusals[n][k]
    farthest, heading = work.toe_reaches[n][k], pair(feet.headings[n][k])
    size = root(foot.x * foot.x + foot.z * foot.z)
    cosine, _ = half_angle(0.25 * settings.unlock_angle * settings.unlock_angle)
    twist = 2.0 * cosine * cosine - 1.0 if settings.unlock_angle < math.pi else -2.0
    far = is_farther(toe.x - place.x, toe.z - place.z, farthest)
    fast = velocity.x * velocity.x + velocity.z * velocity.z > settings.unlock_speed * settings.unlock_speed
    twisted = foot.x * heading[0] + foot.z * heading[1] < twist * size
    freed = locked & (far | fast | twisted | (shortfall > c.LETS_GO) | opposite(contact))
    away = is_farther(rest.x - toe.x, rest.z - toe.z, farthest)
    caught = contact & work.toe_stays[n][k] & opposite(locked | refused | away)
    if settings.foot_lock <= 0:
        freed, caught = locked, locked & opposite(locked)
    locked = (locked | caught) & opposite(freed)
    feet.locked[n][k] = locked
    feet.refused[n][k] = contact & (refused | freed)
    scale = inverse_root(larger(size * size, NO_LENGTH * NO_LENGTH))
    feet.headings[n][k] = (where(caught, foot.x * scale, heading[0]), where(caught, foot.z * scale, heading[1]))
    return caught, freed, locked


@inner
def is_farther(x, z, distance):
    return x * x + z * z > distance * distance


@inner
def lift_toe(data, n, k, height, velocity, locked, by):
    """By how much a toe is raised: one that moves must not scrape along."""
    lift = 0.0 * height
    if data.settings.foot_lock > 0:
        brisk = smaller(root(velocity.x * velocity.x + velocity.z * velocity.z) * (1 / c.BRISK), 1.0)
        over = larger(data.work.toe_rests[n][k] + data.settings.clearance * brisk - height, 0.0)
        lift = where(locked, 0.0, over)
    x, v = pair(data.feet.lifts[n][k])
    x, v = settle_spring(x - lift, v, by.lock)
    data.feet.lifts[n][k] = (x + lift, v)
    return x + lift


@inner
def soften_spring(offset, rate, locked, by):
    """The spring that draws a toe to its place. That of a freed toe is softened to keep its acceleration below
    HARDEST_PULL, but not below SOFTEST_SPRING of its stiffness: a softer one overshoots."""
    w, far = by.unlock.w, root(offset.x * offset.x + offset.z * offset.z)
    speed = root(rate.x * rate.x + rate.z * rate.z)
    soft = c.HARDEST_PULL / larger(speed + root(speed * speed + c.HARDEST_PULL * far), NO_SPEED)
    hard = w * (w * far + 2.0 * speed) > c.HARDEST_PULL
    soft = where(hard, larger(soft, c.SOFTEST_SPRING * w), w)
    e = where(hard, exp_negative(soft * by.dt), by.unlock.e)
    w, e = where(locked, by.lock.w, soft), where(locked, by.lock.e, e)
    return Spring(w, by.dt, e, e)


@inner
def shift_ankle(data, n, k, toe, foot, place):
    """How far the ankle moves for the toe to be in place, and how the foot turns: as a slope asks, the less the higher
    it is."""
    shift, none = place - toe, 0.0 * toe.x
    slope = Quaternion(none + 1.0, none, none, none)
    if data.work.normals.shape[0] > 0:
        height = place.y - single(data.feet.grounds[n][k + 1][0])
        share = 2.0 * smaller(larger(1.0 - height * (1 / c.TILT_HEIGHT), 0.0), 1.0)
        lean_x, lean_z = data.feet.slopes[n][k][0], data.feet.slopes[n][k][1]
        turn = find_rotation_between(
            Vector(none, none + 1.0, none), Vector(-single(lean_x), none + 1.0, -single(lean_z))
        )
        slope = from_rotation_vector(Vector(turn.x * share, turn.y * share, turn.z * share))
        shift = shift + foot - rotate(slope, foot)
    return shift, slope
