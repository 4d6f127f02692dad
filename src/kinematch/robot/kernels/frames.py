"""A whole motion on a robot, frame after frame: targets, feet, decomposition, refinement, floor."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import inverse, multiply, read3, read4, rotate, write4
from kinematch.robot.kernels.decompose import decompose_chain
from kinematch.robot.kernels.feet import plant_feet
from kinematch.robot.kernels.refine import find_lowest, refine
from kinematch.robot.kernels.system import place_links
from kinematch.robot.kernels.targets import find_targets, place_source

REFERENCE_SECONDS = 1 / 30  # s, the time between frames for which costs of smoothness are given
FOLLOW_GAIN = 0.8  # of the speed at which the base strays from its target: below one, so that it does not overshoot
EASY_SPEED = 0.8  # of a hinge's limit; above it costs, so that few frames are at the limit itself
BOUND_MARGIN = 1e-9  # rad by which angles are kept from their bounds, so that differences of them keep the speed limit


@kernel
def retarget_frames(plan, state, work, positions, rotations, contacts, dt, out_base, out_turns, out_angles):
    """Local poses (F, Js, 3) and (F, Js, 4) with contacts (F, 2) to the base's place and angles (F, D)."""
    for f in range(positions.shape[0]):
        place_source(plan.source_parents, positions[f], rotations[f], work.source_places, work.source_turns)
        find_targets(plan, work.source_places, work.source_turns, work.targets, work.wanted)
        plant_feet(plan, state, contacts[f], dt, work.targets, work.wanted)
        first = state.started[0] == 0.0
        decompose(plan, state, work)
        if first:
            start(plan, state, work)
        look_ahead(plan, state, work, dt)
        bound_angles(plan, state, work, dt)
        refine(plan, work, state, plan.iterations[1 if first else 0])
        for d in range(plan.limits.shape[0]):
            state.velocities[d] = 0.0 if first else (state.angles[d] - state.last_angles[d]) / dt
        low = find_lowest(plan, work)
        lift = -low if low < 0 else 0.0
        state.started[0] = min(state.started[0] + 1.0, 2.0)
        for k in range(3):
            out_base[f, k] = state.base[k]
        out_base[f, 1] += lift
        for k in range(4):
            out_turns[f, k] = state.turn[k]
        for d in range(plan.limits.shape[0]):
            out_angles[f, d] = state.angles[d]


@part
def bound_angles(plan, state, work, dt):
    """Bounds that limits, speeds and accelerations leave to each angle in this frame, and the angles moved into them.

    A hinge goes no faster towards a limit than it can brake before it.
    """
    for d in range(plan.limits.shape[0]):
        low, high, angle = plan.limits[d, 0], plan.limits[d, 1], state.angles[d]
        most = plan.accelerations[d]
        if state.started[0] > 0.0:
            up = min(find_braking_speed(max(high - angle, 0.0), most * dt, dt), plan.speeds[d])
            down = min(find_braking_speed(max(angle - low, 0.0), most * dt, dt), plan.speeds[d])
            if state.started[0] > 1.0:
                up = min(up, max(state.velocities[d] + most * dt, -down))
                down = min(down, max(most * dt - state.velocities[d], -up))
            low = max(low, angle - down * dt + BOUND_MARGIN)
            high = min(high, angle + up * dt - BOUND_MARGIN)
        if low > high:  # by rounding
            low = high = min(max((low + high) / 2, plan.limits[d, 0]), plan.limits[d, 1])
        work.bounds[d, 0], work.bounds[d, 1] = low, high
        reach = EASY_SPEED * plan.speeds[d] * dt if state.started[0] > 0.0 else np.inf
        work.easy[d, 0], work.easy[d, 1] = angle - reach, angle + reach
        state.angles[d] = min(max(angle, low), high)


@part
def find_braking_speed(room, change, dt):
    """The highest speed at which something stops within some room when it may lose `change` in each step of dt.

    Steps at n changes, n - 1 changes and so on to none cover dt change n (n + 1) / 2; the rest of the room is spread
    over one step more.
    """
    steps = np.floor((np.sqrt(1.0 + 8.0 * room / (dt * change)) - 1.0) / 2)
    return change * steps + (room - dt * change * steps * (steps + 1) / 2) / (dt * (steps + 1))


@part
def look_ahead(plan, state, work, dt):
    """Where the last two frames take the base and the angles; the weight of that is zero before there are two.

    For the base it is the offset from its target that is smoothed, so that a runner is not held back. An acceleration
    moves things by its product with the square of dt, so the weight grows as dt shrinks.
    """
    work.pace[0] = (REFERENCE_SECONDS / dt) ** 2 if state.started[0] == 2.0 else 0.0
    work.pace[1] = REFERENCE_SECONDS / dt
    for k in range(3):
        stray = state.base[k] - state.last_target[k]
        work.ahead_base[k] = work.targets[0, k] + stray + FOLLOW_GAIN * (stray - state.last_stray[k])
        state.last_stray[k] = stray
        state.last_target[k] = work.targets[0, k]
    for d in range(plan.limits.shape[0]):
        work.ahead[d] = 2 * state.angles[d] - state.last_angles[d]
        state.last_angles[d] = state.angles[d]


@part
def start(plan, state, work):
    """The first frame begins at the decomposed angles, with the hips where they should be."""
    for d in range(plan.limits.shape[0]):
        state.angles[d] = min(max(state.references[d], plan.limits[d, 0]), plan.limits[d, 1])
    for k in range(3):
        state.base[k] = 0.0
    turn = read4(work.wanted, 0)
    for k in range(4):
        state.turn[k] = turn[k]
    place_links(plan, state.base, state.turn, state.angles, work.places, work.turns, work.spins)
    link = plan.task_links[0]
    away = rotate(read4(work.turns, link), read3(plan.task_points, 0))
    for k in range(3):
        state.base[k] = work.targets[0, k] - work.places[link, k] - away[k]


@part
def decompose(plan, state, work):
    """Reference angles of all chains, each against the rotation that the segment above really reaches."""
    for s in range(plan.segment_links.shape[0]):
        link = plan.segment_links[s]
        if plan.chains[s, 0] < 0:
            write4(work.reached, link, read4(work.wanted, s))
            continue
        above = read4(work.reached, plan.parents[plan.chains[s, 0]])
        decompose_chain(plan, plan.chains[s], multiply(inverse(above), read4(work.wanted, s)), state.references)
        for i in range(plan.chains.shape[1]):
            k = plan.chains[s, i]
            if k < 0:
                break
            axis, half = read3(plan.axes, k), state.references[k - 1] / 2
            turn = np.cos(half), axis[0] * np.sin(half), axis[1] * np.sin(half), axis[2] * np.sin(half)
            above = multiply(multiply(above, read4(plan.turns, k)), turn)
            write4(work.reached, k, above)
