"""Decode: the animated local pose of the moment that plays, with what is left of transitions."""

from kinematch.character.constants import FORGOTTEN
from kinematch.character.step.offsets import fade_place, fade_rotation, show_place, show_rotation
from kinematch.character.step.playback import read_playing
from kinematch.compile.indexing import consecutive, lane_count, run, take
from kinematch.compile.jit import inner
from kinematch.database.frame_kernels import find_next_frame
from kinematch.database.pair_kernels import find_pair
from kinematch.math.series import nlerp
from kinematch.math.vectors import quaternion, vector


@inner
def decode(data, source, n, by, scratch):
    """The local pose of a character, its offsets faded for the step; the root's is still to come."""
    offsets, kind, halflife = data.offsets, data.settings.transition, data.settings.transition_halflife
    frame, t = read_playing(data, source, n)
    rows = find_pair(source, frame, find_next_frame(source, frame), scratch)
    age = offsets.ages[n]  # after this step
    recent = age - by.dt < FORGOTTEN * halflife  # what is forgotten stays as it is: denormal numbers are slow
    memory, rotations, joints = offsets.rotations[n], data.work.rotations[n], source.rotations.shape[1]
    for j in range(0, joints, lane_count()):
        js, own = consecutive(j, joints), run(j)
        animated = nlerp(quaternion(rows.rotations[js]), quaternion(rows.rotations_after[js]), t)
        if recent:
            fade_rotation(memory, own, kind, halflife, by.transition)
        rotations[js] = show_rotation(memory, own, kind, age, halflife, animated)
    memory, positions, moving = offsets.positions[n], data.work.positions[n], source.moving.shape[0]
    for k in range(0, moving, lane_count()):
        ks, own = consecutive(k, moving), run(k)
        place = vector(rows.places[ks]) * (1 - t) + vector(rows.places_after[ks]) * t
        if recent:
            fade_place(memory, own, kind, halflife, by.transition)
        positions[take(source.moving, k, moving)] = show_place(memory, own, kind, age, halflife, place)
