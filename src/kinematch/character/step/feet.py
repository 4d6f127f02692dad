"""Feet: the ground under them, what each toe is to do, the pelvis, and the legs that follow."""

import numpy as np

from kinematch.character import constants as c
from kinematch.character.step.crossing import push_legs_apart
from kinematch.character.step.legs import aim_leg, bend_leg
from kinematch.character.step.playback import read_playing
from kinematch.character.step.toes import plant_toe
from kinematch.compile.indexing import pair
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, smaller, where
from kinematch.database.frame_kernels import find_next_frame, is_in_contact, read_contact_left, read_toe_height
from kinematch.database.time_kernels import advance_time
from kinematch.math.spring_kernels import settle_spring
from kinematch.math.vectors import Vector, vector

LEAST_UPWARD = 1e-6  # of a normal: a wall has no slope


@inner
def stand_on_ground(data, n, by):
    """Root and toes follow the ground's height, smoothed; everything shown moves with the root."""
    feet, playing, work, pose = data.feet, data.playing, data.work, data.pose
    if data.acting.stretches[n] >= 0:
        stand_in_action(data, n, by)
        return
    grounds = feet.grounds
    for k in range(grounds.shape[1]):
        height = work.heights[n, k]
        if abs(height - work.heights[n, 0]) > c.MAX_STEP:  # nothing that this foot stands on
            height = work.heights[n, 0]
        x, v = settle_spring(grounds[n, k, 0] - height, grounds[n, k, 1], by.ground if k == 0 else by.toe_ground)
        grounds[n, k, 0], grounds[n, k, 1] = x + height, v
    rise = grounds[n, 0, 0] - playing.positions[n, 1]
    playing.positions[n, 1] = grounds[n, 0, 0]
    pose.displacements[n, 1] += rise
    pose.positions[n, 0, 1] += rise
    for j in range(pose.positions.shape[1]):
        pose.global_positions[n, j, 1] += rise
    for k in range(feet.slopes.shape[1]):  # smoothed: edges of steps have no slope
        upward = max(work.normals[n, k, 1], LEAST_UPWARD)
        for i in range(2):
            slope = min(max(-work.normals[n, k, 2 * i] / upward, -c.MAX_FOOT_SLOPE), c.MAX_FOOT_SLOPE)
            x, v = settle_spring(feet.slopes[n, k, i] - slope, feet.slopes[n, k, i + 2], by.ground)
            feet.slopes[n, k, i], feet.slopes[n, k, i + 2] = x + slope, v


@inner
def stand_in_action(data, n, by):
    """In an action the ground is where its path leads: what terrain there is follows when it is over."""
    feet, rises, ground = data.feet, data.feet.rises, data.playing.positions[n, 1]
    for k in range(feet.grounds.shape[1]):
        feet.grounds[n, k, 0] = ground + (rises[n, k - 1] if k > 0 else 0.0)
        feet.grounds[n, k, 1] = 0.0
    for k in range(feet.slopes.shape[1]):
        for i in range(2):
            x, v = settle_spring(feet.slopes[n, k, i], feet.slopes[n, k, i + 2], by.ground)
            feet.slopes[n, k, i], feet.slopes[n, k, i + 2] = x, v


@inner
def plan_toes(data, source, n, dt):
    """Note what is known of a character's toes: of its source, the ground and the last step."""
    feet, rig, settings, work = data.feet, data.rig, data.settings, data.work
    frame, t = read_playing(data, source, n)
    after = find_next_frame(source, frame)
    # a lock begins with a step: what counts is the contact a fixed while after that, however long the step is
    soon, part, _ = advance_time(source, frame, t, c.CONTACT_LEAD - dt)
    soon = soon if part < 0.5 else find_next_frame(source, soon)
    ground, idle, acting = data.playing.positions[n, 1], data.schedule.idle[n], data.acting.stretches[n] >= 0
    stepping = find_step_over(feet, n) if idle else -1
    for k in range(rig.legs.shape[0]):
        contact = np.int64(rig.leg_contacts[k])
        rise = feet.grounds[n, k + 1, 0] - ground if work.normals.shape[0] > 0 else 0.0
        if acting:
            rise = feet.rises[n, k]
        rest = ground + rig.toe_rests[k] + rise
        height = rise  # added to the animated toe, unless locks take the clip's height, which blending does not lower
        if settings.foot_lock > 0:
            animated = read_toe_height(source, frame, contact) * (1 - t) + read_toe_height(source, after, contact) * t
            height = rest + rig.scale * (animated - source.toe_rests[contact])
        # a foot below a step's root is not raised to its ground
        lowest = min(rest, height) - data.settings.clearance if acting else rest
        work.toe_heights[n, k], work.toe_rests[n, k], work.toe_rises[n, k] = height, lowest, rise
        work.toe_contacts[n, k] = is_in_contact(source, soon, contact)
        work.toe_stays[n, k] = read_contact_left(source, soon, contact) >= c.SHORTEST_STANCE
        farthest = settings.unlock_distance
        work.toe_reaches[n, k] = min(farthest, c.STEP_OVER) if k == stepping else farthest
        # a toe that has stepped over while its character idles is held again, where the leg reaches
        again = idle and has_arrived(feet, n, k) and feet.shortfalls[n, k, 0] < c.LETS_GO
        work.toe_refusals[n, k] = feet.refused[n, k] and not again


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
def plant_feet(data, here, n, by):
    """Lock and free toes, lower the pelvis, and bend the legs."""
    legs, pelvis = data.rig.legs.shape[0], pair(data.feet.pelvis[n])
    low = 0.0 * pelvis[0]
    for k in range(legs):
        low = larger(low, plant_toe(data, here, n, k, pelvis[0], by))
    depth = 0.0 * pelvis[0]
    if data.settings.pelvis > 0:
        depth = lower_pelvis(data, here, n, smaller(low, c.MAX_PELVIS_DROP), by)
    for k in range(legs):
        aim_leg(data, here, n, k, depth, by.lock)
    for k in range(legs):
        bend_leg(data, here, n, k)
    if legs == 2 and data.settings.foot_lock > 0:
        push_legs_apart(data, here, n, by)


@inner
def lower_pelvis(data, here, n, wanted, by):
    """Sink the whole body but the root towards a depth; the feet stay where they are told."""
    rig, pose, pelvis = data.rig, data.pose, data.feet.pelvis
    x, v = pair(pelvis[n])
    x, v = settle_spring(x - wanted, v, by.pelvis)
    x = x + wanted
    pelvis[n] = (x, v)
    depth = where(x * x > c.UNSEEN * c.UNSEEN, x, 0.0)
    lowered = Vector(0.0, depth, 0.0)
    for j in range(1, rig.parents.shape[0]):
        here.positions[j] = here.positions[j] - lowered
        pose.global_positions[n][j] = here.positions[j]
        if rig.parents[j] == 0:
            pose.positions[n][j] = vector(pose.positions[n][j]) - lowered
    return depth
