"""Bodies: the simulated body follows its command; where it will be, and where the root was."""

import math

from kinematch.character import constants as c
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, where
from kinematch.math.series import find_yaw, wrap_angle
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.math.spring_kernels import make_spring, move_spring, move_velocity_spring, settle_spring
from kinematch.math.vectors import vector


@inner
def move_body(data, n, by):
    """The simulated body follows its command (digital humans eq. 2-4)."""
    body, orders = data.body, data.orders
    v, a = vector(body.velocities[n]), vector(body.accelerations[n])
    shift, v, a = move_velocity_spring(v, a, vector(orders.velocities[n]), by.velocity)
    body.positions[n] = vector(body.positions[n]) + shift
    body.velocities[n] = v
    body.accelerations[n] = a
    yaw, rate, facing = body.yaws[n], body.yaw_rates[n], vector(orders.facings[n])
    turn = find_remaining_turn(facing.x, facing.z, yaw, rate, by.facing.w)
    left, rate = settle_spring(-turn, rate, by.facing)
    body.yaws[n] = wrap_angle(yaw + turn + left)
    body.yaw_rates[n] = rate


@inner
def find_remaining_turn(x, z, yaw, rate, w):
    """How far a body turns to face along x and z; without a facing it comes to rest where its turning leads."""
    given = larger(larger(x, -x), larger(z, -z)) > 0.0
    return where(given, wrap_angle(find_yaw(x, z) - yaw), rate / w)


@inner
def find_goal(data, n):
    """What a character is predicted towards: the turn that is left to it, and the gap to its body that it keeps."""
    body, orders = data.body, data.orders
    w = HALFLIFE_FACTOR / data.settings.facing_halflife
    turn = find_remaining_turn(orders.facings[n, 0], orders.facings[n, 2], body.yaws[n], body.yaw_rates[n], w)
    x, z, yaw, well = measure_standing(data, n)
    return turn, x, z, yaw, well


@inner
def measure_standing(data, n):
    """The small gap from root to body (x, z, yaw) that a standing character ignores, instead of shuffling to correct
    it; and whether it stands where and as it should."""
    body, playing, orders = data.body, data.playing, data.orders
    wish = orders.velocities[n, 0] ** 2 + orders.velocities[n, 2] ** 2
    speed = body.velocities[n, 0] ** 2 + body.velocities[n, 2] ** 2
    if wish > 0 or speed > c.STANDING_SPEED * c.STANDING_SPEED:
        return 0.0, 0.0, 0.0, False
    x, z = body.positions[n, 0] - playing.positions[n, 0], body.positions[n, 2] - playing.positions[n, 2]
    yaw = wrap_angle(body.yaws[n] - playing.yaws[n])
    near = x * x + z * z <= c.MAX_STANDING_DISTANCE * c.MAX_STANDING_DISTANCE
    aligned = abs(yaw) <= c.ALIGNED and abs(body.yaw_rates[n]) <= c.ALIGNED
    return x if near else 0.0, z if near else 0.0, yaw if aligned else 0.0, near and aligned


@inner
def predict_body(data, n, moment, turn, gap_x, gap_z, gap_yaw):
    """Where the body will be (x, y, z, yaw) at a moment from now, under the same command (digital humans eq. 2-4)."""
    body, settings = data.body, data.settings
    ahead, back = max(moment, 0.0), min(moment, 0.0)  # springs that run backwards diverge
    v, desired, halflife = vector(body.velocities[n]), vector(data.orders.velocities[n]), settings.velocity_halflife
    shift, _, _ = move_velocity_spring(v, vector(body.accelerations[n]), desired, make_spring(halflife, ahead))
    place = vector(body.positions[n]) + shift + v * back
    left, _ = move_spring(-turn, body.yaw_rates[n], make_spring(settings.facing_halflife, ahead))
    yaw = body.yaws[n] + turn + left + back * body.yaw_rates[n] - gap_yaw
    return place.x - gap_x, place.y, place.z - gap_z, yaw


@inner
def recall_root(data, n, age):
    """Where the root was (x, y, z, yaw) so many seconds ago; before what is known it stood."""
    playing, past = data.playing, data.past
    here = playing.positions[n, 0], playing.positions[n, 1], playing.positions[n, 2], playing.yaws[n]
    since = 0.0
    for p in range(past.ages.shape[1]):
        if not math.isfinite(past.ages[n, p]):
            break
        there = past.roots[n, p, 0], past.roots[n, p, 1], past.roots[n, p, 2], past.roots[n, p, 3]
        if past.ages[n, p] >= age:
            span = past.ages[n, p] - since
            t = min(max((age - since) / span, 0.0), 1.0) if span > 0 else 0.0
            yaw = here[3] + t * wrap_angle(there[3] - here[3])
            return (
                here[0] + t * (there[0] - here[0]), here[1] + t * (there[1] - here[1]),
                here[2] + t * (there[2] - here[2]), yaw,
            )  # fmt: skip
        here, since = there, past.ages[n, p]
    return here


@inner
def remember_root(data, source, n, dt):
    """What was noted of the root grows older by dt; where it is now is noted often enough for the past that features
    look at."""
    playing, ages, roots = data.playing, data.past.ages, data.past.roots
    count = ages.shape[1]
    if count == 0:
        return
    for p in range(count):
        ages[n, p] += dt
    if ages[n, 0] < -source.horizons[0] / (count - 2):
        return
    for p in range(count - 1, 0, -1):
        ages[n, p] = ages[n, p - 1]
        for i in range(4):
            roots[n, p, i] = roots[n, p - 1, i]
    ages[n, 0] = 0.0
    for i in range(3):
        roots[n, 0, i] = playing.positions[n, i]
    roots[n, 0, 3] = playing.yaws[n]
