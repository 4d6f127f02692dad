"""Two frames of a table, or four for their velocities; those of a packed database go into scratch."""

from typing import Any, NamedTuple

import numpy as np

from kinematch.compile.indexing import consecutive, lane_count
from kinematch.compile.jit import inner
from kinematch.compile.memory import address, fetch, read_float
from kinematch.database.frame_kernels import (
    find_clip,
    find_frame_before,
    find_next_frame,
    find_share,
    is_packed,
)
from kinematch.database.packing import kernels as packed
from kinematch.database.packing.layout import HEAD, LANES, LENGTH
from kinematch.math.series import to_rotation_vector
from kinematch.math.vectors import inverse, quaternion, vector

U = np.uintp


class Pair(NamedTuple):
    """Rows of two frames, joint after joint."""

    rotations: Any  # (J, 4)
    rotations_after: Any
    places: Any  # (M, 3) of the joints that move in their parent's space
    places_after: Any


class Rates(NamedTuple):
    """Rows of two frames' velocities; those of joints that do not move in their parent's space may be anything."""

    velocities: Any  # (J, 3) m/s
    velocities_after: Any
    spins: Any  # (J, 3) rad/s
    spins_after: Any


@inner
def find_pair(source, frame, after, scratch):
    if is_packed(source):
        unpack_two(source, frame, after, scratch, 1)
        return Pair(scratch.rotations[1], scratch.rotations[2], scratch.places[1], scratch.places[2])
    return Pair(source.rotations[frame], source.rotations[after], source.places[frame], source.places[after])


@inner
def find_rates(source, frame, after, scratch):
    """The velocities of two frames whose poses `find_pair` has found."""
    if not is_packed(source):
        return Rates(
            source.velocities[frame], source.velocities[after], source.angular_velocities[frame],
            source.angular_velocities[after],
        )  # fmt: skip
    unpack_one(source, find_frame_before(source, frame), scratch, 0)
    unpack_one(source, find_next_frame(source, after), scratch, 3)
    share, next_share, stays = find_share(source, frame), find_share(source, after), after == frame
    measure_spins(source, scratch, share, next_share, stays)
    measure_velocities(source, scratch, share, next_share, stays)
    return Rates(scratch.velocities[0], scratch.velocities[1], scratch.spins[0], scratch.spins[1])


@inner
def measure_spins(source, scratch, share, next_share, stays):
    """Angular velocities of two frames from four; the two half steps are added, so fast turns do not wrap."""
    frames, joints = scratch.rotations, source.rotations.shape[1]
    for j in range(0, joints, lane_count()):
        js = consecutive(j, joints)
        here, after = quaternion(frames[1][js]), quaternion(frames[2][js])
        a = to_rotation_vector(here * inverse(quaternion(frames[0][js])))
        b = to_rotation_vector(after * inverse(here))
        c = a if stays else to_rotation_vector(quaternion(frames[3][js]) * inverse(after))
        scratch.spins[0][js] = (a + b) * share
        scratch.spins[1][js] = (b + c) * next_share


@inner
def measure_velocities(source, scratch, share, next_share, stays):
    places = scratch.places
    for k in range(source.moving.shape[0]):
        j = source.moving[k]
        velocity = (vector(places[2][k]) - vector(places[0][k])) * share
        scratch.velocities[0][j] = velocity
        scratch.velocities[1][j] = velocity if stays else (vector(places[3][k]) - vector(places[1][k])) * next_share


class Spot(NamedTuple):
    """Where a frame is packed."""

    segment: Any  # whole numbers
    index: Any  # from the segment's first frame
    length: Any  # frames of the segment
    root: Any  # row of its root
    mirrored: Any  # whether


@inner
def find_spot(source, frame):
    pack, clip = source.pack, U(find_clip(source, frame))
    own = np.int64(frame - source.starts[clip])
    index, left = own % LENGTH, np.int64(source.stops[clip] - frame)
    return Spot(
        np.int64(pack.clip_segments[clip] + own // LENGTH), index, min(left + index, LENGTH),
        np.int64(pack.clip_roots[clip] + own), pack.sides[clip] < 0,
    )  # fmt: skip


@inner
def unpack_two(source, frame, after, scratch, row):
    """Two frames of a clip into two rows of scratch, at once where they are neighbours in one segment."""
    spot, ahead = find_spot(source, frame), np.int64(after - frame)
    here, there = address(scratch.rotations, row), address(scratch.rotations, row + 1)
    if 0 <= ahead <= 1 and spot.index + ahead < spot.length:
        packed.unpack_frames(
            source.pack, spot.segment, spot.length, spot.index, spot.index + ahead, spot.mirrored, here, there
        )
        copy_places(source, spot, here, scratch.places[row])
        copy_places(source, spot, there, scratch.places[row + 1])
    else:
        for part in range(2):
            unpack_one(source, frame if part == 0 else after, scratch, row + part)


@inner
def unpack_one(source, frame, scratch, row):
    """One frame into a row of scratch."""
    spot, out = find_spot(source, frame), address(scratch.rotations, row)
    packed.unpack_frames(source.pack, spot.segment, spot.length, spot.index, spot.index, spot.mirrored, out, out)
    copy_places(source, spot, out, scratch.places[row])


@inner
def copy_places(source, spot, row, places):
    """Places of the joints that are remembered, from their channels behind those of the rotations."""
    pack, first = source.pack, row + U(16 * source.rotations.shape[1])
    for k in range(source.moving.shape[0]):
        slot = pack.slots[k]
        x, y, z = pack.rests[k, 0], pack.rests[k, 1], pack.rests[k, 2]
        if slot >= 0:
            x, y, z = read_place(pack, spot.segment, first, pack.partners[slot] if spot.mirrored else slot)
            if spot.mirrored:
                x, y, z = map_place(pack.place_maps, slot, x, y, z)
        places[k, 0], places[k, 1], places[k, 2] = x, y, z


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
def prefetch_pack(source, frame):
    """Prefetch what tells where the knots of a frame are, the heads of its segment, and what is stored by frame."""
    pack, spot = source.pack, find_spot(source, frame)
    fetch(packed.find_data(pack, spot.segment), HEAD * (pack.channels // LANES))
    fetch(address(pack.roots, spot.root), 1)
    fetch(address(pack.root_steps, spot.segment), 1)
    fetch(address(pack.root_bases, spot.segment), 1)
    fetch(address(pack.toe_heights, frame), 1)
    fetch(address(pack.contact_left, frame), 1)
    fetch(address(pack.flags, frame), 1)
    fetch(address(pack.paces, frame), 1)


@inner
def prefetch_knots(source, frame):
    """Prefetch the knots of a frame and the next, once `prefetch_pack` has run."""
    pack, spot = source.pack, find_spot(source, frame)
    packed.prefetch_frames(pack, spot.segment, spot.length, spot.index)


@inner
def prefetch_features(source, frame, columns):
    pack = source.pack
    if pack.features.shape[0] > 0:
        fetch(address(pack.features, frame), 2 * columns)
    else:
        fetch(address(source.features, frame), 4 * columns)


@inner
def prefetch_frame(source, frame):
    """A frame and the next."""
    if is_packed(source):
        prefetch_pack(source, frame)
        return
    fetch(address(source.rotations, frame), 2 * source.rotations.strides[0])
    fetch(address(source.places, frame), 2 * source.places.strides[0])
    fetch(address(source.root_paths, frame), 2 * source.root_paths.strides[0])
    fetch(address(source.toe_heights, frame), 2 * source.toe_heights.strides[0])
    fetch(address(source.contact_left, frame), source.contact_left.strides[0])
    fetch(address(source.contacts, frame), source.contacts.strides[0])
    fetch(address(source.paces, frame), 4)
    fetch(address(source.clip_of, frame), 4)
    fetch(address(source.next_frames, frame), 4)
