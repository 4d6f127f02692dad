"""Poses of a packed table in kernels: unpacked into scratch, so that other kernels read them as they read arrays."""

from typing import Any, NamedTuple

import numpy as np

from kinematch.character.kernels import lane_rotations as lanes8
from kinematch.character.kernels.frames import (
    find_clip,
    find_frame_before,
    find_next_frame,
    find_share,
    is_packed,
)
from kinematch.character.state import round_up
from kinematch.compile.jit import inner
from kinematch.compile.lanes import LANES
from kinematch.compile.memory import address, fetch, read_float, write_float
from kinematch.compile.rows import read_next_fours, write_threes
from kinematch.database.packing import kernels as packed
from kinematch.database.packing.layout import HEAD, LENGTH
from kinematch.math.kernels import inverse, multiply

U = np.uintp


class Pair(NamedTuple):
    """Addresses of what is known of two frames, joint after joint."""

    rotations: int
    rotations_after: int
    places: int
    places_after: int


class Moving(NamedTuple):
    """The same with velocities; those of joints that do not move in their parent's space are not set."""

    pair: Pair
    velocities: int
    velocities_after: int
    spins: int
    spins_after: int


def measure_scratch(joints: int, channels: int, moving: int) -> int:
    """Bytes that unpacking two frames with their velocities takes."""
    if not channels:
        return 0
    return 4 * 16 * channels + 4 * 12 * moving + 4 * 12 * round_up(joints)


@inner
def find_pair(table, frame, after, scratch):
    """Rotations and places of two frames; `scratch` is the address of as many bytes as `measure_scratch` says."""
    if not is_packed(table):
        return Pair(
            address(table.rotations, frame), address(table.rotations, after), address(table.places, frame),
            address(table.places, after),
        )  # fmt: skip
    pair = find_room(table, scratch)
    unpack_two(table, frame, after, pair.rotations, pair.rotations_after, pair.places)
    return pair


@inner
def find_room(table, scratch):
    """Where two frames are unpacked to."""
    row = U(16 * table.pack.channels)
    places = scratch + row + row
    return Pair(scratch, scratch + row, places, places + U(12 * table.moving.shape[0]))


@inner
def share_segment(table, frame, after):
    """Whether two frames are neighbours in one packed segment."""
    if not is_packed(table):
        return False
    spot = find_spot(table, frame)
    return 0 <= after - frame < spot.length - spot.index and after - frame <= 1 and not table.pack.raw[spot.segment]


@inner
def unpack_two(table, frame, after, here, there, places):
    """Two frames of a clip, at once where they are neighbours in one segment."""
    pack = table.pack
    spot, other = find_spot(table, frame), find_spot(table, after)
    together = spot.segment == other.segment and 0 <= after - frame <= 1
    for part in range(1 if together else 2):
        if part == 0:
            index = other.index if together else spot.index
            packed.unpack_frames(pack, spot.segment, spot.length, spot.index, index, spot.mirrored, here,
                                 there if together else here)  # fmt: skip
        else:
            packed.unpack_frames(pack, other.segment, other.length, other.index, other.index, spot.mirrored, there,
                                 there)  # fmt: skip
    for part in range(2):  # a loop, since kernels that copy places twice would take longer to compile
        own = spot.segment if part == 0 else other.segment
        row, out = (here, places) if part == 0 else (there, places + U(12 * table.moving.shape[0]))
        copy_places(table, own, spot.mirrored, row, out)


class Spot(NamedTuple):
    """Where a frame is packed."""

    segment: Any  # whole numbers
    index: Any  # from the segment's first frame
    length: Any  # frames of the segment
    root: Any  # row of its root
    mirrored: Any  # whether


@inner
def find_spot(table, frame):
    pack, clip = table.pack, U(find_clip(table, frame))
    own = np.int64(frame - table.starts[clip])
    index, left = own % LENGTH, np.int64(table.stops[clip] - frame)
    return Spot(
        np.int64(pack.clip_segments[clip] + own // LENGTH), index, min(left + index, LENGTH),
        np.int64(pack.clip_roots[clip] + own), pack.sides[clip] < 0,
    )  # fmt: skip


@inner
def copy_places(table, segment, mirrored, row, places):
    """Places of the joints that are remembered, from their channels behind those of the rotations."""
    pack, first = table.pack, row + U(16 * table.rotations.shape[1])
    for k in range(table.moving.shape[0]):
        slot = pack.slots[k]
        x, y, z = pack.rests[k, 0], pack.rests[k, 1], pack.rests[k, 2]
        if slot >= 0:
            x, y, z = read_place(pack, segment, first, pack.partners[slot] if mirrored else slot)
            if mirrored:
                x, y, z = map_place(pack.place_maps, slot, x, y, z)
        write_float(places, 3 * k, x)
        write_float(places, 3 * k + 1, y)
        write_float(places, 3 * k + 2, z)


@inner
def read_place(pack, segment, first, slot):
    """From the channels of places, the first of which is at an address."""
    return (
        read_float(first, 4 * slot + 1) + pack.centres[segment, slot, 0],
        read_float(first, 4 * slot + 2) + pack.centres[segment, slot, 1],
        read_float(first, 4 * slot + 3) + pack.centres[segment, slot, 2],
    )


@inner
def map_place(maps, slot, x, y, z):
    """The mirror image of a place."""
    return (
        maps[slot, 0, 0] * x + maps[slot, 0, 1] * y + maps[slot, 0, 2] * z + maps[slot, 0, 3],
        maps[slot, 1, 0] * x + maps[slot, 1, 1] * y + maps[slot, 1, 2] * z + maps[slot, 1, 3],
        maps[slot, 2, 0] * x + maps[slot, 2, 1] * y + maps[slot, 2, 2] * z + maps[slot, 2, 3],
    )


@inner
def find_moving_pair(table, frame, after, scratch):
    """Two frames with their velocities."""
    if not is_packed(table):
        return Moving(
            find_pair(table, frame, after, scratch),
            address(table.velocities, frame), address(table.velocities, after),
            address(table.angular_velocities, frame), address(table.angular_velocities, after),
        )  # fmt: skip
    row, moved = U(16 * table.pack.channels), U(12 * table.moving.shape[0])
    first = scratch
    places = first + row + row + row + row
    vectors = places + moved + moved + moved + moved
    size = U(12 * table.joint_bytes.shape[1])
    for part in range(2):  # frames before and here, then after and beyond
        if part == 0:
            unpack_two(table, find_frame_before(table, frame), frame, first, first + row, places)
        else:
            unpack_two(table, after, find_next_frame(table, after), first + row + row,
                       first + row + row + row, places + moved + moved)  # fmt: skip
    here = Pair(first + row, first + row + row, places + moved, places + moved + moved)
    share, next_share = find_share(table, frame), find_share(table, after)
    stays = after == frame
    measure_spins(table, first, row, np.float32(share), np.float32(next_share), stays, vectors + size + size, size)
    measure_velocities(table, places, moved, share, next_share, stays, vectors, size)
    return Moving(here, vectors, vectors + size, vectors + size + size, vectors + size + size + size)


@inner
def measure_spins(table, first, row, share, next_share, stays, spins, size):
    """Angular velocities of two frames from four; the two half steps are added, so fast turns do not wrap."""
    for j in range(0, table.joint_bytes.shape[1], LANES):
        own = first + U(16 * j)
        before, here = read_next_fours(own), read_next_fours(own + row)
        after, beyond = read_next_fours(own + row + row), read_next_fours(own + row + row + row)
        a = lanes8.to_rotation_vector(multiply(here, inverse(before)))
        b = lanes8.to_rotation_vector(multiply(after, inverse(here)))
        c = a if stays else lanes8.to_rotation_vector(multiply(beyond, inverse(after)))
        joints = address(table.joint_bytes, 1) + U(8 * j)
        write_threes(joints, spins, ((a[0] + b[0]) * share, (a[1] + b[1]) * share, (a[2] + b[2]) * share))
        write_threes(joints, spins + size,
                     ((b[0] + c[0]) * next_share, (b[1] + c[1]) * next_share, (b[2] + c[2]) * next_share))  # fmt: skip


@inner
def measure_velocities(table, places, moved, share, next_share, stays, velocities, size):
    for k in range(table.moving.shape[0]):
        for i in range(3):
            before, here = read_float(places, 3 * k + i), read_float(places + moved, 3 * k + i)
            after = read_float(places + moved + moved, 3 * k + i)
            beyond = read_float(places + moved + moved + moved, 3 * k + i)
            number = 3 * table.moving[k] + i
            velocity = (np.float64(after) - before) * share
            write_float(velocities, number, np.float32(velocity))
            beyond_velocity = velocity if stays else (np.float64(beyond) - here) * next_share
            write_float(velocities + size, number, np.float32(beyond_velocity))


@inner
def prefetch_pack(table, frame):
    """Prefetch what tells where the knots of a frame are, the heads of its segment, and what is stored by frame."""
    pack, spot = table.pack, find_spot(table, frame)
    fetch(packed.find_data(pack, spot.segment), HEAD * (pack.channels // LANES))
    fetch(address(pack.roots, spot.root), 1)
    fetch(address(pack.toe_heights, frame), 1)


@inner
def prefetch_knots(table, frame):
    """Prefetch the knots of a frame whose segment's heads were prefetched."""
    if not is_packed(table):
        return
    pack, spot = table.pack, find_spot(table, min(max(frame, 0), table.frame_count - 1))
    if not pack.raw[spot.segment]:
        packed.prefetch_knots(packed.find_data(pack, spot.segment), pack.channels, spot.length, spot.index)
