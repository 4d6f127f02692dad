"""Poses in kernels: animated local poses with their transitions, and forward kinematics of eight characters at once."""

import numpy as np

from kinematch.character.constants import FORGOTTEN
from kinematch.character.kernels import lane_rotations as lanes8
from kinematch.character.kernels.frames import find_next_frame
from kinematch.character.kernels.rotations import nlerp
from kinematch.character.kernels.scratch import (
    DOUBLES,
    JOINT_ROTATIONS,
    JOINT_VECTORS,
    SIX_DOUBLES,
    THREE_DOUBLES,
    keep_joint,
    read_position,
    read_rotation,
)
from kinematch.character.kernels.springs import spring
from kinematch.character.kernels.transitions import fade_dead_rotations, fade_places, show_place, show_rotation
from kinematch.character.kernels.unpacking import (
    Pair,
    copy_places,
    find_pair,
    find_room,
    find_spot,
    share_segment,
)
from kinematch.character.settings import DEAD, SPRING
from kinematch.compile.jit import inner
from kinematch.compile.lanes import LANES, read, splat, write
from kinematch.compile.memory import address, read_float
from kinematch.compile.rows import (
    read_fours,
    read_next_fours,
    read_threes,
    write_fours,
    write_next_fours,
    write_threes,
)
from kinematch.database.packing import kernels as packed
from kinematch.math.kernels import multiply, rotate

U = np.uintp


@inner
def read_quaternion(row, j):
    """The j-th rotation from an address on."""
    return (
        np.float64(read_float(row, 4 * j)), np.float64(read_float(row, 4 * j + 1)),
        np.float64(read_float(row, 4 * j + 2)), np.float64(read_float(row, 4 * j + 3)),
    )  # fmt: skip


@inner
def read_between(row, row_after, t, j):
    """The j-th triple between two frames, whose first is at an address."""
    r = 1 - t
    return (
        read_float(row, 3 * j) * r + read_float(row_after, 3 * j) * t,
        read_float(row, 3 * j + 1) * r + read_float(row_after, 3 * j + 1) * t,
        read_float(row, 3 * j + 2) * r + read_float(row_after, 3 * j + 2) * t,
    )


@inner
def store(array, n, j, values):
    for i in range(len(values)):
        array[n, j, i] = values[i]


@inner
def decode(scene, n, by, scratch):
    """The local pose of character n, its offsets faded for the step; the root's is still to come.

    `scratch`: the address of room to unpack in."""
    table, offsets, knobs, work = scene.table, scene.state.offsets, scene.knobs, scene.work
    playing, kind, halflife = scene.state.playing, knobs.transition, knobs.transition_halflife
    frame, t = playing.frames[n], playing.fractions[n]
    after = find_next_frame(table, frame)
    age = offsets.ages[n]  # after this step
    recent = age - by.dt < FORGOTTEN * halflife  # what is forgotten stays as it is: denormal numbers are slow
    if recent:
        fade_places(offsets.positions, n, kind, halflife, by.offset)
        if kind == DEAD:
            fade_dead_rotations(offsets.rotations, n, halflife, by.offset)
    done = False
    if kind == SPRING and share_segment(table, frame, after):
        room = find_room(table, scratch)
        done = decode_packed(table, frame, after, room, t, offsets.rotations, n, work.rotations, by.offset, recent)
        pair = Pair(room.rotations, room.rotations, room.places, room.places)
    else:
        pair = find_pair(table, frame, after, scratch)
    if done:
        pass
    elif kind == SPRING:
        decode_sprung(table, pair, t, offsets.rotations, n, work.rotations, by.offset, recent)
    else:
        for j in range(table.rotations.shape[1]):
            animated = nlerp(read_quaternion(pair.rotations, j), read_quaternion(pair.rotations_after, j), t)
            store(work.rotations, n, j, show_rotation(offsets.rotations, n, j, kind, age, halflife, animated))
    for k in range(table.moving.shape[0]):
        animated_place = read_between(pair.places, pair.places_after, t, k)
        place, _ = show_place(offsets.positions, n, k, kind, age, halflife, animated_place, (0.0, 0.0, 0.0))
        store(work.positions, n, table.moving[k], place)


@inner
def decode_sprung(table, pair, t, memory, n, out, by, recent):
    """All joints between two frames, offset by springs that move on."""
    here, there, own = pair.rotations, pair.rotations_after, address(out, n)
    whole = table.rotations.shape[1] // LANES * LANES
    for j in range(0, whole, LANES):
        place = U(16 * j)
        animated = lanes8.nlerp(read_next_fours(here + place), read_next_fours(there + place), t)
        write_next_fours(own + place, multiply(fade_offsets(memory, n, j, by, recent), animated))
    if whole < table.rotations.shape[1]:  # there are fewer than eight more
        joints = address(table.joint_bytes, 0) + U(8 * whole)
        animated = lanes8.nlerp(read_fours(joints, here), read_fours(joints, there), t)
        write_fours(joints, own, multiply(fade_offsets(memory, n, whole, by, recent), animated))


@inner
def decode_packed(table, frame, after, room, t, memory, n, out, by, recent):
    """As `decode_sprung`, for two frames of one segment, which are unpacked on the way; whether it is done.

    Joints of mirror images come in another order: they go to the room's first row, and `decode_sprung` does the rest.
    """
    pack, joints, own = table.pack, table.rotations.shape[1], address(out, n)
    segment, index, length, _, mirrored = find_spot(table, frame)
    data, weights, other = packed.find_data(pack, segment), address(pack.weights, 0), index + (after - frame)
    for j in range(0, pack.channels, LANES):
        here, there, centre = packed.unpack_group(data, weights, j // LANES, length, index, other)
        if j < joints:
            animated = packed.normalize(multiply(centre, lanes8.lerp(here, there, t)))
            if mirrored:
                image = packed.mirror(address(pack.turns, 0), j, animated)
                write_fours(address(pack.channel_bytes, 1) + U(8 * j), room.rotations, image)
            else:
                shown = multiply(fade_offsets(memory, n, j, by, recent), animated)
                if j + LANES <= joints:
                    write_next_fours(own + U(16 * j), shown)
                else:
                    write_fours(address(table.joint_bytes, 0) + U(8 * j), own, shown)
        if j + LANES > joints:  # places are beyond their centres
            write_next_fours(room.rotations_after + U(16 * j), mix(here, there, np.float32(t)))
    store(out, n, 0, (1.0, 0.0, 0.0, 0.0))  # where lanes past the last joint were written to
    copy_places(table, segment, mirrored, room.rotations_after, room.places)
    return not mirrored


@inner
def mix(a, b, t):
    """Between numbers that are no rotations."""
    return a[0], a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t, a[3] + (b[3] - a[3]) * t


@inner
def fade_offsets(memory, n, j, by, recent):
    """Offsets of eight joints' rotations from the j-th on, moved on."""
    x, y, z = (
        fade_row(memory, n, 0, j, by, recent), fade_row(memory, n, 1, j, by, recent),
        fade_row(memory, n, 2, j, by, recent),
    )  # fmt: skip
    return lanes8.from_rotation_vector(x, y, z)


@inner
def fade_row(memory, n, i, j, by, recent):
    """One number of eight joints' offsets."""
    place = address(memory, n) + U(4 * (i * memory.shape[2] + j))
    speed = place + U(12 * memory.shape[2])
    x, v = read(place, 0), read(speed, 0)
    if recent:
        x, v = spring(x, v, by)
        write(place, 0, x)
        write(speed, 0, v)
    return x


@inner
def locate_lanes(out, characters, start, stop, tables):
    """Fill in the tables of eight characters; where there are fewer, the last is done again."""
    for lane in range(LANES):
        n = np.int64(characters[min(start + lane, stop - 1)])
        tables[JOINT_ROTATIONS + lane] = n * out.rotations.strides[0]
        tables[JOINT_VECTORS + lane] = n * out.positions.strides[0]
        tables[DOUBLES + lane], tables[THREE_DOUBLES + lane], tables[SIX_DOUBLES + lane] = 8 * n, 24 * n, 48 * n


@inner
def find_global_poses(rig, out, tables, room):
    """Global from local, for eight characters; kept in the room too."""
    rotations, vectors = address(tables, JOINT_ROTATIONS), address(tables, JOINT_VECTORS)
    rotation = read_fours(rotations, address(out.rotations, 0))
    position = read_threes(vectors, address(out.positions, 0))
    show_joint(out, 0, position, rotation, tables, room)
    for j in range(1, rig.parents.shape[0]):
        find_global_joint(rig, out, j, tables, room)


@inner
def find_global_joint(rig, out, j, tables, room):
    """One joint, whose parent is done."""
    place = splat(rig.rest[j, 0]), splat(rig.rest[j, 1]), splat(rig.rest[j, 2])
    for k in range(rig.moving.shape[0]):
        if rig.moving[k] == j:
            place = read_threes(address(tables, JOINT_VECTORS), address(out.positions, 0) + U(12 * j))
    above, rotation = read_position(room, rig.parents[j]), read_rotation(room, rig.parents[j])
    x, y, z = rotate(rotation, place)
    local = read_fours(address(tables, JOINT_ROTATIONS), address(out.rotations, 0) + U(16 * j))
    show_joint(out, j, (x + above[0], y + above[1], z + above[2]), multiply(rotation, local), tables, room)


@inner
def show_joint(out, j, position, rotation, tables, room):
    write_fours(address(tables, JOINT_ROTATIONS), address(out.global_rotations, 0) + U(16 * j), rotation)
    write_threes(address(tables, JOINT_VECTORS), address(out.global_positions, 0) + U(12 * j), position)
    keep_joint(room, j, position, rotation)


@inner
def recall_global_poses(out, joints, tables, room):
    """Put global poses back into the room, as `find_global_poses` left them there."""
    for j in range(joints):
        position = read_threes(address(tables, JOINT_VECTORS), address(out.global_positions, 0) + U(12 * j))
        rotation = read_fours(address(tables, JOINT_ROTATIONS), address(out.global_rotations, 0) + U(16 * j))
        keep_joint(room, j, position, rotation)
