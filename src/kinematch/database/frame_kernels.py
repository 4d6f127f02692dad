"""What kernels read of a frame, from arrays or unpacked; poses are in `pair_kernels`."""

import numpy as np

from kinematch.compile.jit import inner
from kinematch.compile.memory import address, read_float, read_short
from kinematch.database.packing import kernels as packed
from kinematch.database.packing.layout import LENGTH
from kinematch.math.series import rotate_about_y, wrap_angle

U = np.uintp


@inner
def is_packed(table):
    return table.pack.channels > 0


@inner
def find_clip(table, frame):
    if is_packed(table):
        return np.int64(packed.find_clip(table.pack, table.stops, frame))
    return np.int64(table.clip_of[frame])


@inner
def find_next_frame(table, frame):
    """A clip's last is its own, unless it loops."""
    if not is_packed(table):
        return np.int64(table.next_frames[frame])
    clip = find_clip(table, frame)
    if frame + 1 < table.stops[clip]:
        return np.int64(frame + 1)
    return np.int64(table.starts[clip]) if table.loops[clip] else np.int64(frame)


@inner
def find_frame_before(table, frame):
    """A clip's first is its own, unless it loops."""
    clip = find_clip(table, frame)
    if frame > table.starts[clip]:
        return np.int64(frame - 1)
    return np.int64(table.stops[clip] - 1) if table.loops[clip] else np.int64(frame)


@inner
def is_in_contact(table, frame, contact):
    if is_packed(table):
        return read_bit(table.pack.flags, frame, contact)
    return table.contacts[frame, contact]


@inner
def is_committed(table, frame):
    """Whether the frame may not be jumped away from."""
    if is_packed(table):
        return read_bit(table.pack.flags, frame, table.contacts.shape[1])
    return table.no_exit[frame]


@inner
def read_bit(flags, frame, index):
    return (flags[frame, index >> 3] >> (index & 7)) & 1 != 0


@inner
def read_contact_left(table, frame, contact):
    """Seconds that a contact goes on."""
    if is_packed(table):
        return table.pack.contact_left[frame, contact] / table.frame_rate
    return np.float64(table.contact_left[frame, contact])


@inner
def read_toe_height(table, frame, contact):
    pack = table.pack
    if is_packed(table):
        step, base = np.float64(pack.toe_steps[contact]), np.float64(pack.toe_bases[contact])
        return np.float64(np.float32(pack.toe_heights[frame, contact] * step + base))
    return np.float64(table.toe_heights[frame, contact])


@inner
def read_pace(table, frame):
    if is_packed(table):
        return np.float64(np.float32(table.pack.paces[frame] * table.pack.pace_step))
    return np.float64(table.paces[frame])


@inner
def read_features(table, frame, queries, m):
    """Features of a frame, into row m of queries."""
    for column in range(queries.shape[1]):
        queries[m, column] = read_feature(table, frame, column)


@inner
def read_feature(table, frame, column):
    pack = table.pack
    if pack.features.shape[0] > 0:
        step, base = np.float64(pack.feature_steps[column]), np.float64(pack.feature_bases[column])
        return np.float32(pack.features[frame, column] * step + base)
    return table.features[frame, column]


@inner
def read_root(table, frame):
    """x, z and yaw of the root in its clip's world."""
    if not is_packed(table):
        return table.root_paths[frame, 0], table.root_paths[frame, 1], table.root_paths[frame, 2]
    return unpack_root(table, find_clip(table, frame), frame)


@inner
def unpack_root(table, clip, frame):
    pack, side = table.pack, table.pack.sides[clip]
    segment = packed.find_segment(pack, table.starts, clip, frame)
    row = pack.clip_roots[clip] + frame - table.starts[clip]
    x = pack.roots[row, 0] * np.float64(pack.root_steps[segment, 0]) + np.float64(pack.root_bases[segment, 0])
    z = pack.roots[row, 1] * np.float64(pack.root_steps[segment, 1]) + np.float64(pack.root_bases[segment, 1])
    yaw = pack.roots[row, 2] * np.float64(pack.root_steps[segment, 2]) + np.float64(pack.root_bases[segment, 2])
    return x * side, z, yaw * side


@inner
def locate_root(table, clip, frame, t):
    """Where the root is in the world of its clip (x, z, yaw), on the way to the next frame."""
    if not is_packed(table):
        path = table.root_paths
        return (
            path[frame, 0] + t * path[frame, 3], path[frame, 1] + t * path[frame, 4],
            path[frame, 2] + t * path[frame, 5],
        )  # fmt: skip
    pack = table.pack
    own, last = frame - table.starts[clip], table.stops[clip] - 1 - frame
    if (last == 0 and table.loops[clip]) or (own % LENGTH == LENGTH - 1 and last > 0):  # another segment, or round
        x, z, yaw = unpack_root(table, clip, frame)
        new_x, new_z, new_yaw = unpack_root(table, clip, frame + 1 if last > 0 else table.starts[clip])
        if last == 0:
            sx, sz = rotate_about_y(table.loop_shifts[clip, 0], table.loop_shifts[clip, 2], new_yaw)
            new_x, new_z, new_yaw = new_x + sx, new_z + sz, new_yaw + table.loop_turns[clip]
        return x + t * (new_x - x), z + t * (new_z - z), yaw + t * wrap_angle(new_yaw - yaw)
    row, segment = address(pack.roots, pack.clip_roots[clip] + own), pack.clip_segments[clip] + own // LENGTH
    after, side = row + U(6 if last > 0 else 0), pack.sides[clip]
    steps, bases = address(pack.root_steps, segment), address(pack.root_bases, segment)
    return (
        side * locate_number(row, after, t, steps, bases, 0), locate_number(row, after, t, steps, bases, 1),
        side * locate_number(row, after, t, steps, bases, 2),
    )  # fmt: skip


@inner
def locate_number(row, after, t, steps, bases, i):
    """One number of a root between two that count the same steps from the same base; all are addresses."""
    here, there = np.float64(read_short(row, i)), np.float64(read_short(after, i))
    return np.float64(read_float(bases, i)) + np.float64(read_float(steps, i)) * (here + t * (there - here))


@inner
def measure_root_rates(table, frame):
    """Velocity (x, z) of the root in its clip's world, and turn rate: as PoseDatabase has them, from its neighbours."""
    clip = find_clip(table, frame)
    first, last, loops = np.int64(table.starts[clip]), np.int64(table.stops[clip] - 1), table.loops[clip]
    _, _, yaw = read_root(table, frame)
    old_x, old_z, old_yaw = read_root(table, find_frame_before(table, frame))
    new_x, new_z, new_yaw = read_root(table, find_next_frame(table, frame))
    if loops and frame in (first, last):
        ox, oz, facing = read_root(table, first)
        turn = table.loop_turns[clip]
        sx, sz = rotate_about_y(table.loop_shifts[clip, 0], table.loop_shifts[clip, 2], facing)
        if frame == first:
            px, pz = rotate_about_y(old_x - ox - sx, old_z - oz - sz, -turn)
            old_x, old_z, old_yaw = ox + px, oz + pz, old_yaw - turn
        if frame == last:
            px, pz = rotate_about_y(new_x - ox, new_z - oz, turn)
            new_x, new_z, new_yaw = ox + sx + px, oz + sz + pz, new_yaw + turn
    share = find_share(table, frame)
    turn = wrap_angle(new_yaw - yaw) + wrap_angle(yaw - old_yaw)
    return (new_x - old_x) * share, (new_z - old_z) * share, turn * share


@inner
def find_share(table, frame):
    """The factor that makes a velocity of the steps to the neighbours of a frame; clip ends have one."""
    clip = find_clip(table, frame)
    steps = 2
    if not table.loops[clip]:
        steps = (1 if frame > table.starts[clip] else 0) + (1 if frame < table.stops[clip] - 1 else 0)
    return table.frame_rate / max(steps, 1)


@inner
def find_root_velocity(source, frame, after, t):
    """Velocity of the animated root in its own axes, and turn rate."""
    x0, z0, turn0 = read_root_rates(source, frame)
    x1, z1, turn1 = read_root_rates(source, after)
    clip = find_clip(source, frame)
    if after < frame:  # of the next round of a loop
        x1, z1 = rotate_about_y(x1, z1, source.loop_turns[clip])
    _, _, yaw = locate_root(source, clip, frame, t)
    x, z = rotate_about_y(x0 * (1 - t) + x1 * t, z0 * (1 - t) + z1 * t, -yaw)
    return x, z, turn0 * (1 - t) + turn1 * t


@inner
def read_root_rates(source, frame):
    if is_packed(source):
        return measure_root_rates(source, frame)
    spins, velocities = source.angular_velocities, source.velocities
    return velocities[frame, 0, 0] * 1.0, velocities[frame, 0, 2] * 1.0, spins[frame, 0, 1] * 1.0


@inner
def find_toe_height(source, frame, after, t, contact):
    """Height of an animated toe above where it stands, and its rate; a clip's last frame is left as it was reached."""
    a, b = read_toe_height(source, frame, contact), read_toe_height(source, after, contact)
    rate = b - a
    if after == frame and frame > 0 and source.each == 0:
        rate = a - read_toe_height(source, frame - 1, contact)
    return a * (1 - t) + b * t - source.toe_rests[contact], rate * source.frame_rate
