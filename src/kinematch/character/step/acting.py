"""Acting: an action is played from its entry to its exit, its path bent so that its event meets the target."""

import math

import numpy as np

from kinematch.character import constants as c
from kinematch.character.step.playback import advance, read_playing
from kinematch.compile.jit import inner, routine
from kinematch.database.actions import EXIT, FIRST
from kinematch.database.frame_kernels import find_clip, is_in_contact, locate_root
from kinematch.math.exponentials import halve
from kinematch.math.series import rotate_about_y, wrap_angle
from kinematch.math.vectors import Vector

HEIGHT, YAW = 1, 3  # of a goal


@inner
def find_stretch(data, source, n, frame):
    """The stretch of the action that goes on, or -1; it is over at its exit, and where users have led playback
    elsewhere. Read once: another thread may write into the state."""
    acting, actions = data.acting, source.actions
    own = np.int64(acting.stretches[n])
    inside = 0 <= own < actions.stretches.shape[0] and source.each == 0
    if inside and actions.stretches[own, FIRST] <= frame < actions.stretches[own, EXIT]:
        return own
    acting.stretches[n] = -1
    return np.int64(-1)


@routine
def follow_action(data, source, n, dt):
    """Play an action on. What its root lacks to the goal at the event is made up for on the way there: the more, the
    faster the root goes and the fewer feet stand (ActionTable.sums)."""
    frame, fraction = read_playing(data, source, n)
    own = find_stretch(data, source, n, frame)
    if own < 0:
        advance(data, source, n, dt)
        return
    actions, acting, motions = source.actions, data.acting, data.work.motions
    advance(data, source, n, dt)
    new_frame, new_fraction = read_playing(data, source, n)
    event, old_height = actions.targets[own], find_height(source, frame, fraction)
    rise = (find_height(source, new_frame, new_fraction) - old_height) * data.rig.scale
    warp = 0.0
    if event >= 0 and acting.goals[n, YAW] == acting.goals[n, YAW]:
        share = find_share(data, source, n, event, frame, fraction, new_frame, new_fraction)
        warp = bend_path(data, source, n, event, new_frame, new_fraction, share, rise)
        if new_frame >= event:
            acting.goals[n, YAW] = math.nan
    move_toe_grounds(data, source, n, event, new_frame, warp, dt)
    acting.shifts[n] += warp
    data.playing.positions[n, 1] += rise + warp
    data.pose.displacements[n, 1] += rise + warp
    motions[n, 3] = motions[n, 4] = 0.0


@inner
def find_height(source, frame, fraction):
    """The root's height in its clip."""
    heights = source.actions.heights
    after = min(frame + 1, heights.shape[0] - 1)
    return heights[frame] * (1 - fraction) + heights[after] * fraction


@inner
def find_sum(source, frame, fraction):
    sums = source.actions.sums
    after = min(frame + 1, sums.shape[0] - 1)
    return sums[frame] * (1 - fraction) + sums[after] * fraction


@inner
def find_share(data, source, n, event, frame, fraction, new_frame, new_fraction):
    """How much of what is lacking is made up for in this step; all that is left of it when the event is reached."""
    if new_frame >= event:
        return 1.0
    begun, now = find_sum(source, frame, fraction), find_sum(source, new_frame, new_fraction)
    ramp = min(data.offsets.ages[n] / c.WARP_RAMP, 1.0)
    return min((now - begun) / max(source.actions.sums[event] - begun, 1e-9), 1.0) * ramp


@inner
def bend_path(data, source, n, event, frame, fraction, share, rise):
    """Add a share of what the root lacks to its goal to the motion of this step; returns how much it is raised."""
    playing, motions, goals, scale = data.playing, data.work.motions, data.acting.goals, data.rig.scale
    clip = find_clip(source, frame)
    x0, z0, yaw0 = locate_root(source, clip, frame, fraction)
    x1, z1, yaw1 = locate_root(source, clip, event, 0.0)
    way_x, way_z = rotate_about_y(x1 - x0, z1 - z0, -yaw0)
    yaw = playing.yaws[n]
    new_yaw = yaw + motions[n, 2]
    turn = wrap_angle(goals[n, YAW] - new_yaw - (yaw1 - yaw0))
    # the way that is left turns as the root does: half of the turn on average
    way_x, way_z = rotate_about_y(way_x * scale, way_z * scale, new_yaw + 0.5 * turn)
    own_x, own_z = rotate_about_y(motions[n, 0], motions[n, 1], yaw)
    x = goals[n, 0] - playing.positions[n, 0] - own_x - way_x
    z = goals[n, 2] - playing.positions[n, 2] - own_z - way_z
    x, z = rotate_about_y(x * share, z * share, -yaw)
    motions[n, 0] += x
    motions[n, 1] += z
    motions[n, 2] += turn * share
    left = (source.actions.heights[event] - find_height(source, frame, fraction)) * scale
    return (goals[n, HEIGHT] - playing.positions[n, 1] - rise - left) * share


@inner
def move_toe_grounds(data, source, n, event, frame, warp, dt):
    """Where the ground under toes is above the root's: it stays where a foot stands. A foot that swings goes over to
    the ground that it will stand on: the goal's, once it comes down at the event or later, else the one before."""
    goals, feet = data.acting.goals, data.feet
    left = 0.0
    aimed = goals[n, YAW] == goals[n, YAW]
    if aimed:
        rest = (source.actions.heights[event] - source.actions.heights[frame]) * data.rig.scale
        left = goals[n, HEIGHT] - data.playing.positions[n, 1] - warp - rest
    for k in range(feet.rises.shape[1]):
        contact = data.rig.leg_contacts[k]
        if is_in_contact(source, frame, contact):
            feet.rises[n, k] -= warp
            continue
        swing = max(source.actions.swings[frame, contact], dt)
        early = aimed and swing < (event - frame) / source.frame_rate - 0.05
        goal = left
        if early or not aimed:
            goal = find_rise(data, n, k, -data.acting.shifts[n] if early else 0.0)
        feet.rises[n, k] += (goal - feet.rises[n, k]) * min(dt / max(swing, 1e-6), 1.0)


@inner
def find_rise(data, n, k, without):
    """How much higher than the root the ground under a toe is, where there is one that it reaches."""
    if data.work.heights.shape[0] == 0:
        return without
    rise = data.work.heights[n, k + 1] - data.playing.positions[n, 1]
    return rise if abs(rise) <= c.MAX_STEP else without


@inner
def lead_body(data, n, dt):
    """The body goes where the action leads, so that its command goes on from there."""
    body, playing, _pose = data.body, data.playing, data.pose
    kept = halve(dt / c.BODY_HALFLIFE)
    x, z = playing.positions[n, 0], playing.positions[n, 2]
    body.positions[n, 0] = x + (body.positions[n, 0] - x) * kept
    body.positions[n, 1] = playing.positions[n, 1]
    body.positions[n, 2] = z + (body.positions[n, 2] - z) * kept
    body.yaws[n] = wrap_angle(playing.yaws[n] + wrap_angle(body.yaws[n] - playing.yaws[n]) * kept)
    if dt > 0:
        clip_x, clip_z = rotate_about_y(data.work.motions[n, 0], data.work.motions[n, 1], playing.yaws[n])
        body.velocities[n] = Vector(clip_x / dt, 0.0, clip_z / dt)
        body.yaw_rates[n] = data.work.motions[n, 2] / dt
    body.accelerations[n] = Vector(0.0, 0.0, 0.0)
