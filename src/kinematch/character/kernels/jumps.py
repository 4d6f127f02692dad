"""Jumps in kernels: what is shown just before a jump becomes offsets to what is animated after it."""

import numpy as np

from kinematch.character.constants import NO_RETURN
from kinematch.character.kernels import lane_rotations as lanes8
from kinematch.character.kernels.frames import (
    find_next_frame,
    is_packed,
    locate_root,
    measure_root_rates,
    read_toe_height,
)
from kinematch.character.kernels.playback import clamp_frame
from kinematch.character.kernels.poses import read_between, read_quaternion
from kinematch.character.kernels.rotations import (
    find_vector_rate,
    from_rotation_vector,
    nlerp,
    rotate_about_y,
    to_rotation_vector,
)
from kinematch.character.kernels.scene import open_scene
from kinematch.character.kernels.transitions import (
    fastest_offset,
    remember,
    show_angular_velocity,
    show_place,
    show_rotation,
)
from kinematch.character.kernels.unpacking import find_moving_pair, prefetch_knots, prefetch_pack
from kinematch.character.settings import DEAD, NO_TRANSITION, SPRING
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import LANES, inverse_root, read, smaller, splat, write
from kinematch.compile.memory import address, fetch
from kinematch.compile.rows import read_fours, read_threes
from kinematch.math.kernels import inverse, multiply, rotate

U = np.uintp
ONE = np.float32(1)


@kernel(fastmath={"contract"}, counting=False)
def jump(here_handle, there_handle, number, characters, frames, jumps, costs, searched_frames, room):
    """Note what a projection found for characters (M,), and let those for whom it is better go on from its frames.

    `here` is the scene that they leave, with its table and settings, `there` the one that they enter, of source
    `number`; it may be the same. The fraction of a frame is kept. Frames that do not exist are the nearest that do.
    `room` is scratch to unpack frames in.
    """
    here, there = open_scene(here_handle), open_scene(there_handle)
    playing, schedule = here.state.playing, here.state.schedule
    for m in range(characters.shape[0]):
        n = characters[m]
        schedule.frames[n], schedule.costs[n] = searched_frames[m], costs[m]
        if here.state.offsets.ages[n] >= NO_RETURN:
            schedule.left[n] = -1
        if not jumps[m]:
            continue
        schedule.left[n] = searched_frames[m]
        following = find_jump(jumps, m + 1)
        later = find_jump(jumps, following + 1)
        if following < characters.shape[0]:
            prefetch_knots(here.table, playing.frames[characters[following]])
            prefetch_knots(there.table, frames[following])
        if later < characters.shape[0]:
            prefetch_landing(here.table, playing.frames[characters[later]])
            prefetch_landing(there.table, frames[later])
        here.pose.jumped[n] = True
        frame = min(max(frames[m], 0), there.table.frame_count - 1)
        before = clamp_frame(here.table, playing, n)
        if there.knobs.transition != NO_TRANSITION:
            start_transition(here, there, n, before, frame, address(room, 0), address(room, 1))
        playing.frames[n], playing.sources[n] = frame, number
        here.state.offsets.ages[n] = 0.0


@inner
def find_jump(jumps, m):
    """The first that jumps from the m-th on; past the last if nobody does."""
    while m < jumps.shape[0] and not jumps[m]:
        m += 1
    return m


@inner
def prefetch_landing(table, frame):
    """Prefetch a frame that somebody jumps from or to soon; of a packed one, what tells where its knots are."""
    frame = min(max(frame, 0), table.frame_count - 1)
    if is_packed(table):
        prefetch_pack(table, frame)
        return
    fetch(address(table.rotations, frame), 2 * table.rotations.strides[0])
    fetch(address(table.angular_velocities, frame), 2 * table.angular_velocities.strides[0])


@inner
def start_transition(here, there, n, before, frame, scratch, other_scratch):
    state, t = here.state, here.state.playing.fractions[n]
    kind, halflife = there.knobs.transition, there.knobs.transition_halflife
    old, old_halflife, age = here.knobs.transition, here.knobs.transition_halflife, state.offsets.ages[n]
    before_after, after = find_next_frame(here.table, before), find_next_frame(there.table, frame)
    old_frames = find_moving_pair(here.table, before, before_after, scratch)
    new_frames = find_moving_pair(there.table, frame, after, other_scratch)
    memory = state.offsets.rotations
    if kind == SPRING and old == SPRING:
        offset_sprung(memory, n, here.table.joint_bytes, old_frames, new_frames, t, kind, halflife)
    else:
        for j in range(1, here.table.rotations.shape[1]):
            offset_rotation(memory, n, j, old_frames, new_frames, t, age, old, old_halflife, kind, halflife)
    memory = state.offsets.positions
    for k in range(here.table.moving.shape[0]):
        j = here.table.moving[k]
        place = read_between(old_frames.pair.places, old_frames.pair.places_after, t, k)
        velocity = read_between(old_frames.velocities, old_frames.velocities_after, t, j)
        (x, y, z), (vx, vy, vz) = show_place(memory, n, k, old, age, old_halflife, place, velocity)
        if kind != DEAD:
            ax, ay, az = read_between(new_frames.pair.places, new_frames.pair.places_after, t, k)
            ux, uy, uz = read_between(new_frames.velocities, new_frames.velocities_after, t, j)
            x, y, z, vx, vy, vz = x - ax, y - ay, z - az, vx - ux, vy - uy, vz - uz
        remember(memory, n, k, kind, halflife, (x, y, z), (vx, vy, vz))
    x, z, turn = root_velocity(here.table, before, before_after, t)
    new_x, new_z, new_turn = root_velocity(there.table, frame, after, t)
    roots, scale = state.offsets.roots, here.rig.scale
    roots[n, 0] += (x - new_x) * scale
    roots[n, 1] += (z - new_z) * scale
    roots[n, 2] += turn - new_turn
    roots[n, 3] = roots[n, 4] = roots[n, 5] = 0.0
    for k in range(here.rig.legs.shape[0] if there.knobs.foot_lock > 0 else 0):
        contact = here.rig.leg_contacts[k]
        height, rate = toe_height(here.table, before, before_after, t, contact)
        new_height, new_rate = toe_height(there.table, frame, after, t, contact)
        state.feet.offsets[n, k, 1] += (height - new_height) * scale
        state.feet.offsets[n, k, 4] += (rate - new_rate) * scale


@inner
def offset_rotation(memory, n, j, here, there, t, age, old, old_halflife, kind, halflife):
    """What one joint's rotation remembers."""
    animated = nlerp(read_quaternion(here.pair.rotations, j), read_quaternion(here.pair.rotations_after, j), t)
    spin = read_between(here.spins, here.spins_after, t, j)
    shown = show_rotation(memory, n, j, old, age, old_halflife, animated)
    vx, vy, vz = show_angular_velocity(memory, n, j, old, age, old_halflife, animated, spin)
    step = to_rotation_vector(shown)
    if kind != DEAD:
        animated = nlerp(read_quaternion(there.pair.rotations, j), read_quaternion(there.pair.rotations_after, j), t)
        step = to_rotation_vector(multiply(shown, inverse(animated)))
        spin = read_between(there.spins, there.spins_after, t, j)
        x, y, z = rotate(from_rotation_vector(step[0], step[1], step[2]), spin)
        vx, vy, vz = find_vector_rate(step, (vx - x, vy - y, vz - z))
    remember(memory, n, j, kind, halflife, step, (vx, vy, vz))


@inner
def offset_sprung(memory, n, joint_bytes, here, there, t, kind, halflife):
    """What springs remember of all joints' rotations, eight at a time."""
    plane = U(4 * memory.shape[2])
    for j in range(0, memory.shape[2], LANES):
        joints, vectors = address(joint_bytes, 0) + U(8 * j), address(joint_bytes, 1) + U(8 * j)
        own = address(memory, n) + U(4 * j)
        speed = own + U(3) * plane
        offset = read(own, 0), read(own + plane, 0), read(own + plane + plane, 0)
        rate = read(speed, 0), read(speed + plane, 0), read(speed + plane + plane, 0)
        lift = lanes8.from_rotation_vector(*offset)
        shown = multiply(lift, read_nlerp(here.pair, t, joints))
        spin = rotate(lift, read_lane_vectors(here, t, vectors))
        animated = read_nlerp(there.pair, t, joints)
        step = lanes8.to_rotation_vector(multiply(shown, inverse(animated)))
        new_spin = read_lane_vectors(there, t, vectors)
        less = rotate(lanes8.from_rotation_vector(*step), new_spin)
        more = lanes8.find_angular_velocity(offset, rate)
        x, y, z = lanes8.find_vector_rate(
            step, (spin[0] + more[0] - less[0], spin[1] + more[1] - less[1], spin[2] + more[2] - less[2])
        )
        fastest = np.float32(fastest_offset(kind, halflife))
        share = smaller(fastest * inverse_root(x * x + y * y + z * z), splat(ONE))
        write(own, 0, step[0])
        write(own + plane, 0, step[1])
        write(own + plane + plane, 0, step[2])
        write(speed, 0, x * share)
        write(speed + plane, 0, y * share)
        write(speed + plane + plane, 0, z * share)


@inner
def read_nlerp(pair, t, joints):
    return lanes8.nlerp(read_fours(joints, pair.rotations), read_fours(joints, pair.rotations_after), t)


@inner
def read_lane_vectors(moving, t, vectors):
    t = np.float32(t)
    r = ONE - t
    a, b = read_threes(vectors, moving.spins), read_threes(vectors, moving.spins_after)
    return a[0] * r + b[0] * t, a[1] * r + b[1] * t, a[2] * r + b[2] * t


@inner
def root_velocity(table, frame, after, t):
    """Velocity of the animated root in its own axes, and turn rate."""
    vx, vz, turn = read_root_rates(table, frame)
    next_vx, next_vz, next_turn = read_root_rates(table, after)
    vx, vz = vx * (1 - t) + next_vx * t, vz * (1 - t) + next_vz * t
    _, _, yaw = locate_root(table, frame, t)
    x, z = rotate_about_y(vx, vz, -yaw)
    return x, z, turn * (1 - t) + next_turn * t


@inner
def read_root_rates(table, frame):
    if is_packed(table):
        return measure_root_rates(table, frame)
    spins, velocities = table.angular_velocities, table.velocities
    return np.float64(velocities[frame, 0, 0]), np.float64(velocities[frame, 0, 2]), np.float64(spins[frame, 0, 1])


@inner
def toe_height(table, frame, after, t, contact):
    """Height of an animated toe above where it stands, and its rate; a clip's last frame is left as it was reached."""
    a, b = read_toe_height(table, frame, contact), read_toe_height(table, after, contact)
    rate = b - a if after != frame or frame == 0 else a - read_toe_height(table, frame - 1, contact)
    return a * (1 - t) + b * t - table.toe_rests[contact], rate * table.frame_rate
