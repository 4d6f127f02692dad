"""Jumps in kernels: what is shown just before a jump becomes offsets to what is animated after it."""

import numpy as np

from kinematch.character.kernels import lane_rotations as lanes8
from kinematch.character.kernels.playback import clamp_frame, locate_root
from kinematch.character.kernels.poses import read_between, read_quaternion
from kinematch.character.kernels.rotations import (
    from_rotation_vector,
    inverse,
    multiply,
    nlerp,
    rotate,
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
from kinematch.character.settings import DEAD, NO_TRANSITION, SPRING
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import LANES, inverse_root, read, smaller, splat, write
from kinematch.compile.memory import address, fetch
from kinematch.compile.rows import read_fours, read_threes

U = np.uintp
ONE = np.float32(1)


@kernel(fastmath={"contract"}, counting=False)
def jump(here_handle, there_handle, number, characters, frames, jumps, costs, searched_frames):
    """Note what a projection found for characters (M,), and let those for whom it is better go on from its frames.

    `here` is the scene that they leave, with its table and settings, `there` the one that they enter, of source
    `number`; it may be the same. The fraction of a frame is kept. Frames that do not exist are the nearest that do.
    """
    here, there = open_scene(here_handle), open_scene(there_handle)
    playing, schedule = here.state.playing, here.state.schedule
    for m in range(characters.shape[0]):
        n = characters[m]
        schedule.frames[n], schedule.costs[n] = searched_frames[m], costs[m]
        if not jumps[m]:
            continue
        following = m + 1
        while following < characters.shape[0] and not jumps[following]:
            following += 1
        if following < characters.shape[0]:
            prefetch_landing(here.table, playing.frames[characters[following]])
            prefetch_landing(there.table, frames[following])
        here.pose.jumped[n] = True
        frame = min(max(frames[m], 0), there.table.clip_of.shape[0] - 1)
        before = clamp_frame(here.table, playing, n)
        if there.knobs.transition != NO_TRANSITION:
            start_transition(here, there, n, before, frame)
        playing.frames[n], playing.sources[n] = frame, number
        here.state.offsets.ages[n] = 0.0


@inner
def prefetch_landing(table, frame):
    """Prefetch the frames between which somebody jumps next."""
    frame = min(max(frame, 0), table.clip_of.shape[0] - 1)
    fetch(address(table.rotations, frame), 2 * table.rotations.strides[0])
    fetch(address(table.angular_velocities, frame), 2 * table.angular_velocities.strides[0])


@inner
def start_transition(here, there, n, before, frame):
    state, t = here.state, here.state.playing.fractions[n]
    kind, halflife = there.knobs.transition, there.knobs.transition_halflife
    old, old_halflife, age = here.knobs.transition, here.knobs.transition_halflife, state.offsets.ages[n]
    before_after, after = here.table.next_frames[before], there.table.next_frames[frame]
    memory = state.offsets.rotations
    if kind == SPRING and old == SPRING:
        offset_sprung(memory, n, here.table, before, before_after, there.table, frame, after, t, kind, halflife)
    else:
        for j in range(1, here.table.rotations.shape[1]):
            offset_rotation(memory, n, j, here.table, before, before_after, there.table, frame, after, t, age, old,
                            old_halflife, kind, halflife)  # fmt: skip
    memory = state.offsets.positions
    for k in range(here.table.moving.shape[0]):
        j = here.table.moving[k]
        place = read_between(here.table.places, before, before_after, t, k)
        velocity = read_between(here.table.velocities, before, before_after, t, j)
        (x, y, z), (vx, vy, vz) = show_place(memory, n, k, old, age, old_halflife, place, velocity)
        if kind != DEAD:
            ax, ay, az = read_between(there.table.places, frame, after, t, k)
            ux, uy, uz = read_between(there.table.velocities, frame, after, t, j)
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
def offset_rotation(memory, n, j, here, before, before_after, there, frame, after, t, age, old, old_halflife, kind,
                    halflife):  # fmt: skip
    """What one joint's rotation remembers."""
    animated = nlerp(read_quaternion(here.rotations, before, j), read_quaternion(here.rotations, before_after, j), t)
    spin = read_between(here.angular_velocities, before, before_after, t, j)
    shown = show_rotation(memory, n, j, old, age, old_halflife, animated)
    vx, vy, vz = show_angular_velocity(memory, n, j, old, age, old_halflife, animated, spin)
    step = to_rotation_vector(shown)
    if kind != DEAD:
        animated = nlerp(read_quaternion(there.rotations, frame, j), read_quaternion(there.rotations, after, j), t)
        step = to_rotation_vector(multiply(shown, inverse(animated)))
        spin = read_between(there.angular_velocities, frame, after, t, j)
        x, y, z = rotate(from_rotation_vector(step[0], step[1], step[2]), spin)
        vx, vy, vz = vx - x, vy - y, vz - z
    remember(memory, n, j, kind, halflife, step, (vx, vy, vz))


@inner
def offset_sprung(memory, n, here, before, before_after, there, frame, after, t, kind, halflife):
    """What springs remember of all joints' rotations, eight at a time."""
    plane = U(4 * memory.shape[2])
    for j in range(0, memory.shape[2], LANES):
        joints, vectors = address(here.joint_bytes, 0) + U(8 * j), address(here.joint_bytes, 1) + U(8 * j)
        own = address(memory, n) + U(4 * j)
        lift = lanes8.from_rotation_vector(read(own, 0), read(own + plane, 0), read(own + plane + plane, 0))
        shown = multiply(lift, read_nlerp(here.rotations, before, before_after, t, joints))
        spin = rotate(lift, read_lane_vectors(here.angular_velocities, before, before_after, t, vectors))
        animated = read_nlerp(there.rotations, frame, after, t, joints)
        step = lanes8.to_rotation_vector(multiply(shown, inverse(animated)))
        new_spin = read_lane_vectors(there.angular_velocities, frame, after, t, vectors)
        less = rotate(lanes8.from_rotation_vector(*step), new_spin)
        speed = own + U(3) * plane
        x = spin[0] + read(speed, 0) - less[0]
        y = spin[1] + read(speed + plane, 0) - less[1]
        z = spin[2] + read(speed + plane + plane, 0) - less[2]
        fastest = np.float32(fastest_offset(kind, halflife))
        share = smaller(fastest * inverse_root(x * x + y * y + z * z), splat(ONE))
        write(own, 0, step[0])
        write(own + plane, 0, step[1])
        write(own + plane + plane, 0, step[2])
        write(speed, 0, x * share)
        write(speed + plane, 0, y * share)
        write(speed + plane + plane, 0, z * share)


@inner
def read_nlerp(rotations, frame, after, t, joints):
    return lanes8.nlerp(read_fours(joints, address(rotations, frame)), read_fours(joints, address(rotations, after)), t)


@inner
def read_lane_vectors(array, frame, after, t, vectors):
    t = np.float32(t)
    r = ONE - t
    a, b = read_threes(vectors, address(array, frame)), read_threes(vectors, address(array, after))
    return a[0] * r + b[0] * t, a[1] * r + b[1] * t, a[2] * r + b[2] * t


@inner
def root_velocity(table, frame, after, t):
    """Velocity of the animated root in its own axes, and turn rate."""
    vx, _, vz = read_between(table.velocities, frame, after, t, 0)
    _, _, yaw = locate_root(table, frame, t)
    x, z = rotate_about_y(vx, vz, -yaw)
    return x, z, table.angular_velocities[frame, 0, 1] * (1 - t) + table.angular_velocities[after, 0, 1] * t


@inner
def toe_height(table, frame, after, t, contact):
    """Height of an animated toe above where it stands, and its rate."""
    a, b = table.toe_heights[frame, contact], table.toe_heights[after, contact]
    return a * (1 - t) + b * t - table.toe_rests[contact], (b - a) * table.frame_rate
