"""Damped Gauss-Newton on the angles and the place of the base, within hard limits."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import about, multiply, read3, read4, rotate
from kinematch.robot.kernels.rotations import normalize
from kinematch.robot.kernels.system import BASE_COLUMNS, build_system, place_links

MAX_PASSES = 4  # in which hinges that meet their limits are held there and the others solved for again
MIN_DIAGONAL = 1e-6  # least that is added to the diagonal: what nothing decides stays
# of the first step, and factors after a good step and a bad one
FIRST_DAMPING, DAMPING_DECREASE, DAMPING_INCREASE = 1e-3, 0.3, 10.0
MIN_IMPROVEMENT = 1e-4  # share by which a step must lower the cost to go on


@kernel
def solve_within(plan, work, state):
    """The step that minimises the quadratic within the bounds of angles, by holding what meets a bound.

    An active set that only grows in the few passes there are: at worst a hinge stays at a bound for one iteration.
    """
    size = BASE_COLUMNS + plan.limits.shape[0]
    for i in range(size):
        work.held[i] = 0
        work.step[i] = 0.0
    for _ in range(MAX_PASSES):
        count = 0
        for i in range(size):
            if not work.held[i]:
                work.free[count] = i
                count += 1
        _solve_free(work, count, size)
        worst = False
        for i in range(count):
            k = work.free[i]
            if k < BASE_COLUMNS:
                continue
            angle = state.angles[k - BASE_COLUMNS]
            low, high = work.bounds[k - BASE_COLUMNS, 0] - angle, work.bounds[k - BASE_COLUMNS, 1] - angle
            if work.step[k] < low or work.step[k] > high:
                work.step[k] = min(max(work.step[k], low), high)
                work.held[k] = 1
                worst = True
        if not worst:
            return
    # the last pass may have moved what was not yet held
    for d in range(plan.limits.shape[0]):
        low, high = work.bounds[d, 0] - state.angles[d], work.bounds[d, 1] - state.angles[d]
        work.step[BASE_COLUMNS + d] = min(max(work.step[BASE_COLUMNS + d], low), high)


@part
def _solve_free(work, count, size):
    """Cholesky of the free part of the matrix; held columns move to the right side."""
    factor, values = work.factor, work.values
    for i in range(count):
        a = work.free[i]
        total = work.right[a]
        for h in range(size):
            if work.held[h]:
                total -= (work.matrix[a, h] if a >= h else work.matrix[h, a]) * work.step[h]
        values[i] = total
        for j in range(i + 1):
            b = work.free[j]
            total = work.matrix[a, b]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = np.sqrt(max(total, MIN_DIAGONAL))
            else:
                factor[i, j] = total / factor[j, j]
    for i in range(count):
        total = values[i]
        for k in range(i):
            total -= factor[i, k] * values[k]
        values[i] = total / factor[i, i]
    for i in range(count - 1, -1, -1):
        total = values[i]
        for k in range(i + 1, count):
            total -= factor[k, i] * values[k]
        values[i] = total / factor[i, i]
        work.step[work.free[i]] = values[i]


@part
def take_step(plan, work, state):
    """Move the base and the angles by the step."""
    for k in range(3):
        state.base[k] += work.step[k]
    x, y, z = work.step[3], work.step[4], work.step[5]
    size = np.sqrt(x * x + y * y + z * z)
    if size > 0:
        turn = about((x / size, y / size, z / size), size)
        q = normalize(multiply(turn, (state.turn[0], state.turn[1], state.turn[2], state.turn[3])))
        for k in range(4):
            state.turn[k] = q[k]
    for d in range(plan.limits.shape[0]):
        angle = state.angles[d] + work.step[BASE_COLUMNS + d]
        state.angles[d] = min(max(angle, work.bounds[d, 0]), work.bounds[d, 1])


@part
def refine(plan, work, state, iterations):
    """Levenberg-Marquardt: a step that makes things worse is taken back and tried again with more damping."""
    damping, best = FIRST_DAMPING, np.inf
    for i in range(iterations + 1):
        place_links(plan, state.base, state.turn, state.angles, work.places, work.turns, work.spins)
        cost = build_system(plan, work, state, work.targets, work.wanted, damping)
        if cost <= best:
            done = best - cost <= MIN_IMPROVEMENT * cost
            best = cost
            copy_pose(state.base, state.turn, state.angles, work.best_base, work.best_turn, work.best_angles)
            damping = max(damping * DAMPING_DECREASE, MIN_DIAGONAL)
            if done:
                break
        else:
            copy_pose(work.best_base, work.best_turn, work.best_angles, state.base, state.turn, state.angles)
            damping *= DAMPING_INCREASE
            place_links(plan, state.base, state.turn, state.angles, work.places, work.turns, work.spins)
            build_system(plan, work, state, work.targets, work.wanted, damping)
        if i < iterations:
            solve_within(plan, work, state)
            take_step(plan, work, state)


@part
def copy_pose(base, turn, angles, to_base, to_turn, to_angles):
    for k in range(3):
        to_base[k] = base[k]
    for k in range(4):
        to_turn[k] = turn[k]
    for d in range(angles.shape[0]):
        to_angles[d] = angles[d]


@part
def find_lowest(plan, work):
    """The height of the robot's lowest point."""
    low = np.inf
    for i in range(plan.floor_links.shape[0]):
        link = plan.floor_links[i]
        away = rotate(read4(work.turns, link), read3(plan.floor_points, i))
        low = min(low, work.places[link, 1] + away[1] - plan.floor_radii[i])
    return low
