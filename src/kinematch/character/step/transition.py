"""Transition: a jump to another moment; what was shown becomes offsets to what is animated after it."""

from kinematch.character.settings import DEAD, NO_TRANSITION
from kinematch.character.step.offsets import remember, show_place, show_rotation, show_spin, show_velocity
from kinematch.compile.indexing import consecutive, lane_count, run, take
from kinematch.compile.jit import inner, routine
from kinematch.database.frame_kernels import find_next_frame, find_root_velocity, find_toe_height
from kinematch.database.pair_kernels import find_pair, find_rates
from kinematch.math.series import find_vector_rate, from_rotation_vector, nlerp, to_rotation_vector
from kinematch.math.vectors import inverse, quaternion, rotate, vector

ROW_BEFORE, ROW_AFTER = 0, 1  # rows of a sample


@routine
def take_sample(source, frame, t, pace, scratch, row):
    """The pose and its velocities between a frame and the next, played at `pace` times its own rate, into a row of
    `scratch.sample`."""
    sample, after = scratch.sample, find_next_frame(source, frame)
    pair = find_pair(source, frame, after, scratch)
    rates = find_rates(source, frame, after, scratch)
    joints, moving = source.rotations.shape[1], source.moving.shape[0]
    for j in range(0, joints, lane_count()):
        js = consecutive(j, joints)
        turn = nlerp(quaternion(pair.rotations[js]), quaternion(pair.rotations_after[js]), t)
        sample.rotations[row][js] = turn
        sample.spins[row][js] = vector(rates.spins[js]) * (pace * (1 - t)) + vector(rates.spins_after[js]) * (pace * t)
    for k in range(0, moving, lane_count()):
        ks, js = consecutive(k, moving), take(source.moving, k, moving)
        sample.places[row][ks] = vector(pair.places[ks]) * (1 - t) + vector(pair.places_after[ks]) * t
        velocity = vector(rates.velocities[js]) * (pace * (1 - t)) + vector(rates.velocities_after[js]) * (pace * t)
        sample.velocities[row][ks] = velocity
    x, z, turn_rate = find_root_velocity(source, frame, after, t)
    sample.roots[row, 0], sample.roots[row, 1], sample.roots[row, 2] = x * pace, z * pace, turn_rate * pace
    for contact in range(source.toe_rests.shape[0]):
        height, rate = find_toe_height(source, frame, after, t, contact)
        sample.toe_heights[row, contact], sample.toe_rates[row, contact] = height, rate * pace


@inner
def start_transition(data, n, sample, old, old_halflife):
    """Remember the difference between what is shown, by the earlier kind of transition and its half-life, and what is
    animated after the jump. `sample` holds the animated pose before and after."""
    offsets, kind, halflife = data.offsets, data.settings.transition, data.settings.transition_halflife
    age = offsets.ages[n]
    offsets.ages[n] = 0.0
    if kind == NO_TRANSITION:
        return
    memory, joints = offsets.rotations[n], data.work.rotations.shape[1]
    for j in range(0, joints, lane_count()):
        js, own = consecutive(j, joints), run(j)
        animated = quaternion(sample.rotations[ROW_BEFORE][js])
        shown = show_rotation(memory, own, old, age, old_halflife, animated)
        spin = show_spin(memory, own, old, age, old_halflife, animated, vector(sample.spins[ROW_BEFORE][js]))
        if kind == DEAD:
            remember(memory, own, kind, halflife, to_rotation_vector(shown), spin)
        else:
            step = to_rotation_vector(shown * inverse(quaternion(sample.rotations[ROW_AFTER][js])))
            less = rotate(from_rotation_vector(step), vector(sample.spins[ROW_AFTER][js]))
            remember(memory, own, kind, halflife, step, find_vector_rate(step, spin - less))
    memory, moving = offsets.positions[n], sample.places.shape[1]
    for k in range(0, moving, lane_count()):
        ks, own = consecutive(k, moving), run(k)
        place, velocity = vector(sample.places[ROW_BEFORE][ks]), vector(sample.velocities[ROW_BEFORE][ks])
        velocity = show_velocity(memory, own, old, age, old_halflife, place, velocity)
        place = show_place(memory, own, old, age, old_halflife, place)
        if kind == DEAD:
            remember(memory, own, kind, halflife, place, velocity)
        else:
            step = place - vector(sample.places[ROW_AFTER][ks])
            remember(memory, own, kind, halflife, step, velocity - vector(sample.velocities[ROW_AFTER][ks]))
    roots, scale = offsets.roots, data.rig.scale
    for i in range(3):
        change = sample.roots[ROW_BEFORE, i] - sample.roots[ROW_AFTER, i]
        roots[n, i] += change * scale if i < 2 else change
        roots[n, i + 3] = 0.0
    if data.settings.foot_lock > 0:
        offset_toes(data, n, sample)


@inner
def offset_toes(data, n, sample):
    """Toes go on at the height that the clip before the jump had for them."""
    rig, feet = data.rig, data.feet
    for k in range(rig.legs.shape[0]):
        contact = rig.leg_contacts[k]
        height = sample.toe_heights[ROW_BEFORE, contact] - sample.toe_heights[ROW_AFTER, contact]
        rate = sample.toe_rates[ROW_BEFORE, contact] - sample.toe_rates[ROW_AFTER, contact]
        feet.offsets[n, k, 1] += height * rig.scale
        feet.rates[n, k, 1] += rate * rig.scale
