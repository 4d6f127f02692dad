"""The step: its stages in order, for a list of characters. Compiled, it is one call; uncompiled, plain Python.

Users' Python joins at the seams: the step is left at one and entered again at the next.
"""

import math

from kinematch.character.step.acting import follow_action, lead_body
from kinematch.character.step.adjust import adjust_root
from kinematch.character.step.ask import ask
from kinematch.character.step.bodies import move_body, remember_root
from kinematch.character.step.data import BLOCK, find_source, open_data, open_scratch
from kinematch.character.step.decode import decode
from kinematch.character.step.feet import plan_toes, plant_feet, stand_on_ground
from kinematch.character.step.output import clear, report
from kinematch.character.step.playback import advance
from kinematch.character.step.pose import find_global_pose, make_here, recall_global_pose, show_root
from kinematch.character.step.prefetch import prefetch_offsets, prefetch_playing, prefetch_pose, prefetch_query
from kinematch.character.step.project import project
from kinematch.character.step.request import take_request
from kinematch.character.step.reset import reset
from kinematch.character.step.runs import advance_runs
from kinematch.character.step.schedule import choose_searching
from kinematch.character.step.springs import make_springs
from kinematch.compile.indexing import lane_count, take
from kinematch.compile.jit import inner, kernel
from kinematch.compile.memory import claim
from kinematch.math.vectors import Vector, vector

# seams, before each of which the step may be entered or left
BEGIN = 0  # of a step, whose result is cleared
SCHEDULE = 1  # of a piece of it; every source has told its status
ASK = 2  # controllers' trajectories of those that search
PROJECT = 3  # users' features, matchers and sources
MOVE = 4  # controllers' bodies; poses that users' sources compute
SHOW = 5  # retargeting, layers
FEET = 6  # terrain
END = 7  # layers that finish after the feet

MOST_PIECES = 50  # of a long step; beyond a second they get longer
ROUNDING = 1e-9  # of the number of pieces


@inner
def step(data, scratch, characters, begun, dt, enter, leave):
    """Run the stages between two seams; a whole step in pieces, so that a slow application moves like a fast one.

    Whether anything happened: characters were reset, a filter admits no frame, or orders are not finite and nothing was
    done.
    """
    if enter == BEGIN and not are_finite(data.orders):
        return True
    happened = False
    pieces = count_pieces(dt, data.orders.longest_step[0]) if enter == BEGIN and leave == END else 1
    for piece in range(pieces):
        if enter == BEGIN and piece == 0:
            for n in range(data.pose.turns.shape[0]):
                clear(data.pose, n)
        if enter <= SCHEDULE < leave:
            choose_searching(data, scratch, dt / pieces)
        if piece > 0:
            begun[0, 0] = 0
        happened = step_blocks(data, scratch, characters, begun, dt / pieces, enter, leave) or happened
    return happened or data.work.failures[0] > 0


@inner
def are_finite(orders):
    total = Vector(0.0, 0.0, 0.0)
    for n in range(orders.velocities.shape[0]):
        total = total + vector(orders.velocities[n]) * 0.0 + vector(orders.facings[n]) * 0.0
    return total.x + total.y + total.z == 0.0


@inner
def count_pieces(dt, longest):
    return min(max(1, math.ceil(dt / longest - ROUNDING)), MOST_PIECES)


@inner
def step_blocks(data, scratch, characters, begun, dt, enter, leave):
    """Run the stages for one block of characters after the other; whether any character was reset.

    Each thread claims blocks of its own share first, since two threads would fetch neighbours in memory twice.
    Characters whose state is not finite are reset and run through the later stages again, with a dt of zero.
    """
    block, here = scratch.block, make_here(scratch.room, data.rig.parents.shape[0], data.rig.legs.shape[0])
    count = claim_block(scratch, characters, begun)
    first, by, again, happened = enter, make_springs(data.settings, dt), False, False
    while count > 0:
        if first <= ASK < leave:
            for m in range(count):
                if data.orders.actions[block[m]] >= 0 or data.acting.stretches[block[m]] >= 0:
                    take_request(data, block[m], scratch)
            for m in range(count):
                if data.work.searching[block[m]]:
                    prefetch_query(data, block[m])
            for m in range(count):
                if data.work.searching[block[m]]:
                    ask(data, find_source(data, block[m]), block[m], dt)
        if first <= PROJECT < leave:
            for m in range(count):
                if data.work.searching[block[m]]:
                    project(data, block[m], scratch)
        if first <= MOVE < leave:
            move(data, scratch, count, by)
        if first <= FEET < leave:
            for m in range(count):
                if data.work.heights.shape[0] > 0:
                    stand_on_ground(data, block[m], by)
                plan_toes(data, find_source(data, block[m]), block[m], by.dt)
        for m in range(0, count, lane_count()):
            n = take(block, m, count)
            if first <= SHOW < leave:
                show_root(data, n)
                find_global_pose(data, here, n)
            if first <= FEET < leave and data.rig.legs.shape[0] > 0:
                if first > SHOW:
                    recall_global_pose(data, here, n)
                plant_feet(data, here, n, by)
        lost = report_block(data, scratch, count, by.dt) if first <= FEET < leave else 0
        happened = happened or lost > 0
        repeat = lost > 0 and not again and enter <= MOVE
        if repeat or again:
            by = make_springs(data.settings, 0.0 if repeat else dt)
        first, again = MOVE if repeat else enter, repeat
        count = lost if repeat else claim_block(scratch, characters, begun)
    return happened


@inner
def claim_block(scratch, characters, begun):
    """Take the next characters of this thread's share into the block, or else of another's; say how many."""
    shares, all_ = begun.shape[0], characters.shape[0]
    for k in range(shares):
        own = (scratch.thread + k) % shares
        start = own * all_ // shares + claim(begun[own], BLOCK)
        count = min((own + 1) * all_ // shares - start, BLOCK)
        if count > 0:
            for m in range(count):
                scratch.block[m] = characters[start + m]
            return count
    return 0


@inner
def move(data, scratch, count, by):
    """Bodies, playback, roots and local poses."""
    block = scratch.block
    advance_runs(data, scratch, count, by.dt)
    for m in range(0, count, lane_count()):
        prefetch_playing(data, block, m + lane_count(), count)
        n = take(block, m, count)
        if not data.orders.given[0]:  # else they are where the controller's trajectory says
            move_body(data, n, by)
        for one in range(m, min(m + lane_count(), count)):
            source = find_source(data, block[one])
            if data.acting.stretches[block[one]] >= 0:
                follow_action(data, source, block[one], by.dt)
            else:
                advance(data, source, block[one], by.dt)
            prefetch_pose(data, source, block[one])
        adjust_root(data, n, by)
        for one in range(m, min(m + lane_count(), count)):
            if data.acting.stretches[block[one]] >= 0:
                lead_body(data, block[one], by.dt)
    for m in range(count):
        prefetch_offsets(data, block[min(m + 1, count - 1)])
        decode(data, find_source(data, block[m]), block[m], by, scratch)


@inner
def report_block(data, scratch, count, dt):
    """Fill in results; lost characters are reset, and become the block. How many these are."""
    block, lost = scratch.block, 0
    for m in range(count):
        n = block[m]
        source = find_source(data, n)
        remember_root(data, source, n, dt)
        if report(data, source, n):
            reset(data, n, scratch)
            block[lost] = n
            lost += 1
    return lost


@kernel(fastmath={"contract"}, counting=False)
def run_step(data, scratch, characters, begun, dt, enter, leave):
    return step(open_data(data), open_scratch(scratch), characters, begun, dt, enter, leave)
