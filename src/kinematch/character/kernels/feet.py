"""Compiled feet of eight characters at once: ground, locks, pelvis, and what legs do for planted toes to stay."""

import math

import numpy as np

from kinematch.character.kernels.motion import moved_on, spring
from kinematch.character.kernels.poses8 import AIM, HEIGHTS, PAIRS, POSE, SIXES, THREES, TWOS
from kinematch.character.kernels.reach import (
    CONTACT,
    FARTHEST,
    GROUND,
    HEIGHT,
    LEAN,
    LOCKED,
    REFUSED,
    REST,
    RISE,
    STAYS,
    ZERO,
    F,
    reach_for,
    sprung,
)
from kinematch.character.kernels.toes import LETS_GO, plant
from kinematch.compile.jit import inner
from kinematch.compile.lanes import LANES, larger, read, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_twos, write_twos

LOWEST = F(0.35)  # m that the body is lowered at most: a deep crouch
STEEPEST = 0.6  # rad: a foot cannot lie on more
SHORTEST = 0.08  # s of a stance that are left when it is worth to lock a toe
EARLY = 0.0085  # s before its contact changes that a toe is locked or freed; just over half a frame of most databases
ASIDE = 0.08  # m from where its clip stands that a settled character leaves a toe
ARRIVED = 0.02  # m from it at which a toe that steps over has arrived
UNSEEN = F(1e-5)  # m of a lowered body that nobody sees


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
def place_feet(state, source, knobs, who, start, stop, normals, out, by, tables, room):
    """Lock, unlock, lower the pelvis, and note how the legs of up to eight characters of a list are to be bent."""
    feet, legs, joints = state.feet, source.legs.shape[0], source.parents.shape[0]
    for m in range(start, stop):
        look_up(state, source, knobs, who[m], m - start, normals, by, room)
    for lane in range(stop - start, LANES):  # the last character is done again there
        for row in range(POSE * joints, room.shape[0]):
            room[row, lane] = room[row, stop - start - 1]
    for lane in range(LANES):
        n = np.int64(who[min(start + lane, stop - 1)])
        tables[THREES + lane], tables[SIXES + lane] = n * feet.places.strides[0], n * feet.offsets.strides[0]
        tables[TWOS + lane], tables[PAIRS + lane] = n * feet.lifts.strides[0], n * feet.pelvis.strides[0]
    pelvis = read_twos(address(tables, PAIRS), address(feet.pelvis, 0))
    low = splat(ZERO)
    for k in range(legs):
        low = larger(low, plant(feet, source.legs, knobs, joints, k, pelvis[0], normals, by, tables, room))
    depth = splat(ZERO)
    if knobs.pelvis > 0:
        depth = lower(
            feet.pelvis,
            source.parents,
            who,
            start,
            stop,
            smaller(low, splat(LOWEST)),
            pelvis,
            out.positions,
            out.global_positions,
            by.pelvis,
            tables,
            room,
        )
    for k in range(legs):
        reach_for(feet.shorts, knobs, joints, k, depth, by.lock, tables, room)
    for m in range(start, stop):
        for k in range(legs):
            first = POSE * joints + AIM * k
            feet.locked[who[m], k] = room[first + LOCKED, m - start] > 0
            feet.refused[who[m], k] = room[first + REFUSED, m - start] > 0


@inner
def look_up(state, source, knobs, n, lane, normals, by, room):
    """Note what is known of a character's toes: of the database, the ground and the last step."""
    feet = state.feet
    frame, t = state.playing.frames[n], state.playing.fractions[n]
    after = source.next_frames[frame]
    # a lock begins with a step: what counts is the contact a fixed while after that, however long the step is
    soon, part, _ = moved_on(source, frame, t, EARLY - by.lock.dt)
    soon = soon if part < 0.5 else source.next_frames[soon]
    ground = state.playing.positions[n, 1]
    settled = state.schedule.settled[n]
    stepping = stepping_over(feet, n) if settled else -1
    for k in range(source.legs.shape[0]):
        first = POSE * source.parents.shape[0] + AIM * k
        above = 0.0  # the animated toe, by which it is meant unless locks are on
        if knobs.foot_lock > 0:  # that of the clip, which blending does not lower
            above = ground + source.toe_heights[frame, k] * (1 - t) + source.toe_heights[after, k] * t
        rest, rise = ground + source.toe_rests[k], 0.0
        if normals.shape[0] > 0:
            lean(feet.slopes, n, k, normals, by.ground)
            rise = feet.grounds[n, k + 1, 0] - ground
            above, rest = above + rise, rest + rise
            room[first + GROUND, lane] = feet.grounds[n, k + 1, 0]
            room[first + LEAN, lane], room[first + LEAN + 1, lane] = feet.slopes[n, k, 0], feet.slopes[n, k, 1]
        room[first + HEIGHT, lane], room[first + REST, lane], room[first + RISE, lane] = above, rest, rise
        room[first + CONTACT, lane] = 1.0 if source.contacts[soon, k] else 0.0
        room[first + STAYS, lane] = 1.0 if source.contact_left[soon, k] >= SHORTEST else 0.0
        room[first + FARTHEST, lane] = knobs.unlock_distance if k != stepping else min(knobs.unlock_distance, ASIDE)
        room[first + LOCKED, lane] = 1.0 if feet.locked[n, k] else 0.0
        # who has stepped over while settled is held again, where the leg reaches
        again = settled and arrived(feet, n, k) and feet.shorts[n, k, 0] < LETS_GO
        room[first + REFUSED, lane] = 1.0 if feet.refused[n, k] and not again else 0.0


@inner
def stepping_over(feet, n):
    """Which toe of a character that has settled may step to where its clip stands: the farthest off, unless another is
    still on its way."""
    best, farthest = -1, 0.0
    for k in range(feet.locked.shape[1]):
        if not (feet.locked[n, k] and arrived(feet, n, k)):
            return -1
        x, z = feet.places[n, k, 0] - feet.toes[n, k, 0], feet.places[n, k, 2] - feet.toes[n, k, 2]
        if x * x + z * z > farthest:
            best, farthest = k, x * x + z * z
    return best


@inner
def arrived(feet, n, k):
    x, z = feet.offsets[n, k, 0], feet.offsets[n, k, 2]
    return x * x + z * z < ARRIVED * ARRIVED


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
def lower(depths, parents, who, start, stop, wanted, pelvis, positions, global_positions, by, tables, room):
    """Sink whole bodies but the roots towards a depth; the feet stay where they are told."""
    x, v = sprung(pelvis[0] - wanted, pelvis[1], F(by.w), F(by.dt), F(by.e))
    x = x + wanted
    write_twos(address(tables, PAIRS), address(depths, 0), (x, v))
    depth = where_positive(x * x - UNSEEN * UNSEEN, x, splat(ZERO))
    for j in range(1, parents.shape[0]):
        own = address(room, POSE * j)
        write(own, HEIGHTS, read(own, HEIGHTS) - depth)
    last = room.shape[0] - 1
    write(address(room, last), 0, depth)
    for m in range(start, stop):
        n, sunk = who[m], room[last, m - start]
        if sunk != 0:
            for j in range(1, parents.shape[0]):
                global_positions[n, j, 1] -= sunk
                if parents[j] == 0:
                    positions[n, j, 1] -= sunk
    return depth
