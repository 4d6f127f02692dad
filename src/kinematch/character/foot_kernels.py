"""Compiled feet of one character: ground, locks, pelvis, and legs bent anew so that planted toes stay."""

import math

from kinematch.character.leg_kernels import aim_leg
from kinematch.character.motion_kernels import damping, following, moved_on, spring
from kinematch.character.pose_kernels import length, three
from kinematch.character.turn_kernels import angle_of, between, from_vector, rotate, wrapped
from kinematch.math.jit import inner
from kinematch.math.spring import HALF

LOWEST = 0.35  # m that the body is lowered at most: a deep crouch
STEEPEST = 0.6  # rad: a foot cannot lie on more
TILT_HEIGHT = 0.12  # m above its planted height at which a foot no longer follows the slope
SHORTEST = 0.08  # s of a stance that are left when it is worth to lock a toe
EARLY = 0.0085  # s before its contact changes that a toe is locked or freed; just over half a frame of most databases
HARDEST = 60.0  # m/s^2 at which a freed toe is drawn back
SOFTEST = 0.75  # of its stiffness that is left then
BRISK = 0.6  # m/s at which a swinging toe has its full clearance
RESIST = 0.92  # of the longest reach, from which a leg resists being stretched and the pelvis helps
LETS_GO = 0.03  # m that a leg may lack to a locked toe before this one is freed
STRAIGHT = 0.98  # of the leg's length, from which it gives way: through a straight leg knees would snap
GIVES = 6.25  # how much: a leg of full length loses 0.25 %, two millimetres, and its knee stays bent by 8 degrees


@inner
def stand_on(state, source, n, ground, out, by):
    """Root and toes follow the ground's heights (1 + K); everything shown moves with the root."""
    grounds = state.feet.grounds
    for k in range(grounds.shape[1]):
        x, v = spring(grounds[n, k, 0] - ground[n, k], grounds[n, k, 1], by.ground if k == 0 else by.toe_ground)
        grounds[n, k, 0], grounds[n, k, 1] = x + ground[n, k], v
    rise = grounds[n, 0, 0] - state.playing.positions[n, 1]
    state.playing.positions[n, 1] = grounds[n, 0, 0]
    out.displacements[n, 1] = rise
    out.positions[n, 0, 1] += rise
    for j in range(source.parents.shape[0]):
        out.global_positions[n, j, 1] += rise


@inner
def place_feet(state, source, knobs, n, ground, normals, out, by, lane, room):
    """Lock, unlock, lower the pelvis, and note how the legs are to be bent."""
    feet, uneven = state.feet, ground.shape[0] > 0
    frame, t = state.playing.frames[n], state.playing.fractions[n]
    after = following(source, frame)
    # a lock begins with a step: what counts is the contact a fixed while after that, however long the step is
    soon, part, _ = moved_on(source, frame, t, EARLY - by.lock.dt)
    soon = soon if part < 0.5 else following(source, soon)
    root = state.playing.positions[n, 1]
    low = 0.0
    for k in range(source.legs.shape[0]):
        toe = three(out.global_positions, n, source.legs[k, 3])
        height = toe[1]
        if knobs.foot_lock > 0:  # that of the clip, which blending does not lower
            height = root + source.toe_heights[frame, k] * (1 - t) + source.toe_heights[after, k] * t
        rest = root + source.toe_rests[k]
        if uneven:
            lean(feet.slopes, n, k, normals, by.ground)
            lift = feet.grounds[n, k + 1, 0] - root
            height, rest = height + lift, rest + lift
        contact = source.contacts[soon, k]
        stays = source.contact_left[soon, k] >= SHORTEST
        holds = not (feet.locked[n, k] and missing(state, source, knobs, n, k, normals, out) > LETS_GO)
        lock_toe(
            state, knobs, n, k, (toe[0], height, toe[2]), rest, contact, stays, holds, heading(out, source, n, k), by
        )
        if feet.locked[n, k]:
            low = max(low, shortfall(source, knobs, n, k, wanted_foot(state, source, n, k, normals, out), out))
    if knobs.pelvis > 0:
        lower(state, source, n, min(low, LOWEST), out, by.pelvis)
    for k in range(source.legs.shape[0]):
        target, slope = wanted_foot(state, source, n, k, normals, out), tilt(state, source, n, k, normals, out)
        reach_for(feet.shorts, source, knobs, n, k, lane, target, slope, out, by.lock, room)


@inner
def lean(slopes, n, k, normals, by):
    """The slope under a toe, smoothed: edges of steps have none, or any."""
    steepest = math.tan(STEEPEST)
    upward = max(normals[n, k, 1], 1e-6)
    for i in range(2):
        wanted = min(max(-normals[n, k, 2 * i] / upward, -steepest), steepest)
        x, v = spring(slopes[n, k, i] - wanted, slopes[n, k, i + 2], by)
        slopes[n, k, i], slopes[n, k, i + 2] = x + wanted, v


@inner
def heading(out, source, n, k):
    """Where the foot points, from ankle to toe."""
    a = three(out.global_positions, n, source.legs[k, 2])
    b = three(out.global_positions, n, source.legs[k, 3])
    return angle_of(b[0] - a[0], b[2] - a[2])


@inner
def lock_toe(state, knobs, n, k, toe, rest, contact, stays, holds, yaw, by):
    """Decide whether a toe stays, and smooth the difference: what is shown goes on as it was.

    Thesis 4.3, with the toe locked along the ground only: its height is that of the clip, so that it rolls as there.
    """
    feet = state.feet
    vx, vz, dt = 0.0, 0.0, by.lock.dt
    if not math.isnan(feet.toes[n, k, 0]) and dt > 0:
        vx, vz = (toe[0] - feet.toes[n, k, 0]) / dt, (toe[2] - feet.toes[n, k, 2]) / dt
    was_x, was_z = toe[0] - vx * dt, toe[2] - vz * dt  # offsets are those of the last step until they move on below
    for i in range(3):
        feet.toes[n, k, i] = toe[i]
    place, o = feet.places, feet.offsets
    if feet.locked[n, k]:
        far = math.sqrt((toe[0] - place[n, k, 0]) ** 2 + (toe[2] - place[n, k, 2]) ** 2) > knobs.unlock_distance
        fast = math.sqrt(vx * vx + vz * vz) > knobs.unlock_speed
        twisted = abs(wrapped(yaw - feet.headings[n, k])) > knobs.unlock_angle
        if not contact or not holds or far or fast or twisted or knobs.foot_lock <= 0:
            feet.locked[n, k] = False
            feet.refused[n, k] = contact
            o[n, k, 0], o[n, k, 2] = o[n, k, 0] + place[n, k, 0] - was_x, o[n, k, 2] + place[n, k, 2] - was_z
            o[n, k, 3], o[n, k, 5] = o[n, k, 3] - vx, o[n, k, 5] - vz
    elif contact and stays and not feet.refused[n, k] and knobs.foot_lock > 0:
        feet.locked[n, k] = True
        feet.headings[n, k] = yaw
        # the toe comes to rest this far ahead, so that it does not slide back afterwards
        place[n, k, 0], place[n, k, 2] = (
            was_x + o[n, k, 0] + (vx + o[n, k, 3]) / by.lock.w,
            was_z + o[n, k, 2] + (vz + o[n, k, 5]) / by.lock.w,
        )
        o[n, k, 0], o[n, k, 2] = o[n, k, 0] + was_x - place[n, k, 0], o[n, k, 2] + was_z - place[n, k, 2]
        o[n, k, 3], o[n, k, 5] = o[n, k, 3] + vx, o[n, k, 5] + vz
    feet.refused[n, k] = feet.refused[n, k] and contact
    lift = 0.0
    if not feet.locked[n, k]:
        place[n, k, 0], place[n, k, 2] = toe[0], toe[2]
        if knobs.foot_lock > 0:  # who moves must not scrape along
            brisk = min(math.sqrt((vx + o[n, k, 3]) ** 2 + (vz + o[n, k, 5]) ** 2) / BRISK, 1.0)
            lift = max(rest + knobs.clearance * brisk - toe[1], 0.0)
    x, v = spring(feet.lifts[n, k, 0] - lift, feet.lifts[n, k, 1], by.lock)
    feet.lifts[n, k, 0], feet.lifts[n, k, 1] = x + lift, v
    place[n, k, 1] = toe[1] + feet.lifts[n, k, 0]
    drawn = by.lock if feet.locked[n, k] else gently(o, n, k, by.unlock)
    for i in range(3):
        o[n, k, i], o[n, k, i + 3] = spring(o[n, k, i], o[n, k, i + 3], drawn)


@inner
def gently(offsets, n, k, by):
    """The spring that draws a freed toe back: softer where it would pull harder than a leg swings, yet not by much, for
    what is drawn back too softly flies off."""
    x = math.sqrt(offsets[n, k, 0] ** 2 + offsets[n, k, 2] ** 2)
    v = math.sqrt(offsets[n, k, 3] ** 2 + offsets[n, k, 5] ** 2)
    if by.w * (by.w * x + 2 * v) <= HARDEST:
        return by
    return damping(HALF * min((v + math.sqrt(v * v + HARDEST * x)) / HARDEST, 1 / (SOFTEST * by.w)), by.dt)


@inner
def tilt(state, source, n, k, normals, out):
    """The turn that lays a foot on a slope, less the higher it is."""
    if normals.shape[0] == 0:
        return 1.0, 0.0, 0.0, 0.0
    feet = state.feet
    height = feet.places[n, k, 1] + feet.offsets[n, k, 1] - feet.grounds[n, k + 1, 0]
    share = min(max(1 - height / TILT_HEIGHT, 0.0), 1.0)
    slope = between((0.0, 1.0, 0.0), (-feet.slopes[n, k, 0], 1.0, -feet.slopes[n, k, 1]))
    return from_vector(2 * slope[1] * share, 2 * slope[2] * share, 2 * slope[3] * share)


@inner
def wanted_foot(state, source, n, k, normals, out):
    """Where the ankle must be for the toe to be in its place, the foot turned as it is."""
    feet = state.feet
    foot, toe = three(out.global_positions, n, source.legs[k, 2]), three(out.global_positions, n, source.legs[k, 3])
    x, y, z = rotate(tilt(state, source, n, k, normals, out), (foot[0] - toe[0], foot[1] - toe[1], foot[2] - toe[2]))
    place, o = feet.places, feet.offsets
    return place[n, k, 0] + o[n, k, 0] + x, place[n, k, 1] + o[n, k, 1] + y, place[n, k, 2] + o[n, k, 2] + z


@inner
def longest(now, whole, extension):
    """How far an ankle may be from its hip: a share of the leg's length, and ever nearer to all of it the straighter
    the leg is animated."""
    slack, spare = max(whole - now, 0.0), (1 - extension) * whole
    return whole - slack * spare / max(slack + spare, 1e-9)


@inner
def missing(state, source, knobs, n, k, normals, out):
    """How much a leg lacks to its foot's place, the body lowered as it was."""
    x, y, z = wanted_foot(state, source, n, k, normals, out)
    hip, knee = three(out.global_positions, n, source.legs[k, 0]), three(out.global_positions, n, source.legs[k, 1])
    foot = three(out.global_positions, n, source.legs[k, 2])
    now, far = length(hip, foot), length(hip, (x, y + state.feet.pelvis[n, 0], z))
    return far - soft_limit(far, now, longest(now, length(hip, knee) + length(knee, foot), knobs.extension))


@inner
def shortfall(source, knobs, n, k, target, out):
    """How much lower the hip must be for the leg to reach its target."""
    hip, knee = three(out.global_positions, n, source.legs[k, 0]), three(out.global_positions, n, source.legs[k, 1])
    foot = three(out.global_positions, n, source.legs[k, 2])
    now = length(hip, foot)
    reach = max(RESIST * longest(now, length(hip, knee) + length(knee, foot), knobs.extension), now)
    flat = (hip[0] - target[0]) ** 2 + (hip[2] - target[2]) ** 2
    return hip[1] - target[1] - math.sqrt(max(reach * reach - flat, 0.0))


@inner
def lower(state, source, n, wanted, out, by):
    """Sink the whole body but the root towards a depth; the feet stay where they are told."""
    pelvis = state.feet.pelvis
    x, v = spring(pelvis[n, 0] - wanted, pelvis[n, 1], by)
    pelvis[n, 0], pelvis[n, 1] = x + wanted, v
    depth = pelvis[n, 0]
    if abs(depth) < 1e-5:  # m: nobody sees it
        return
    for j in range(1, source.parents.shape[0]):
        out.global_positions[n, j, 1] -= depth
        if source.parents[j] == 0:
            out.positions[n, j, 1] -= depth


@inner
def reach_for(shorts, source, knobs, n, k, lane, target, slope, out, by, room):
    """How a leg has to be bent, for all legs to be bent together."""
    hip, knee = three(out.global_positions, n, source.legs[k, 0]), three(out.global_positions, n, source.legs[k, 1])
    ankle = three(out.global_positions, n, source.legs[k, 2])
    wanted = target[0] - hip[0], target[1] - hip[1], target[2] - hip[2]
    a, b, now = length(hip, knee), length(knee, ankle), length(hip, ankle)
    distance = length(hip, target)
    distance -= fallen_short(
        shorts, n, k, distance - soft_limit(distance, now, longest(now, a + b, knobs.extension)), by
    )
    straight = STRAIGHT * (a + b) if knobs.foot_lock > 0 else a + b
    there = length(ankle, target) < 1e-6 and slope[0] >= 1 and abs(distance - now) < 1e-6 and now <= straight  # m
    over = max(distance - straight, 0.0)
    distance = max(distance - GIVES * over * over / (a + b), abs(a - b) + 1e-4)  # m: one folded shut has no knee angle
    aim_leg(room, source, k, lane, wanted, distance, slope, not there)


@inner
def fallen_short(shorts, n, k, least, by):
    """By how much a leg falls short of its target: at least so much, and no sooner at its end than smoothly."""
    before = shorts[n, k, 0]
    x, v = spring(before, shorts[n, k, 1], by)
    if x < least:
        x, v = least, (least - before) / by.dt if by.dt > 0 else 0.0
    shorts[n, k, 0], shorts[n, k, 1] = x, v
    return x


@inner
def soft_limit(wanted, animated, most):
    """A distance that never passes the most; beyond the animated one a leg that is nearly straight resists."""
    start = max(animated, RESIST * most)
    room = most - start
    if wanted <= start or room <= 0:
        return min(wanted, most)
    return start + room * (1 - math.exp(-(wanted - start) / room))
