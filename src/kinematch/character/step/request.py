"""Request: an action that a command asks for is entered at the frame of it that fits best, or refused with a reason."""

import math

import numpy as np

from kinematch.character import constants as c
from kinematch.character.reason import Refusal
from kinematch.character.step.acting import HEIGHT, YAW, find_height, find_stretch
from kinematch.character.step.ask import fill_query
from kinematch.character.step.bodies import find_goal
from kinematch.character.step.data import find_number, open_source
from kinematch.character.step.playback import read_playing
from kinematch.character.step.project import convert_query, jump
from kinematch.compile.jit import inner, routine
from kinematch.database.actions import ACTION, EXIT, FIRST, LAST
from kinematch.database.frame_kernels import (
    find_clip,
    find_next_frame,
    find_root_velocity,
    locate_root,
    read_feature,
    read_toe_height,
)
from kinematch.database.table import EACH_ROW
from kinematch.math.arctangents import arctan2
from kinematch.math.series import rotate_about_y, wrap_angle
from kinematch.motion.actions import MAX_EVENT_RISE

NO_REFUSAL, BUSY, NO_ACTION, TOO_FAR, TOO_NEAR, TURN, TOO_HIGH, TOO_EARLY, TIME, SPEED, CLEAR = (
    int(one) for one in Refusal
)
UNMET_COST = 1e9  # cost of a frame that cannot meet the target, besides how far it is from doing so
MIN_DISTANCE = 1e-6  # m


@routine
def take_request(data, n, scratch):
    """Enter the action that is asked for, or hold or leave the one that plays."""
    number = find_number(data, data.playing.sources[n])
    here = open_source(data.sources[number])
    frame, fraction = read_playing(data, here, n)
    asked = data.orders.actions[n]
    stretch = find_stretch(data, here, n, frame) if data.acting.stretches[n] >= 0 else np.int64(-1)
    if stretch >= 0 and not may_follow(data, here, n, stretch, frame):
        own = here.actions.stretches[stretch, ACTION]
        hold(data, n, here, stretch, number, frame, asked == own, scratch)
        if asked >= 0 and asked != own:
            data.pose.refusals[n] = BUSY
        return
    if asked < 0:
        return
    target = find_number(data, data.orders.sources[n])
    there = open_source(data.sources[target])
    if there.actions.stretches.shape[0] == 0 or here.each == EACH_ROW or data.orders.given[0]:
        data.pose.refusals[n] = NO_ACTION
        return
    fill_query(data, here, n, frame, fraction / here.frame_rate, find_goal(data, n))
    if target != number:
        convert_query(data, n, here, there)
    x, z, _ = find_root_velocity(here, frame, find_next_frame(here, frame), fraction)
    entry, stretch, refusal = find_entry_frame(data, n, there, fraction, (x, z), here, frame)
    data.pose.refusals[n] = refusal
    if refusal == NO_REFUSAL:
        enter_action(data, n, here, there, target, entry, stretch, fraction, scratch)


@inner
def may_follow(data, here, n, stretch, frame):
    """Whether the next action may follow already: its target is given, and what plays has met its own."""
    event, aimed = here.actions.targets[stretch], data.orders.targets[n, 0] == data.orders.targets[n, 0]
    return data.orders.actions[n] >= 0 and aimed and 0 <= event < frame and here.actions.holds[stretch, 0] < 0


@inner
def hold(data, n, here, stretch, number, frame, held, scratch):
    """An action that lasts goes on between two moments for as long as it is asked for; then it goes on to its end."""
    first, last = here.actions.holds[stretch, 0], here.actions.holds[stretch, 1]
    if first < 0 or frame < first or frame > last:
        return
    if held and frame >= last - 1:
        jump(data, n, here, here, number, first, scratch)
    elif not held and frame < last - 1:
        jump(data, n, here, here, number, last, scratch)


@inner
def find_entry_frame(data, n, there, fraction, moving, here, playing):
    """The frame among the entries of the action that costs least, its stretch, and why none may be taken if so.

    Exact: every frame in which it may be entered is looked at. A cost is that of the pose, by the weights of the
    search, of the warp that leads to the target, and of the time to the event.
    """
    actions, asked = there.actions, data.orders.actions[n]
    aimed = data.orders.targets[n, 0] == data.orders.targets[n, 0]
    best, entry, stretch, refusal = math.inf, -1, -1, NO_ACTION
    for s in range(actions.stretches.shape[0]):
        if actions.stretches[s, ACTION] != asked:
            continue
        for frame in range(actions.stretches[s, FIRST], actions.stretches[s, LAST] + 1):
            cost, wrong, _, _, _, _ = measure_warp(data, n, there, s, frame, fraction)
            change = measure_change(there, frame, moving)
            cost += c.PER_SPEED * change * change
            if change > c.WARP_SPEED and aimed and (wrong in (NO_REFUSAL, TOO_EARLY)):
                cost, wrong = cost + UNMET_COST, SPEED
            if wrong == NO_REFUSAL and not stands_alike(data, n, there, frame, here, playing):
                cost, wrong = cost + UNMET_COST, TOO_HIGH
            if cost < best:
                cost += measure_misfit(data, n, there, frame, best - cost)
            if cost < best:
                best, entry, stretch, refusal = cost, frame, s, wrong
    return entry, stretch, refusal


@inner
def stands_alike(data, n, there, frame, here, playing):
    """Whether feet that stand at an entry, or soon after, are about as high above the root now: a foot on a step that
    the root has not climbed yet would be pulled down into it, or leave the body in a squat."""
    feet, scale = data.feet, data.rig.scale
    for k in range(feet.rises.shape[1]):
        contact, ground = data.rig.leg_contacts[k], 0.0
        if data.acting.stretches[n] >= 0:
            ground = feet.rises[n, k]
        elif data.work.normals.shape[0] > 0:
            ground = feet.grounds[n, k + 1, 0] - data.playing.positions[n, 1]
        rise = (read_toe_height(there, frame, contact) - read_toe_height(here, playing, contact)) * scale - ground
        if there.actions.swings[frame, contact] < c.STANDS_SOON and abs(rise) > c.MAX_FOOT_CHANGE:
            return False
    return True


@inner
def measure_change(there, frame, moving):
    """How far the root's velocity (x, z) in its own axes is from that of a frame."""
    x, z, _ = find_root_velocity(there, frame, frame, 0.0)
    return math.sqrt((x - moving[0]) ** 2 + (z - moving[1]) ** 2)


@inner
def measure_misfit(data, n, there, frame, most):
    """The squared distance of the query to a frame, by the weights of pose and trajectory; stops beyond `most`."""
    queries, weights, total = data.schedule.queries, there.actions.weights, 0.0
    ahead = 1.0 if data.orders.targets[n, 0] != data.orders.targets[n, 0] else 0.0  # a target says where to go
    for column in range(queries.shape[1]):
        gap = read_feature(there, frame, column) - queries[n, column]
        total += gap * gap * (weights[0, column] + ahead * weights[1, column])
        if total > most:
            break
    return total


@inner
def measure_warp(data, n, there, stretch, frame, fraction):
    """What it costs to meet the target from a frame, what is wrong with it, and the goal of the root (x, y, z, yaw)."""
    actions, orders, playing, scale = there.actions, data.orders, data.playing, data.rig.scale
    event = actions.targets[stretch]
    seconds = (event if event >= 0 else actions.stretches[stretch, EXIT]) - frame - fraction
    seconds = seconds / there.frame_rate
    aimed, timed = orders.targets[n, 0] == orders.targets[n, 0], orders.times[n] == orders.times[n]
    cost, wrong, nowhere = 0.0, NO_REFUSAL, math.nan
    if timed:
        late = abs(seconds - orders.times[n])
        cost = c.PER_SECOND * late * late
        if late > c.WARP_TIME:
            cost, wrong = cost + UNMET_COST, TIME
    elif not aimed:
        cost = c.URGENCY * seconds
    if event < 0 or not aimed:
        return cost, wrong, nowhere, nowhere, nowhere, nowhere
    clip = find_clip(there, frame)
    x0, z0, yaw0 = locate_root(there, clip, frame, fraction)
    x1, z1, yaw1 = locate_root(there, clip, event, 0.0)
    way_x, way_z = rotate_about_y(x1 - x0, z1 - z0, -yaw0)
    turned, yaw = wrap_angle(yaw1 - yaw0), playing.yaws[n]
    point_x, point_z = rotate_about_y(actions.points[stretch, 0], actions.points[stretch, 2], turned)
    reach_x, reach_z = (way_x + point_x) * scale, (way_z + point_z) * scale  # the contact point, from the root
    far_x, far_z = rotate_about_y(
        orders.targets[n, 0] - playing.positions[n, 0], orders.targets[n, 2] - playing.positions[n, 2], -yaw
    )
    reach, far = math.sqrt(reach_x * reach_x + reach_z * reach_z), math.sqrt(far_x * far_x + far_z * far_z)
    turn = 0.0
    if orders.targets[n, YAW] == orders.targets[n, YAW]:
        turn = wrap_angle(orders.targets[n, YAW] - yaw - turned)
    elif reach > c.HAS_DIRECTION and far > c.HAS_DIRECTION:
        turn = wrap_angle(arctan2(far_x, far_z) - arctan2(reach_x, reach_z))
    goal_yaw = yaw + turned + turn
    point_x, point_z = rotate_about_y(actions.points[stretch, 0] * scale, actions.points[stretch, 2] * scale, goal_yaw)
    goal_x, goal_z = orders.targets[n, 0] - point_x, orders.targets[n, 2] - point_z
    goal_y = orders.targets[n, HEIGHT] - actions.points[stretch, HEIGHT] * scale
    own_x, own_z = rotate_about_y(way_x * scale, way_z * scale, yaw + turn)
    lack_x, lack_z = goal_x - playing.positions[n, 0] - own_x, goal_z - playing.positions[n, 2] - own_z
    climbed = (actions.heights[event] - find_height(there, frame, fraction)) * scale
    lack_y = goal_y - playing.positions[n, 1] - climbed
    lack = lack_x * lack_x + lack_z * lack_z
    cost += c.PER_METRE * (lack + lack_y * lack_y) + c.PER_RADIAN * turn * turn
    for k in range(orders.clears.shape[1]):
        if actions.clears[stretch, k] < orders.clears[n, k]:
            wrong = CLEAR
    if wrong == CLEAR:
        cost += UNMET_COST
    if wrong == NO_REFUSAL:
        wrong = find_fault(reach, far, math.sqrt(lack), turn, lack_y)
        if wrong != NO_REFUSAL:
            cost += UNMET_COST
    if wrong == NO_REFUSAL and is_early(data, n, reach, far):
        wrong = TOO_EARLY
    return cost, wrong, goal_x, goal_y, goal_z, goal_yaw


@inner
def find_fault(reach, far, lack, turn, lack_y):
    """Which limit of the warp a target is beyond."""
    longest = (c.WARP_LONGEST - 1) * reach + c.WARP_SPARE
    shortest = (1 - c.WARP_SHORTEST) * reach + c.WARP_SPARE
    if abs(turn) > c.WARP_TURN:
        return TURN
    if abs(lack_y) > MAX_EVENT_RISE:
        return TOO_HIGH
    if far > reach and lack > longest:
        return TOO_FAR
    return TOO_NEAR if far <= reach and lack > shortest else NO_REFUSAL


@inner
def is_early(data, n, reach, far):
    """Whether a character that approaches its target will be placed better in a moment."""
    body, orders, playing = data.body, data.orders, data.playing
    if far <= c.STRETCHED * reach + 0.5 * c.WARP_SPARE:
        return False
    x, z = orders.targets[n, 0] - playing.positions[n, 0], orders.targets[n, 2] - playing.positions[n, 2]
    speed = (body.velocities[n, 0] * x + body.velocities[n, 2] * z) / max(far, MIN_DISTANCE)
    return speed > c.APPROACH_SPEED


@inner
def enter_action(data, n, here, there, target, frame, stretch, fraction, scratch):
    """Go on in the action, towards the goal that its target asks for."""
    acting, feet = data.acting, data.feet
    _, _, x, y, z, yaw = measure_warp(data, n, there, stretch, frame, fraction)
    jump(data, n, here, there, target, frame, scratch)
    acting.stretches[n], acting.shifts[n] = stretch, 0.0
    acting.goals[n, 0], acting.goals[n, 1], acting.goals[n, 2], acting.goals[n, YAW] = x, y, z, yaw
    for k in range(feet.rises.shape[1]):
        terrain = data.work.normals.shape[0] > 0
        feet.rises[n, k] = feet.grounds[n, k + 1, 0] - data.playing.positions[n, 1] if terrain else 0.0
    data.schedule.idle[n] = data.work.searching[n] = False
    data.schedule.left[n] = -1
