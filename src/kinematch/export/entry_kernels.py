"""Entries: what compiled libraries offer, as functions of numbers and addresses that return 0 or more, or an error."""

from typing import NamedTuple

import numpy as np

from kinematch.character.step.data import open_data, open_scratch
from kinematch.character.step.step import BEGIN, END, FEET, MOVE, SCHEDULE, are_finite, count_pieces, step
from kinematch.compile.handle import find_place, opening
from kinematch.compile.jit import part, routine
from kinematch.compile.memory import read_byte, read_size, write_size
from kinematch.control.body import WORLD_RADIUS
from kinematch.export import format as at
from kinematch.export import ground_kernels as g
from kinematch.export.load_kernels import find_axis, find_entry

U = np.uintp
LONGEST_STEP = 86400.0  # s


class Instance(NamedTuple):
    """Characters, as compiled functions are given them: the address of this record's handle."""

    data: np.ndarray  # (S,) int64, the handle of step.data.StepData
    scratch: np.ndarray  # (W,) int64, the handle of step.data.Scratch
    characters: np.ndarray  # (N,) int32
    begun: np.ndarray  # (1, 8) int64, see runner.make_counters
    single: np.ndarray  # (1,) int32, a character that was reset
    ground: g.GroundChoice


def make_instance(data: np.ndarray, scratch: np.ndarray, count: int, legs: int) -> Instance:
    return Instance(
        data, scratch, np.arange(count, dtype=np.int32), np.zeros((1, 8), np.int64), np.zeros(1, np.int32),
        g.make_ground(count, legs),
    )  # fmt: skip


EXAMPLE = make_instance(np.zeros(1, np.int64), np.zeros(1, np.int64), 0, 0)
open_instance = opening(EXAMPLE)
GROUND_AT = find_place(EXAMPLE, "ground")


@part
def is_loaded(own):
    return own != U(0) and read_size(own, at.OWN_MAGIC) == at.LOADED


def take_step(memory, dt):
    """One step of all characters: how many were reset, since their state was not finite."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    instance = open_instance(read_size(own, at.OWN_INSTANCE))
    if instance.ground.choices[g.KIND] == g.ASKED:
        return np.int64(at.NOT_BEGUN)
    return run(own, dt, BEGIN, END)


def begin(memory, dt):
    """The first half of a step on ground that is asked for: then ground.points are where."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    instance = open_instance(read_size(own, at.OWN_INSTANCE))
    if instance.ground.choices[g.KIND] != g.ASKED:
        return np.int64(at.NOT_BEGUN)
    done = run(own, dt, BEGIN, FEET)
    if done >= 0:
        instance.ground.choices[g.BEGUN], instance.ground.numbers[g.SECONDS] = 1, dt
    return done


def finish(memory):
    """The second half, after heights and normals of the ground at those points were written."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    instance = open_instance(read_size(own, at.OWN_INSTANCE))
    if instance.ground.choices[g.BEGUN] == 0:
        return np.int64(at.NOT_BEGUN)
    instance.ground.choices[g.BEGUN] = 0
    return run(own, instance.ground.numbers[g.SECONDS], FEET, END)


@routine
def run(own, dt, first, last):
    """The stages between two seams, with a halt at the ground where there is any."""
    if not 0.0 <= dt <= LONGEST_STEP:
        return np.int64(at.NO_CHARACTER)
    instance = open_instance(read_size(own, at.OWN_INSTANCE))
    data, ground = open_data(instance.data), instance.ground
    if not are_finite(data.orders):
        return np.int64(at.NOT_FINITE)
    halts = ground.choices[g.KIND] != g.LEVEL
    pieces = np.int64(count_pieces(dt, data.orders.longest_step[0])) if halts and first == BEGIN and last == END else 1
    enter, characters, repeats, lost, done = first, instance.characters, False, 0, 0
    while done < pieces:
        leave = FEET if halts and enter < FEET else last
        if leave == END and halts:
            if ground.choices[g.KIND] == g.GRID:
                look_up(instance)
            else:
                g.clean_ground(data)
        instance.begun[0, 0] = 0
        seconds = 0.0 if repeats else dt / pieces
        happened = step(data, open_scratch(instance.scratch), characters, instance.begun, seconds, enter, leave)
        if leave == FEET:
            g.find_points(data, ground, seconds)
            if last == FEET:
                break
            enter = FEET
            continue
        lost = find_lost(data, lost) if halts and (happened or repeats) else -1
        if lost >= 0:  # as seams.show_restarted: a step of no time for each that was reset
            instance.single[0] = lost
            characters, repeats, enter, lost = instance.single, True, MOVE, lost + 1
            continue
        characters, repeats, enter, lost, done = instance.characters, False, SCHEDULE, 0, done + 1
    reset = np.int64(0)
    for n in range(data.pose.restarted.shape[0]):
        reset += data.pose.restarted[n]
    if data.work.failures[0] > 0:
        data.work.failures[0] = 0
        return np.int64(at.NO_FRAME)
    return reset


@part
def look_up(instance):
    g.look_up(open_data(instance.data), instance.ground)


@part
def find_lost(data, first):
    """The next character that was reset, or -1."""
    for n in range(first, data.pose.restarted.shape[0]):
        if data.pose.restarted[n]:
            return n
    return -1


def ground(memory, kind, values, columns, rows, cell, x, z, repeats):
    """What characters stand on from the next step on: 0 for level ground, 1 for a grid of heights (columns along x,
    rows along z, m) which stays the program's, 2 for what is asked for in each step."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    place = U(read_size(own, at.OWN_INSTANCE))
    return g.choose_ground(
        open_instance(place), place, GROUND_AT, kind, values, columns, rows, cell, x, z, repeats
    )  # fmt: skip


def command(memory, n, velocity_x, velocity_y, velocity_z, facing_x, facing_y, facing_z, filter_, source):
    """What a character is to do from the next step on: a velocity in m/s, a direction to face, the numbers of a filter
    and a source."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    data = open_data(open_instance(read_size(own, at.OWN_INSTANCE)).data)
    if not (0 <= n < data.orders.velocities.shape[0] and 0 <= source < len(data.sources) and filter_ >= 0):
        return np.int64(at.NO_CHARACTER)
    total = velocity_x + velocity_y + velocity_z + facing_x + facing_y + facing_z
    if total * 0.0 != 0.0:
        return np.int64(at.NOT_FINITE)
    velocities, facings = data.orders.velocities, data.orders.facings
    velocities[n, 0], velocities[n, 1], velocities[n, 2] = velocity_x, velocity_y, velocity_z
    facings[n, 0], facings[n, 1], facings[n, 2] = facing_x, facing_y, facing_z
    data.orders.filters[n], data.orders.sources[n] = filter_, source
    return np.int64(0)


def act(memory, n, action, x, y, z, yaw, when):
    """Ask for an action from the next step on, by its number; a negative one asks for none. Its event is to meet a
    place and a heading, and a time in s from now; NaN leaves them open."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    orders = open_data(open_instance(read_size(own, at.OWN_INSTANCE)).data).orders
    if not 0 <= n < orders.actions.shape[0] or action >= at.MAX_BYTES:
        return np.int64(at.NO_CHARACTER)
    if max(abs(x), abs(y), abs(z), abs(yaw)) > WORLD_RADIUS or abs(when) > LONGEST_STEP:
        return np.int64(at.NOT_FINITE)
    orders.actions[n] = max(action, -1)
    orders.targets[n, 0], orders.targets[n, 1], orders.targets[n, 2], orders.targets[n, 3] = x, y, z, yaw
    orders.clears[n, 0] = orders.clears[n, 1] = np.nan
    orders.times[n] = when
    return np.int64(0)


def teleport(memory, n, x, y, z, yaw):
    """Move a character and its body, at rest; its clip goes on. As state.put_at_rest."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    data = open_data(open_instance(read_size(own, at.OWN_INSTANCE)).data)
    body, playing, feet = data.body, data.playing, data.feet
    if not 0 <= n < body.positions.shape[0]:
        return np.int64(at.NO_CHARACTER)
    if not max(abs(x), abs(y), abs(z), abs(yaw)) <= WORLD_RADIUS or (x + y + z + yaw) * 0.0 != 0.0:
        return np.int64(at.NOT_FINITE)
    playing.positions[n, 0], playing.positions[n, 1], playing.positions[n, 2] = x, y, z
    body.positions[n, 0], body.positions[n, 1], body.positions[n, 2] = x, y, z
    playing.yaws[n], body.yaws[n], body.yaw_rates[n] = yaw, yaw, 0.0
    for i in range(3):
        body.velocities[n, i], body.accelerations[n, i] = 0.0, 0.0
    for k in range(feet.locked.shape[1]):
        feet.locked[n, k], feet.rises[n, k] = False, 0.0
        for i in range(3):
            feet.offsets[n, k, i], feet.rates[n, k, i], feet.toes[n, k, i] = 0.0, 0.0, np.nan
    for k in range(feet.grounds.shape[1]):
        feet.grounds[n, k, 0], feet.grounds[n, k, 1] = y, 0.0
    for k in range(data.past.ages.shape[1]):
        data.past.ages[n, k] = np.inf
    for i in range(4):
        data.acting.goals[n, i] = np.nan
    return np.int64(0)


def find(memory, name, found):
    """Where an array is, by its name: its address, kind, rank and shape into nine words."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(at.NOT_LOADED)
    file, count = U(read_size(own, at.OWN_FILE)), read_size(own, at.OWN_COUNT)
    for index in range(read_size(file, at.ARRAY_COUNT)):
        entry = find_entry(file, index)
        if equals(file + U(read_size(entry, at.NAME_AT)), U(name)):
            out, rank = U(found), read_size(entry, at.ARRAY_RANK)
            write_size(out, at.FOUND_AT, read_size(own, at.OWN_HEAD + index))
            write_size(out, at.FOUND_KIND, read_size(entry, at.KIND))
            write_size(out, at.FOUND_RANK, rank)
            for axis in range(at.RANK):
                write_size(out, at.FOUND_SHAPE + axis, find_axis(entry, axis, count) if axis < rank else np.int64(1))
            return np.int64(0)
    return np.int64(at.NO_ARRAY)


@part
def equals(a, b):
    """Whether two texts that end with a zero are the same."""
    i = np.int64(0)
    while read_byte(a, i) == read_byte(b, i):
        if read_byte(a, i) == 0:
            return True
        i += 1
    return False


def count_characters(memory):
    own = U(memory)
    return read_size(own, at.OWN_COUNT) if is_loaded(own) else np.int64(at.NOT_LOADED)


def find_about(memory):
    """The address of the description, a text in JSON that ends with a zero."""
    own = U(memory)
    if not is_loaded(own):
        return np.int64(0)
    file = read_size(own, at.OWN_FILE)
    return file + read_size(U(file), at.ABOUT_AT)
