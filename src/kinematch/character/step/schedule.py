"""Schedule: which characters search in a step, and why."""

import math

from kinematch.character import constants as c
from kinematch.character.reason import Reason
from kinematch.character.step.acting import find_stretch
from kinematch.character.step.data import find_source
from kinematch.character.step.playback import find_rate, read_playing
from kinematch.compile.jit import inner
from kinematch.compile.lanes import floor
from kinematch.database.frame_kernels import find_clip, is_committed
from kinematch.database.run_path_kernels import has_run_out, is_run
from kinematch.math.selection import find_nth_largest
from kinematch.math.series import find_yaw, wrap_angle

NO_SEARCH, INTERVAL, VELOCITY, FACING, END, TAGS, SOURCE, FIRST = (int(reason) for reason in Reason)
SPARE = 1.25  # times the average number of searches that a step may hold; the rest wait their turn
MIN_SEARCHES = 32  # searches that a step may always hold
END_SLACK = 1e-6  # frames: sums of steps are not exact
URGENT = 1e6  # s of waiting that the end of a clip counts as


@inner
def choose_searching(data, scratch, dt):
    """Mark the characters that search now in `work.searching`, and why in `pose.reasons`."""
    pose, work, count = data.pose, data.work, 0
    for n in range(pose.reasons.shape[0]):
        reason = find_reason(data, n, dt)
        work.searching[n] = reason != NO_SEARCH
        if reason != NO_SEARCH:
            pose.reasons[n] = reason
            count += 1
    share = SPARE * pose.reasons.shape[0] * dt / data.settings.search_interval
    most = max(MIN_SEARCHES, math.ceil(share))
    if count > most:
        delay_searches(data, scratch.urgencies, count, most)


@inner
def find_reason(data, n, dt):
    """Why a character has to search now, NO_SEARCH where it need not: the first condition that holds."""
    schedule, orders, settings = data.schedule, data.orders, data.settings
    source = find_source(data, n)
    frame, _ = read_playing(data, source, n)
    if data.acting.stretches[n] >= 0:
        schedule.idle[n] = False
        return NO_SEARCH if find_stretch(data, source, n, frame) >= 0 else END
    clip, committed = find_clip(source, frame), is_committed(source, frame)
    since = schedule.since[n]
    if committed:
        schedule.idle[n] = False  # a committed clip is never idle, whatever the command
    if orders.sources[n] != data.playing.sources[n]:
        return SOURCE
    if has_run_out(source, n) if is_run(source) else ends_within(data, source, n, clip, dt):
        return END
    if committed:
        return NO_SEARCH
    if not since < settings.search_interval - c.INTERVAL_SLACK:  # NaN, which users may have written, is due
        return INTERVAL
    if math.isnan(schedule.commands[n, 0]):
        return FIRST
    if since >= settings.forced_interval:
        change, turn = measure_change(schedule.commands, orders, n)
        if change > settings.velocity_change:
            return VELOCITY
        if turn > settings.facing_change:
            return FACING
        if orders.filters[n] != schedule.filters[n]:
            return TAGS
    return NO_SEARCH


@inner
def ends_within(data, source, n, clip, dt):
    """Whether too little of a clip is left for the whole step: playing on, the character would halt for the rest."""
    if source.loops[clip]:
        return False
    frame, fraction = read_playing(data, source, n)
    last = source.stops[clip] - 1
    reached = frame + fraction + dt * find_rate(data, source, n, frame) * source.frame_rate
    return frame == last or (source.each == 0 and reached > last + END_SLACK)


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


@inner
def delay_searches(data, urgencies, count, most):
    """Allow at most `most` searches in this step: ends of clips and changes of filter or source first, then characters
    that have waited longest; the rest are postponed."""
    pose, searching, m = data.pose, data.work.searching, 0
    for n in range(pose.reasons.shape[0]):
        if searching[n] and m < count:
            urgencies[m] = measure_urgency(data, n)
            m += 1
    least = find_nth_largest(urgencies, m, most)
    left = most
    for n in range(pose.reasons.shape[0]):
        if searching[n] and measure_urgency(data, n) > least:
            left -= 1
    for n in range(pose.reasons.shape[0]):
        if searching[n] and not measure_urgency(data, n) > least:
            if left > 0 and measure_urgency(data, n) == least:
                left -= 1
            else:
                searching[n] = False
                pose.reasons[n] = pose.reasons[n] if pose.searched[n] else NO_SEARCH  # of an earlier piece of the step


@inner
def measure_urgency(data, n):
    reason, since = data.pose.reasons[n], data.schedule.since[n]
    wait = URGENT if math.isnan(since) else since
    return wait + (URGENT if reason in (END, TAGS, SOURCE) else 0.0)


@inner
def note_search(data, n, dt):
    """Note when a character searched and what it was told.

    Time beyond the interval is carried over, so that the search rate does not depend on the step rate. A character that
    waited longer than a step restarts its interval, and one that never searched keeps its phase: crowds must not
    search all at once.
    """
    schedule, orders, interval = data.schedule, data.orders, data.settings.search_interval
    commands, since = schedule.commands, schedule.since[n]
    over = since - interval
    if math.isnan(commands[n, 0]):
        schedule.since[n] = since - floor(since / interval) * interval
    else:
        schedule.since[n] = over if 0 <= over < dt else 0.0
    for i in range(3):
        commands[n, i] = orders.velocities[n, i]
    if has_facing(orders, n):
        commands[n, 3] = find_yaw(orders.facings[n, 0], orders.facings[n, 2])
    elif math.isnan(commands[n, 3]):
        commands[n, 3] = data.body.yaws[n]
    schedule.filters[n] = orders.filters[n]
