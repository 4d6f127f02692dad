"""Output: the rest of a character's result, and whether it is lost."""

import math

from kinematch.character.step.data import find_number
from kinematch.character.step.playback import read_playing
from kinematch.compile.jit import inner
from kinematch.control.body import WORLD_RADIUS
from kinematch.database.frame_kernels import find_next_frame, is_in_contact
from kinematch.math.vectors import Vector, quaternion, vector

LOST_RADIUS = 10 * WORLD_RADIUS  # m


@inner
def report(data, source, n):
    """Fill in the result; whether the character is lost: its pose is not finite, or beyond LOST_RADIUS."""
    pose, feet = data.pose, data.feet
    frame, fraction = read_playing(data, source, n)
    pose.frames[n] = -1 if source.each > 0 else frame  # poses of a character's own are in no database
    pose.fractions[n], pose.costs[n] = fraction, data.schedule.costs[n]
    pose.sources[n] = find_number(data, data.playing.sources[n])
    pose.acting[n] = data.acting.stretches[n]
    shown = frame if fraction < 0.5 else find_next_frame(source, frame)
    for contact in range(source.contacts.shape[1]):
        pose.contacts[n, contact] = is_in_contact(source, shown, contact)
    for leg in range(data.rig.legs.shape[0]):
        pose.locked[n, leg] = feet.locked[n, leg]
    # sums beside one another: a single one would wait for each of its terms
    moved, w, x, y, z = vector(pose.displacements[n]), 0.0, 0.0, 0.0, pose.turns[n]
    for j in range(pose.global_positions.shape[1]):
        turn = quaternion(pose.global_rotations[n][j])
        moved = moved + vector(pose.global_positions[n][j])
        w, x, y, z = w + turn.w, x + turn.x, y + turn.y, z + turn.z
    total = moved.x + moved.y + moved.z + w + x + y + z
    far = max(abs(pose.global_positions[n, 0, 0]), abs(pose.global_positions[n, 0, 2]))
    return not math.isfinite(total) or far > LOST_RADIUS


@inner
def clear(pose, n):
    """What a step adds up, in however many pieces."""
    pose.displacements[n], pose.turns[n] = Vector(0.0, 0.0, 0.0), 0.0
    pose.reasons[n], pose.searched[n], pose.jumped[n], pose.restarted[n] = 0, False, False, False
    pose.refusals[n] = 0
