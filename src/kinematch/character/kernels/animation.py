"""The kernel of the animation: from bodies to planted feet, for a list of characters, stages chosen by the caller."""

import math

from kinematch.character.kernels.feet import plant_feet, stand_on_ground
from kinematch.character.kernels.frames import find_next_frame, is_in_contact
from kinematch.character.kernels.playback import advance, clamp_frame, prefetch_frame
from kinematch.character.kernels.poses import decode, find_global_poses, locate_lanes, recall_global_poses
from kinematch.character.kernels.roots import adjust_roots, move_bodies, show_roots
from kinematch.character.kernels.scene import open_scene
from kinematch.character.kernels.scratch import unpacking_room
from kinematch.character.kernels.springs import make_dampings
from kinematch.character.kernels.unpacking import prefetch_knots
from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import LANES
from kinematch.compile.memory import claim
from kinematch.control.body import WORLD_RADIUS

BODIES = 1  # simulated bodies follow their commands
ADVANCE = 2  # the table is played on; without it `work.motions` say how roots move
DECODE = 4  # roots are adjusted, and local poses read from the table
SHOW = 8  # global poses from local ones
FEET = 16  # feet are planted, and the result reported
EVERYTHING = BODIES | ADVANCE | DECODE | SHOW | FEET
LOST_RADIUS = 10 * WORLD_RADIUS  # m
AHEAD = 4  # characters ahead whose packed frames are prefetched
BLOCK = 64  # characters for which one stage after the other is run: small batches stay in cache


@kernel(fastmath={"contract"}, counting=False)
def animate(handle, characters, begun, tables, room, dt, stages):
    """Move characters (M,) of one table on by dt; `pose.restarted` marks those that are lost.

    Threads that share the characters claim a block at a time, and count in `begun` (1,) how many are claimed.
    """
    scene = open_scene(handle)
    by = make_dampings(scene.knobs, dt)
    scratch = unpacking_room(room, scene.rig.parents.shape[0], scene.rig.legs.shape[0])
    start = claim(begun, BLOCK)
    while start < characters.shape[0]:
        stop = min(start + BLOCK, characters.shape[0])
        if stages & DECODE:
            for m in range(start, stop, LANES):
                move(scene, characters, m, min(m + LANES, stop), by, tables, stages)
            for m in range(start, stop):
                if m + AHEAD < stop:
                    prefetch_knots(scene.table, scene.state.playing.frames[characters[m + AHEAD]])
                decode(scene, characters[m], by, scratch)
        if stages & FEET:
            for m in range(start, stop):
                clamp_frame(scene.table, scene.state.playing, characters[m])
                if scene.work.heights.shape[0] > 0:
                    stand_on_ground(scene, characters[m], by)
        for m in range(start, stop, LANES):
            last = min(m + LANES, stop)
            locate_lanes(scene.pose, characters, m, last, tables)
            if stages & SHOW:
                show_roots(scene.state.playing, scene.pose, tables)
                find_global_poses(scene.rig, scene.pose, tables, room)
            if stages & FEET and scene.rig.legs.shape[0] > 0:
                if not stages & SHOW:
                    recall_global_poses(scene.pose, scene.rig.parents.shape[0], tables, room)
                plant_feet(scene, characters, m, last, by, tables, room)
        if stages & FEET:
            for m in range(start, stop):
                report(scene, characters[m])
        start = claim(begun, BLOCK)


@inner
def move(scene, characters, start, stop, by, tables, stages):
    """Bodies, playback and roots of up to eight characters."""
    for ahead in range(stop, min(stop + LANES, characters.shape[0])):
        prefetch_frame(scene.table, scene.state.playing.frames[characters[ahead]])
    locate_lanes(scene.pose, characters, start, stop, tables)
    if stages & BODIES:
        move_bodies(scene.state.body, scene.orders, by, tables)
    for m in range(start, stop):
        if stages & ADVANCE:
            advance(scene, characters[m], by.dt)
        else:
            clamp_frame(scene.table, scene.state.playing, characters[m])
    adjust_roots(scene, by, tables)


@inner
def report(scene, n):
    """Fill in the rest of a character's result, and mark it if its pose is not finite or beyond LOST_RADIUS."""
    playing, table, out = scene.state.playing, scene.table, scene.pose
    frame, fraction = playing.frames[n], playing.fractions[n]
    out.frames[n], out.fractions[n], out.sources[n] = frame, fraction, playing.sources[n]
    out.costs[n] = scene.state.schedule.costs[n]
    shown = frame if fraction < 0.5 else find_next_frame(table, frame)
    for contact in range(table.contacts.shape[1]):
        out.contacts[n, contact] = is_in_contact(table, shown, contact)
    for leg in range(scene.rig.legs.shape[0]):
        out.locked[n, leg] = scene.state.feet.locked[n, leg]
    total = out.displacements[n, 0] + out.displacements[n, 1] + out.displacements[n, 2] + out.turns[n]
    for j in range(out.global_positions.shape[1]):
        total += out.global_positions[n, j, 0] + out.global_positions[n, j, 1] + out.global_positions[n, j, 2]
        total += out.global_rotations[n, j, 0] + out.global_rotations[n, j, 1]
        total += out.global_rotations[n, j, 2] + out.global_rotations[n, j, 3]
    far = max(abs(out.global_positions[n, 0, 0]), abs(out.global_positions[n, 0, 2]))
    out.restarted[n] = not math.isfinite(total) or far > LOST_RADIUS
