"""Feet of eight characters in kernels: ground, locks, pelvis and legs.

See stages.feet, whose functions these are.
"""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.kernels.frames import find_next_frame, is_in_contact, read_contact_left, read_toe_height
from kinematch.character.kernels.legs import bend_leg
from kinematch.character.kernels.playback import advance_time
from kinematch.character.kernels.reach import aim_leg
from kinematch.character.kernels.scratch import (
    CONTACT,
    FARTHEST,
    GROUND,
    HEIGHT,
    HEIGHT_ROW,
    JOINT_ROWS,
    LEAN_X,
    LEAN_Z,
    LEG_SIXES,
    LEG_THREES,
    LEG_TWOS,
    LOCKED,
    REFUSED,
    REST,
    RISE,
    STAYS,
    TWOS,
    leg_row,
)
from kinematch.character.kernels.springs import spring_to_zero
from kinematch.character.kernels.toes import plant_toe
from kinematch.compile.jit import inner
from kinematch.compile.lanes import LANES, larger, read, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_twos, write_twos

F = np.float32
ZERO, DEEPEST, UNSEEN = F(0), F(c.DEEPEST), F(c.UNSEEN)


@inner
def stand_on_ground(scene, n, by):
    """Root and toes follow the ground's heights; everything shown moves with the root."""
    feet, playing, work, out = scene.state.feet, scene.state.playing, scene.work, scene.pose
    grounds = feet.grounds
    for k in range(grounds.shape[1]):
        height = work.heights[n, k]
        x, v = spring_to_zero(grounds[n, k, 0] - height, grounds[n, k, 1], by.ground if k == 0 else by.toe_ground)
        grounds[n, k, 0], grounds[n, k, 1] = x + height, v
    rise = grounds[n, 0, 0] - playing.positions[n, 1]
    playing.positions[n, 1] = grounds[n, 0, 0]
    out.displacements[n, 1] = rise
    out.positions[n, 0, 1] += rise
    for j in range(out.positions.shape[1]):
        out.global_positions[n, j, 1] += rise
    for k in range(feet.slopes.shape[1]):  # smoothed: edges of steps have no slope
        upward = max(work.normals[n, k, 1], 1e-6)
        for i in range(2):
            slope = min(max(-work.normals[n, k, 2 * i] / upward, -c.STEEPEST), c.STEEPEST)
            x, v = spring_to_zero(feet.slopes[n, k, i] - slope, feet.slopes[n, k, i + 2], by.ground)
            feet.slopes[n, k, i], feet.slopes[n, k, i + 2] = x + slope, v


@inner
def plant_feet(scene, characters, start, stop, by, tables, room):
    """Lock and free toes, lower the pelvis, and bend the legs of up to eight characters of a list."""
    feet, rig, knobs, out = scene.state.feet, scene.rig, scene.knobs, scene.pose
    legs, joints = rig.legs.shape[0], rig.parents.shape[0]
    for m in range(start, stop):
        plan_toes(scene, characters[m], m - start, by, room)
    for lane in range(stop - start, LANES):  # pad unused lanes with the last character
        for row in range(JOINT_ROWS * joints, room.shape[0]):
            room[row, lane] = room[row, stop - start - 1]
    for lane in range(LANES):
        n = np.int64(characters[min(start + lane, stop - 1)])
        tables[LEG_THREES + lane], tables[LEG_SIXES + lane] = n * feet.places.strides[0], n * feet.offsets.strides[0]
        tables[LEG_TWOS + lane], tables[TWOS + lane] = n * feet.lifts.strides[0], n * feet.pelvis.strides[0]
    pelvis = read_twos(address(tables, TWOS), address(feet.pelvis, 0))
    low = splat(ZERO)
    for k in range(legs):
        low = larger(low, plant_toe(scene, k, pelvis[0], by, tables, room))
    depth = splat(ZERO)
    if knobs.pelvis > 0:
        depth = lower_pelvis(scene, characters, start, stop, smaller(low, splat(DEEPEST)), pelvis, by, tables, room)
    for k in range(legs):
        aim_leg(feet.shortfalls, knobs, joints, k, depth, by.lock, tables, room)
    for m in range(start, stop):
        for k in range(legs):
            first = leg_row(joints, k)
            feet.locked[characters[m], k] = room[first + LOCKED, m - start] > 0
            feet.refused[characters[m], k] = room[first + REFUSED, m - start] > 0
    for k in range(legs):
        bend_leg(rig, k, out, tables, room)


@inner
def plan_toes(scene, n, lane, by, room):
    """Note what is known of a character's toes: of the table, the ground and the last step."""
    feet, table, rig, knobs, playing = scene.state.feet, scene.table, scene.rig, scene.knobs, scene.state.playing
    frame, t = playing.frames[n], playing.fractions[n]
    after = find_next_frame(table, frame)
    # a lock begins with a step: what counts is the contact a fixed while after that, however long the step is
    soon, part, _ = advance_time(table, frame, t, c.CONTACT_LEAD - by.dt)
    soon = soon if part < 0.5 else find_next_frame(table, soon)
    ground = playing.positions[n, 1]
    idle, on_terrain = scene.state.schedule.idle[n], scene.work.normals.shape[0] > 0
    stepping = find_step_over(feet, n) if idle else -1
    for k in range(rig.legs.shape[0]):
        first, contact = leg_row(rig.parents.shape[0], k), rig.leg_contacts[k]
        rise = feet.grounds[n, k + 1, 0] - ground if on_terrain else 0.0
        rest = ground + rig.toe_rests[k] + rise
        height = rise  # added to the animated toe, unless locks take the clip's height, which blending does not lower
        if knobs.foot_lock > 0:
            animated = read_toe_height(table, frame, contact) * (1 - t) + read_toe_height(table, after, contact) * t
            height = rest + rig.scale * (animated - table.toe_rests[contact])
        room[first + GROUND, lane] = feet.grounds[n, k + 1, 0]
        room[first + LEAN_X, lane], room[first + LEAN_Z, lane] = feet.slopes[n, k, 0], feet.slopes[n, k, 1]
        room[first + HEIGHT, lane], room[first + REST, lane], room[first + RISE, lane] = height, rest, rise
        room[first + CONTACT, lane] = 1.0 if is_in_contact(table, soon, contact) else 0.0
        room[first + STAYS, lane] = 1.0 if read_contact_left(table, soon, contact) >= c.SHORTEST_STANCE else 0.0
        farthest = min(knobs.unlock_distance, c.STEP_OVER) if k == stepping else knobs.unlock_distance
        room[first + FARTHEST, lane] = farthest
        room[first + LOCKED, lane] = 1.0 if feet.locked[n, k] else 0.0
        # a toe that has stepped over while its character idles is held again, where the leg reaches
        again = idle and has_arrived(feet, n, k) and feet.shortfalls[n, k, 0] < c.LETS_GO
        room[first + REFUSED, lane] = 1.0 if feet.refused[n, k] and not again else 0.0


@inner
def find_step_over(feet, n):
    """Which toe of an idle character may step to where its clip stands: the farthest off, unless another is still on
    its way."""
    best, farthest = -1, 0.0
    for k in range(feet.locked.shape[1]):
        if not (feet.locked[n, k] and has_arrived(feet, n, k)):
            return -1
        x, z = feet.places[n, k, 0] - feet.toes[n, k, 0], feet.places[n, k, 2] - feet.toes[n, k, 2]
        if x * x + z * z > farthest:
            best, farthest = k, x * x + z * z
    return best


@inner
def has_arrived(feet, n, k):
    x, z = feet.offsets[n, k, 0], feet.offsets[n, k, 2]
    return x * x + z * z < c.ARRIVED * c.ARRIVED


@inner
def lower_pelvis(scene, characters, start, stop, wanted, pelvis, by, tables, room):
    """Sink whole bodies but the roots towards a depth; the feet stay where they are told."""
    parents, out = scene.rig.parents, scene.pose
    x, v = spring_to_zero(pelvis[0] - wanted, pelvis[1], by.pelvis)
    x = x + wanted
    write_twos(address(tables, TWOS), address(scene.state.feet.pelvis, 0), (x, v))
    depth = where_positive(x * x - UNSEEN * UNSEEN, x, splat(ZERO))
    for j in range(1, parents.shape[0]):
        own = address(room, JOINT_ROWS * j)
        write(own, HEIGHT_ROW, read(own, HEIGHT_ROW) - depth)
    spare = leg_row(parents.shape[0], scene.rig.legs.shape[0])
    write(address(room, spare), 0, depth)
    for m in range(start, stop):
        n, sunk = characters[m], room[spare, m - start]
        if sunk != 0:
            for j in range(1, parents.shape[0]):
                out.global_positions[n, j, 1] -= sunk
                if parents[j] == 0:
                    out.positions[n, j, 1] -= sunk
    return depth
