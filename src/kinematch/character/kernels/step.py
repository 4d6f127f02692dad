"""The fused step: when to search, what to ask, and how everything moves on, for a list of characters."""

import math

from kinematch.character.kernels.feet import place_feet, stand_on
from kinematch.character.kernels.legs import bend_leg
from kinematch.character.kernels.motion import (
    damping,
    dampings,
    spring,
    velocity_spring,
    yaw_gap,
)
from kinematch.character.kernels.poses import lay_over, local_pose
from kinematch.character.kernels.poses8 import forward, recall, rows_of
from kinematch.character.kernels.roots import advance_bodies, follow, go_on, show_roots
from kinematch.character.kernels.rotations import angle_of, turned, wrapped
from kinematch.character.knobs import opened_knobs
from kinematch.character.shown import opened_shown
from kinematch.character.source import opened_source
from kinematch.character.state import opened_state
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import LANES
from kinematch.compile.memory import address, claim, fetch
from kinematch.math.spring import HALF

NOT_YET, INTERVAL, VELOCITY, FACING, END, TAGS, DATABASE = range(7)
POSITION_X, POSITION_Y, POSITION_Z, DIRECTION_X, DIRECTION_Y, DIRECTION_Z = range(6)
AHEAD = 4  # characters ahead for which memory is read already
STILL = 0.1  # m/s, below which a body that is to stand counts as standing
RESTING = 0.15  # m/s, below which a clip counts as standing
NEAR = 0.15  # m from its body at which a standing character is well placed
ALIGNED = 0.25  # rad (and rad/s of the body) within which it faces well
TOGETHER = 64  # characters of which a kernel does one thing after the other: small loops, on what is still near
POSE, FEET = 1, 2  # the two halves of a step; terrain is asked between them


@kernel(fastmath={"contract"}, counting=False)
def due(states, sources, settings, who, velocities, facings, filters, databases, reasons):
    """Why some characters have to search now, where they have to; how many those are."""
    state, source, knobs = opened_state(states), opened_source(sources), opened_knobs(settings)
    playing, schedule = state.playing, state.schedule
    count = 0
    for m in range(who.shape[0]):
        n = who[m]
        # callers may write to the state: no frame that is none may reach what follows
        frame = playing.frames[n] = min(max(playing.frames[n], 0), source.clip_of.shape[0] - 1)
        clip = source.clip_of[frame]
        ends = frame == source.stops[clip] - 1 and not source.loops[clip]
        since, never = schedule.since[n], math.isnan(schedule.asked[n, 0])
        reason = NOT_YET
        if databases[n] != playing.databases[n]:
            reason = DATABASE
        elif ends:
            reason = END
        elif source.no_exit[frame]:
            reason, schedule.settled[n] = NOT_YET, False  # whatever it is told meanwhile
        elif since >= knobs.search_interval - 1e-9:  # s: sums of steps are not exact
            reason = INTERVAL
        elif never:
            reason = VELOCITY
        elif since >= knobs.forced_interval:
            change, turn = changes(schedule.asked, n, velocities, facings)
            if change > knobs.velocity_change:
                reason = VELOCITY
            elif turn > knobs.facing_change:
                reason = FACING
            elif filters[n] != schedule.filters[n]:
                reason = TAGS
        reasons[n] = reason
        count += reason != NOT_YET
    return count


@inner
def changes(asked, n, velocities, facings):
    """How far a command is from that of the last search, in m/s and rad."""
    x, y, z = velocities[n, 0] - asked[n, 0], velocities[n, 1] - asked[n, 1], velocities[n, 2] - asked[n, 2]
    turn = 0.0
    if facings[n, 0] != 0 or facings[n, 2] != 0:
        turn = abs(wrapped(angle_of(facings[n, 0], facings[n, 2]) - asked[n, 3]))
    return math.sqrt(x * x + y * y + z * z), turn


@kernel(fastmath={"contract"}, counting=False)
def ask(
    states, sources, settings, who, velocities, facings, filters, values, offset, scale, columns, times, queries, dt
):
    """Queries (M, D): the pose of the playing frames as stored, the trajectory as the body will move; noted in the
    state too. The first whose query is not finite, -1 for none.

    `columns` (T, 3) say which column takes which number of which time; past times stay as they were in the clip.
    """
    state, source, knobs = opened_state(states), opened_source(sources), opened_knobs(settings)
    body, playing, schedule = state.body, state.playing, state.schedule
    lost = -1
    for m in range(who.shape[0]):
        n = who[m]
        if m + AHEAD < who.shape[0]:
            look_ahead(state, who[m + AHEAD], values)
        for column in range(values.shape[1]):
            queries[m, column] = values[playing.frames[n], column]
        off_x, off_z, off_yaw, stands = standing_gap(body, playing, n, velocities)
        # everything is taken back to the moment of the playing frame: what is found goes on with the fraction too
        past = playing.fractions[n] / source.frame_rate
        root_yaw = playing.yaws[n] - past * body.yaw_rates[n]
        gap_x = body.positions[n, 0] - playing.positions[n, 0] - off_x + past * body.velocities[n, 0]
        gap_y = past * body.velocities[n, 1]
        gap_z = body.positions[n, 2] - playing.positions[n, 2] - off_z + past * body.velocities[n, 2]
        gap = yaw_gap(facings[n, 0], facings[n, 2], body.yaws[n], body.yaw_rates[n], HALF / knobs.facing_halflife)
        schedule.settled[n] = stands and abs(gap) < ALIGNED and at_rest(source, playing.frames[n])
        at = -1
        x = y = z = forward_x = forward_z = 0.0
        for c in range(columns.shape[0]):
            if columns[c, 2] != at:
                at = columns[c, 2]
                by = damping(knobs.velocity_halflife, times[at] - past)
                wx, _, _ = velocity_spring(body.velocities[n, 0], body.accelerations[n, 0], velocities[n, 0], by)
                wy, _, _ = velocity_spring(body.velocities[n, 1], body.accelerations[n, 1], velocities[n, 1], by)
                wz, _, _ = velocity_spring(body.velocities[n, 2], body.accelerations[n, 2], velocities[n, 2], by)
                by = damping(knobs.facing_halflife, times[at] - past)
                left, _ = spring(-gap, body.yaw_rates[n], by)
                yaw = body.yaws[n] + gap + left - root_yaw - off_yaw
                x, z = turned(gap_x + wx, gap_z + wz, -root_yaw)
                y = gap_y + wy
                forward_x, forward_z = turned(0.0, 1.0, yaw)
            which, column = columns[c, 1], columns[c, 0]
            value = 0.0
            if which == POSITION_X:
                value = x
            elif which == POSITION_Y:
                value = y
            elif which == POSITION_Z:
                value = z
            elif which == DIRECTION_X:
                value = forward_x
            elif which == DIRECTION_Z:
                value = forward_z
            queries[m, column] = (value - offset[column]) / scale[column]
        asked = schedule.asked
        # what is over is kept, so that searches are as frequent at any rate of steps; who was made to wait longer than
        # a step keeps to that, and who never asked to its own phase: crowds must not search all at once
        since = schedule.since[n]
        over = since - knobs.search_interval
        if math.isnan(asked[n, 0]):
            schedule.since[n] = since % knobs.search_interval
        else:
            schedule.since[n] = over if 0 <= over < dt else 0.0
        asked[n, 0], asked[n, 1], asked[n, 2] = velocities[n, 0], velocities[n, 1], velocities[n, 2]
        if facings[n, 0] != 0 or facings[n, 2] != 0:
            asked[n, 3] = angle_of(facings[n, 0], facings[n, 2])
        elif math.isnan(asked[n, 3]):
            asked[n, 3] = body.yaws[n]
        schedule.filters[n] = filters[n]
        for column in range(values.shape[1]):
            schedule.queries[n, column] = queries[m, column]
            if lost < 0 and not math.isfinite(queries[m, column]):
                lost = n
    return lost


@inner
def look_ahead(state, n, values):
    """Ask for what lies at a character who searches soon."""
    body, playing = state.body, state.playing
    fetch(address(values, playing.frames[n]), values.strides[0])
    for array in (body.positions, body.velocities, body.accelerations, playing.positions, state.schedule.asked):
        fetch(address(array, n), 1)
    fetch(address(state.schedule.queries, n), values.strides[0])


@kernel(fastmath={"contract"}, counting=False)
def note_found(states, who, current, frames, costs, jumped, jumping):
    """Note what some characters (M,) found; those who found another frame come first in `jumping` (M,), and how many
    they are is returned."""
    schedule = opened_state(states).schedule
    count = 0
    for m in range(who.shape[0]):
        n = who[m]
        schedule.frames[n], schedule.costs[n] = current[m], costs[m]
        if frames[m] != current[m]:
            jumped[n] = True
            jumping[count] = m
            count += 1
    return count


@inner
def standing_gap(body, playing, n, velocities):
    """What a character that stands need not make up: it would step to and fro for a hand's breadth; and whether it
    stands well."""
    wish = velocities[n, 0] ** 2 + velocities[n, 2] ** 2
    speed = body.velocities[n, 0] ** 2 + body.velocities[n, 2] ** 2
    if wish > 0 or speed > STILL * STILL:
        return 0.0, 0.0, 0.0, False
    x, z = body.positions[n, 0] - playing.positions[n, 0], body.positions[n, 2] - playing.positions[n, 2]
    yaw = wrapped(body.yaws[n] - playing.yaws[n])
    near = x * x + z * z <= NEAR * NEAR
    aligned = abs(yaw) <= ALIGNED and abs(body.yaw_rates[n]) <= ALIGNED
    return x if near else 0.0, z if near else 0.0, yaw if aligned else 0.0, near and aligned


@inner
def at_rest(source, frame):
    """Whether the clip stands: nothing is lost if it is left here."""
    standing = source.paces[frame] < RESTING
    for toe in range(source.contacts.shape[1]):
        standing = standing and source.contacts[frame, toe]
    return standing


@kernel(fastmath={"contract"}, counting=False)
def animate(
    states,
    sources,
    settings,
    who,
    begun,
    velocities,
    facings,
    layer,
    weights,
    ground,
    normals,
    outs,
    tables,
    room,
    dt,
    halves,
):
    """Move some characters (M,) on by dt: the body, the root, the pose, the feet.

    Threads that share them take on a few at a time, and note in `begun` (1,) how many that were.
    """
    state, source, knobs = opened_state(states), opened_source(sources), opened_knobs(settings)
    out = opened_shown(outs)
    by = dampings(knobs, dt)
    start = claim(begun, TOGETHER)
    while start < who.shape[0]:
        stop = min(start + TOGETHER, who.shape[0])
        if halves & POSE:
            for m in range(start, stop, LANES):
                last = min(m + LANES, stop)
                for ahead in range(last, min(last + LANES, who.shape[0])):
                    soon(source, state.playing.frames[who[ahead]])
                rows_of(out, who, m, last, tables)
                advance_bodies(state.body, velocities, facings, by, tables)
                for i in range(m, last):
                    go_on(state.playing, state.offsets, state.body.velocities, source, knobs, who[i], out, by)
                follow(state.playing, state.offsets, state.body, state.schedule.since, knobs, out, by, tables)
            for m in range(start, stop):
                n = who[m]
                local_pose(state, source, knobs, n, out, by)
                if weights.shape[0] > 0:
                    lay_over(out, n, layer, weights)
        for m in range(start, stop if ground.shape[0] > 0 else start):
            stand_on(state, source, who[m], ground, out, by)
        for m in range(start, stop, LANES):
            last = min(m + LANES, stop)
            turns, places = rows_of(out, who, m, last, tables)
            if halves & POSE:
                show_roots(state.playing, out, turns, places, tables)
                forward(out, source, turns, places, room)
            else:
                recall(out.global_positions, out.global_rotations, source.parents.shape[0], turns, places, room)
            if halves & FEET and source.legs.shape[0] > 0:
                place_feet(state, source, knobs, who, m, last, normals, out, by, tables, room)
                for k in range(source.legs.shape[0]):
                    bend_leg(source, k, out, turns, places, room)
        for m in range(start, stop if halves & FEET else start):
            report(state, source, who[m], out)
        start = claim(begun, TOGETHER)


@inner
def soon(source, frame):
    """Ask for what lies at a frame and the next: where a character is in a large database nobody can foresee."""
    fetch(address(source.rotations, frame), 2 * source.rotations.strides[0])
    fetch(address(source.places, frame), 2 * source.places.strides[0])
    fetch(address(source.roads, frame), 2 * source.roads.strides[0])
    fetch(address(source.toe_heights, frame), 2 * source.toe_heights.strides[0])
    fetch(address(source.contact_left, frame), source.contact_left.strides[0])
    fetch(address(source.clip_of, frame), 4)
    fetch(address(source.next_frames, frame), 4)


@inner
def report(state, source, n, out):
    playing = state.playing
    frame, fraction = playing.frames[n], playing.fractions[n]
    out.frames[n], out.fractions[n], out.databases[n] = frame, fraction, playing.databases[n]
    out.costs[n] = state.schedule.costs[n]
    shown = frame if fraction < 0.5 else source.next_frames[frame]
    for c in range(source.contacts.shape[1]):
        out.contacts[n, c] = source.contacts[shown, c]
    for c in range(source.legs.shape[0]):
        out.locked[n, c] = state.feet.locked[n, c]
