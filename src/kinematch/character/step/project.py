"""Project: the moment that fits a character's query best, by exact search, and the jump to it."""

import math

import numpy as np

from kinematch.character.constants import NO_RETURN
from kinematch.character.reason import Reason
from kinematch.character.step.ask import is_near
from kinematch.character.step.data import find_number, open_source
from kinematch.character.step.playback import find_rate, read_playing
from kinematch.character.step.transition import ROW_AFTER, ROW_BEFORE, start_transition, take_sample
from kinematch.compile.jit import inner, replace_in_kernels, routine
from kinematch.compile.memory import address, read_address, read_byte
from kinematch.database.frame_kernels import find_clip
from kinematch.database.idle import IDLING, find_mode
from kinematch.database.run_path_kernels import (
    ask_projector,
    enter_run,
    find_entry,
    has_run_out,
    is_run,
    measure_cost,
    restore_entry,
)
from kinematch.database.table import EACH_ROW
from kinematch.search import layout_kernels as at
from kinematch.search.wide_kernels import search

END = int(Reason.END)
U = np.uintp


@inner
def project(data, n, scratch):
    """Search for a character, and go on from what was found where that is better than playing on."""
    number, target = find_number(data, data.playing.sources[n]), find_number(data, data.orders.sources[n])
    here, there = open_source(data.sources[number]), open_source(data.sources[target])
    computed = there.each == EACH_ROW or (here.each == EACH_ROW and not is_run(there))
    if computed or not there.search.exact or not is_near(data, n):
        return  # users' Python projects those; a query that is too far leaves its character playing on
    if there.search.ignores.shape[0] == 0:
        return  # no filter is known yet
    if target != number:
        convert_query(data, n, here, there)
    if is_run(there):
        project_run(data, n, here, there, target, target == number, scratch)
        return
    current = -1
    if target == number:
        current, _ = read_playing(data, here, n)
        if data.pose.reasons[n] == END:  # too little of the clip is left to stay
            current = here.stops[find_clip(here, current)] - 1
    frame = choose_frame(data, there, n, current, scratch)
    if frame != current:
        jump(data, n, here, there, target, frame, scratch)


@inner
def convert_query(data, n, here, there):
    """Queries are put into the units of the source they go to."""
    queries = data.schedule.queries
    for column in range(queries.shape[1]):
        value = queries[n, column] * here.feature_scale[column] + here.feature_offset[column]
        queries[n, column] = (value - there.feature_offset[column]) / there.feature_scale[column]


@inner
def choose_frame(data, source, n, current, scratch):
    """The frame that a character goes on from, `current` where it plays on; notes what the search found."""
    frame, cost, ignored = find_frame(data, source, n, current, data.settings.stay_bias, scratch)
    note_found(data, n, current, cost)
    if frame == current or is_return(data, source, n, current, frame, ignored):
        return current
    data.schedule.left[n] = current
    return frame


@inner
def find_frame(data, source, n, current, bias, scratch):
    """The best frame, or a model's entry, with its cost, and how many around the current one were ignored.

    The nearer past is searched too where nothing else may be taken: a short clip may have no other way on.
    """
    own = source.search
    filter_, mode = find_terms(data, own, n)
    ignored = own.ignores[filter_, mode]
    if stands_in_loop(source, filter_, mode, current):
        return current, data.schedule.costs[n], ignored
    frame, cost, ignore, searching = -1, math.inf, ignored, own.handles[filter_, mode] != 0
    while searching:
        frame, cost = find_best(data, own, n, current, filter_, mode, ignore, bias, scratch)
        searching = frame < 0 and ignore > 0
        ignore = own.ignores[filter_, 0] if ignore > own.ignores[filter_, 0] else 0
    if frame < 0 and not own.admits[filter_, mode]:
        data.work.failures[0] = filter_ + 1  # the filter admits no frame at all
    return (frame if frame >= 0 else current), cost, ignored


@inner
def stands_in_loop(source, filter_, mode, current):
    """Whether an idle character plays an idle loop, which goes on for as long as it stands."""
    if mode != IDLING or current < 0 or is_run(source):  # of a model, `current` is an entry
        return False
    if not source.loops[find_clip(source, current)]:
        return False
    return may_stay(source.search, filter_, mode, current)


@inner
def find_terms(data, own, n):
    """The number of a character's filter, and what it searches of what that admits."""
    schedule = data.schedule
    mode = find_mode(schedule.idle[n], schedule.commands[n, 0], schedule.commands[n, 2])
    return min(max(data.orders.filters[n], 0), own.ignores.shape[0] - 1), mode


def find_best(data, own, n, current, filter_, mode, ignored, bias, scratch):
    """The frame of least cost and that cost; a negative one where none may be taken."""
    return own.find(data.schedule.queries[n], current, filter_, mode, ignored, bias)


@replace_in_kernels(find_best)
def _find_best(data, own, n, current, filter_, mode, ignored, bias, scratch):
    handle, query = U(own.handles[filter_, mode]), address(data.schedule.queries, n)
    return search(query, np.int64(current), np.int64(ignored), bias, handle, scratch.memory)


def may_stay(own, filter_, mode, current):
    """Whether the filter lets the current frame play on."""
    return bool(own.stays(filter_, mode)[current])


@replace_in_kernels(may_stay)
def _may_stay(own, filter_, mode, current):
    handle = U(own.handles[filter_, mode])  # 0 where the source has no such tags
    return handle != U(0) and read_byte(read_address(handle, at.STAYS), np.int64(current)) != 0


@inner
def is_return(data, source, n, current, frame, ignored):
    """Whether a jump would go back to where the last one left, though what plays may play on.

    Else a clip and its mirror image, which `ignore` does not keep apart, may play one moment by turns for ever.
    """
    left = data.schedule.left[n]
    if current < 0 or left < 0 or abs(frame - left) > ignored or not data.offsets.ages[n] < NO_RETURN:
        return False
    filter_, mode = find_terms(data, source.search, n)
    return may_stay(source.search, filter_, mode, current)


@inner
def note_found(data, n, current, cost):
    data.schedule.frames[n], data.schedule.costs[n] = current, cost
    if data.offsets.ages[n] >= NO_RETURN:
        data.schedule.left[n] = -1


@routine
def project_run(data, n, here, there, target, stays, scratch):
    """The same for a model: the nearest entry of its codebook, or what its projector network says.

    A run competes with the features that it has reached, not with an entry's; where it has ended, or its clip does not
    pass the filter, whatever is found is taken.
    """
    filter_, mode = find_terms(data, there.search, n)
    current = find_entry(there, n) if stays else -1
    stays = stays and not has_run_out(there, n)
    stays = stays and (current < 0 or may_stay(there.search, filter_, mode, current))
    current = current if stays else -1
    reached = measure_cost(there, data.schedule.queries, n, there.runs.frames[2 * n])
    if there.runs.projector.sizes.shape[0] > 0:
        entry, cost = -1, ask_projector(there, data.schedule.queries, n, scratch)
        better = not stays or cost < reached - data.settings.stay_bias
    else:
        entry, cost, ignored = find_frame(data, there, n, current, 0.0, scratch)
        better = entry != current and (not stays or cost < reached - data.settings.stay_bias)
        better = better and not is_return(data, there, n, current, entry, ignored)
    note_found(data, n, -1, cost if better else reached)
    if better:
        if entry >= 0:
            restore_entry(there.runs, entry, scratch.inputs[0])
        data.schedule.left[n] = current
        t = sample_pose(data, n, here, scratch)
        enter_run(there, n, scratch, entry)
        go_on(data, n, there, 2 * n, t, target, scratch)


@inner
def jump(data, n, here, there, target, frame, scratch):
    """Go on from a frame of source `target`; the fraction of a frame is kept."""
    t = sample_pose(data, n, here, scratch)
    go_on(data, n, there, min(max(frame, 0), there.frame_count - 1), t, target, scratch)


@inner
def sample_pose(data, n, here, scratch):
    """What plays before a jump, into the sample; returns the fraction of its frame."""
    before, t = read_playing(data, here, n)
    take_sample(here, before, t, find_rate(data, here, n, before), scratch, ROW_BEFORE)
    return t


@routine
def go_on(data, n, there, after, t, target, scratch):
    settings = data.settings
    take_sample(there, after, t, find_rate(data, there, n, after), scratch, ROW_AFTER)
    start_transition(data, n, scratch.sample, settings.transition, settings.transition_halflife)
    data.pose.jumped[n] = True
    data.playing.frames[n], data.playing.sources[n] = after, target
