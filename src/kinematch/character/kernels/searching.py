"""Kernels of the search: whose turn it is, what is asked, and what was found. See stages.schedule, predict and ask."""

import math

from kinematch.character import constants as c
from kinematch.character.kernels.frames import (
    find_clip,
    is_committed,
    is_in_contact,
    is_packed,
    read_features,
    read_pace,
)
from kinematch.character.kernels.playback import clamp_frame
from kinematch.character.kernels.rotations import find_yaw, rotate_about_y, wrap_angle
from kinematch.character.kernels.scene import open_scene
from kinematch.character.kernels.springs import make_damping, remaining_turn, spring, velocity_spring
from kinematch.character.reason import Reason
from kinematch.character.table import DIRECTION, POSITION
from kinematch.compile.jit import inner, kernel
from kinematch.compile.memory import address, fetch
from kinematch.math.spring import HALFLIFE_FACTOR

NONE, INTERVAL, VELOCITY, FACING, END, TAGS, SOURCE, FIRST = (int(reason) for reason in Reason)
POSITION_X, POSITION_Y, POSITION_Z = (POSITION + axis for axis in range(3))
DIRECTION_X, DIRECTION_Z = DIRECTION, DIRECTION + 2
AHEAD = 4  # characters ahead whose state is prefetched
SPRINGS, GIVEN = 0, 1  # who predicts trajectories: springs, or the controller, whose prediction is noted already


@kernel(fastmath={"contract"}, counting=False)
def find_reasons(handle, characters, due):
    """Why characters (M,) of one table have to search now, into `pose.reasons`; those who have to into `due` (M,).

    Returns how many these are."""
    scene = open_scene(handle)
    playing, schedule, table, knobs, orders = (
        scene.state.playing, scene.state.schedule, scene.table, scene.knobs, scene.orders
    )  # fmt: skip
    count = 0
    for m in range(characters.shape[0]):
        n = characters[m]
        frame = clamp_frame(table, playing, n)
        clip = find_clip(table, frame)
        since, never = schedule.since[n], math.isnan(schedule.commands[n, 0])
        if is_committed(table, frame):
            schedule.idle[n] = False  # a committed clip is never idle, whatever the command
        reason = NONE
        if orders.sources[n] != playing.sources[n]:
            reason = SOURCE
        elif frame == table.stops[clip] - 1 and not table.loops[clip]:
            reason = END
        elif is_committed(table, frame):
            reason = NONE
        elif not since < knobs.search_interval - c.INTERVAL_SLACK:  # NaN, as somebody may have written, is due
            reason = INTERVAL
        elif never:
            reason = FIRST
        elif since >= knobs.forced_interval:
            change, turn = measure_change(schedule.commands, orders, n)
            if change > knobs.velocity_change:
                reason = VELOCITY
            elif turn > knobs.facing_change:
                reason = FACING
            elif orders.filters[n] != schedule.filters[n]:
                reason = TAGS
        scene.pose.reasons[n] = reason
        if reason != NONE:
            due[count] = n
            count += 1
    return count


@inner
def measure_change(commands, orders, n):
    """How far a command is from that of the last search, in m/s and rad."""
    x, y = orders.velocities[n, 0] - commands[n, 0], orders.velocities[n, 1] - commands[n, 1]
    z = orders.velocities[n, 2] - commands[n, 2]
    turn = 0.0
    if has_facing(orders, n):
        turn = abs(wrap_angle(find_yaw(orders.facings[n, 0], orders.facings[n, 2]) - commands[n, 3]))
    return math.sqrt(x * x + y * y + z * z), turn


@inner
def has_facing(orders, n):
    return orders.facings[n, 0] != 0 or orders.facings[n, 2] != 0


@kernel(fastmath={"contract"}, counting=False)
def make_queries(handle, characters, queries, dt, prediction):
    """Queries (M, D) of characters of one table, whose features are all built in and look ahead.

    The pose is that of the playing frame as stored, the trajectory as predicted. Everything is noted in the state.
    Returns whether all queries are finite and nearer than FARTHEST_QUERY.
    """
    scene = open_scene(handle)
    table, schedule = scene.table, scene.state.schedule
    near = True
    for m in range(characters.shape[0]):
        n = characters[m]
        if m + AHEAD < characters.shape[0]:
            prefetch_search(scene, characters[m + AHEAD])
        frame = clamp_frame(table, scene.state.playing, n)
        read_features(table, frame, queries, m)
        predict(scene, n, frame, prediction == SPRINGS)
        ask(scene, n, queries, m)
        note_search(scene, n, dt)
        for column in range(table.features.shape[1]):
            schedule.queries[n, column] = queries[m, column]
            near = near and abs(queries[m, column]) < c.FARTHEST_QUERY
    return near


@inner
def predict(scene, n, frame, by_springs):
    """Where the body will be at the horizons, into `schedule.trajectories`, and whether the character is idle."""
    body, playing, schedule, orders = scene.state.body, scene.state.playing, scene.state.schedule, scene.orders
    knobs, table = scene.knobs, scene.table
    gap_x, gap_z, gap_yaw, stands = measure_standing(body, playing, orders, n)
    facing_w = HALFLIFE_FACTOR / knobs.facing_halflife
    turn = remaining_turn(orders.facings[n, 0], orders.facings[n, 2], body.yaws[n], body.yaw_rates[n], facing_w)
    schedule.idle[n] = stands and abs(turn) < c.ALIGNED and is_resting(table, frame)
    ago = playing.fractions[n] / table.frame_rate
    for h in range(table.horizons.shape[0] if by_springs else 0):
        moment = table.horizons[h] - ago
        back = min(moment, 0.0)  # springs that run backwards diverge
        by = make_damping(knobs.velocity_halflife, max(moment, 0.0))
        for i in range(3):
            v = body.velocities[n, i]
            shift, _, _ = velocity_spring(v, body.accelerations[n, i], orders.velocities[n, i], by)
            schedule.trajectories[n, h, i] = body.positions[n, i] + shift + back * v
        schedule.trajectories[n, h, 0] -= gap_x
        schedule.trajectories[n, h, 2] -= gap_z
        by = make_damping(knobs.facing_halflife, max(moment, 0.0))
        left, _ = spring(-turn, body.yaw_rates[n], by)
        schedule.trajectories[n, h, 3] = body.yaws[n] + turn + left + back * body.yaw_rates[n] - gap_yaw


@inner
def ask(scene, n, queries, m):
    """The trajectory in the root's axes, at the moment of the playing frame, into the columns of query m."""
    body, playing, table = scene.state.body, scene.state.playing, scene.table
    trajectory = scene.state.schedule.trajectories
    ago, scale = playing.fractions[n] / table.frame_rate, scene.rig.scale
    root_yaw = playing.yaws[n] - ago * body.yaw_rates[n]
    root_x = playing.positions[n, 0] - ago * body.velocities[n, 0]
    root_y = body.positions[n, 1] - ago * body.velocities[n, 1]  # queries know no terrain
    root_z = playing.positions[n, 2] - ago * body.velocities[n, 2]
    at = -1
    x = y = z = forward_x = forward_z = 0.0
    for row in range(table.trajectory_columns.shape[0]):
        column, which, horizon = (
            table.trajectory_columns[row, 0], table.trajectory_columns[row, 1], table.trajectory_columns[row, 2]
        )  # fmt: skip
        if horizon != at:
            at = horizon
            x, z = rotate_about_y(trajectory[n, at, 0] - root_x, trajectory[n, at, 2] - root_z, -root_yaw)
            y = trajectory[n, at, 1] - root_y
            forward_x, forward_z = rotate_about_y(0.0, 1.0, trajectory[n, at, 3] - root_yaw)
        value = 0.0
        if which == POSITION_X:
            value = x / scale
        elif which == POSITION_Y:
            value = y / scale
        elif which == POSITION_Z:
            value = z / scale
        elif which == DIRECTION_X:
            value = forward_x
        elif which == DIRECTION_Z:
            value = forward_z
        queries[m, column] = (value - table.feature_offset[column]) / table.feature_scale[column]


@inner
def note_search(scene, n, dt):
    """Note when a character searched and what it was told: see stages.schedule.note_search."""
    schedule, orders, interval = scene.state.schedule, scene.orders, scene.knobs.search_interval
    commands, since = schedule.commands, schedule.since[n]
    over = since - interval
    if math.isnan(commands[n, 0]):
        schedule.since[n] = since % interval
    else:
        schedule.since[n] = over if 0 <= over < dt else 0.0
    commands[n, 0], commands[n, 1] = orders.velocities[n, 0], orders.velocities[n, 1]
    commands[n, 2] = orders.velocities[n, 2]
    if has_facing(orders, n):
        commands[n, 3] = find_yaw(orders.facings[n, 0], orders.facings[n, 2])
    elif math.isnan(commands[n, 3]):
        commands[n, 3] = scene.state.body.yaws[n]
    schedule.filters[n] = orders.filters[n]


@inner
def measure_standing(body, playing, orders, n):
    """The gap that a standing character need not make up, and whether it stands well: see stages.predict."""
    wish = orders.velocities[n, 0] ** 2 + orders.velocities[n, 2] ** 2
    speed = body.velocities[n, 0] ** 2 + body.velocities[n, 2] ** 2
    if wish > 0 or speed > c.STANDING_SPEED * c.STANDING_SPEED:
        return 0.0, 0.0, 0.0, False
    x, z = body.positions[n, 0] - playing.positions[n, 0], body.positions[n, 2] - playing.positions[n, 2]
    yaw = wrap_angle(body.yaws[n] - playing.yaws[n])
    near = x * x + z * z <= c.NEAR * c.NEAR
    aligned = abs(yaw) <= c.ALIGNED and abs(body.yaw_rates[n]) <= c.ALIGNED
    return x if near else 0.0, z if near else 0.0, yaw if aligned else 0.0, near and aligned


@inner
def is_resting(table, frame):
    """Whether the clip stands: nothing is lost if it is left here."""
    standing = read_pace(table, frame) < c.RESTING_PACE
    for contact in range(table.contacts.shape[1]):
        standing = standing and is_in_contact(table, frame, contact)
    return standing


@inner
def prefetch_search(scene, n):
    """Prefetch the state of a character that will search soon."""
    body, playing, features = scene.state.body, scene.state.playing, scene.table.features
    frame = min(max(playing.frames[n], 0), scene.table.frame_count - 1)
    if is_packed(scene.table):
        fetch(address(scene.table.pack.features, frame), scene.table.pack.features.strides[0])
    else:
        fetch(address(features, frame), features.strides[0])
    for array in (body.positions, body.velocities, body.accelerations, playing.positions):
        fetch(address(array, n), 1)
    fetch(address(scene.state.schedule.commands, n), 1)
    fetch(address(scene.state.schedule.queries, n), features.strides[0])
