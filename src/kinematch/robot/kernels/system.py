"""The normal equations of a refinement step: J'WJ and J'We of all tasks, with errors e, Jacobians J and weights W."""

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import about, inverse, multiply, read3, read4, rotate, write3, write4
from kinematch.robot.kernels.capsules import are_far, find_gap, find_nearest, place_capsules
from kinematch.robot.kernels.rotations import to_vector

FORWARD = (0.0, 0.0, 1.0)
KNEE_AND_HAND_ROWS = (2, 3, 8, 9)
NEAR_FLOOR = 0.5  # of the shin's length, below which knees and hands count the more, as much as a foot at the floor
FLOOR_SLACK = 0.001  # m that a point may be below the floor for nothing: soles that stand would weigh in every frame
FIRST_FOOT_ROW = 4  # row of the first foot's task
# columns of the base: three of its position, three of its rotation in the world; then one for each hinge
BASE_COLUMNS = 6


@kernel
def place_links(plan, base, base_turn, angles, places, turns, spins):
    """Global positions (L, 3), rotations (L, 4) and hinge axes (L, 3)."""
    for k in range(3):
        places[0, k] = base[k]
        spins[0, k] = 0.0
    for k in range(4):
        turns[0, k] = base_turn[k]
    for link in range(1, plan.parents.shape[0]):
        p = plan.parents[link]
        above = read4(turns, p)
        away = rotate(above, read3(plan.offsets, link))
        for k in range(3):
            places[link, k] = places[p, k] + away[k]
        zero = multiply(above, read4(plan.turns, link))
        axis = read3(plan.axes, link)
        write3(spins, link, rotate(zero, axis))
        write4(turns, link, multiply(zero, about(axis, angles[link - 1])))


@part
def point_columns(plan, work, link, x, y, z):
    """Jacobian of a world point on a link: fills work.columns and work.rows, returns their number."""
    for i in range(BASE_COLUMNS):
        work.indices[i] = i
        for k in range(3):
            work.columns[k, i] = 0.0
    rx, ry, rz = x - work.places[0, 0], y - work.places[0, 1], z - work.places[0, 2]
    work.columns[0, 0] = work.columns[1, 1] = work.columns[2, 2] = 1.0
    work.columns[1, 3], work.columns[2, 3] = -rz, ry
    work.columns[0, 4], work.columns[2, 4] = rz, -rx
    work.columns[0, 5], work.columns[1, 5] = -ry, rx
    count = BASE_COLUMNS
    for i in range(plan.above.shape[1]):
        up = plan.above[link, i]
        if up < 0:
            break
        rx, ry, rz = x - work.places[up, 0], y - work.places[up, 1], z - work.places[up, 2]
        sx, sy, sz = work.spins[up, 0], work.spins[up, 1], work.spins[up, 2]
        work.columns[0, count] = sy * rz - sz * ry
        work.columns[1, count] = sz * rx - sx * rz
        work.columns[2, count] = sx * ry - sy * rx
        work.indices[count] = BASE_COLUMNS + up - 1
        count += 1
    return count


@part
def turn_columns(plan, work, link):
    """How a link turns with each column."""
    for i in range(3):
        work.indices[i] = 3 + i
        for k in range(3):
            work.columns[k, i] = 1.0 if i == k else 0.0
    count = 3
    for i in range(plan.above.shape[1]):
        up = plan.above[link, i]
        if up < 0:
            break
        for k in range(3):
            work.columns[k, count] = work.spins[up, k]
        work.indices[count] = BASE_COLUMNS + up - 1
        count += 1
    return count


@part
def add_rows(work, count, rows, weight, error):
    """Add w J'J to the matrix and w J'e to the right side, J being the columns just filled; the cost w e'e."""
    for i in range(count):
        a = work.indices[i]
        total = 0.0
        for k in range(rows):
            total += work.columns[k, i] * error[k]
        work.right[a] += weight * total
        for j in range(i + 1):
            b = work.indices[j]
            total = 0.0
            for k in range(rows):
                total += work.columns[k, i] * work.columns[k, j]
            if a >= b:
                work.matrix[a, b] += weight * total
            else:
                work.matrix[b, a] += weight * total
    total = 0.0
    for k in range(rows):
        total += error[k] * error[k]
    return weight * total


@part
def leave_out(work, count, axis, error):
    """Take out of the columns, and of the error, what turns about an axis."""
    for i in range(count):
        along = axis[0] * work.columns[0, i] + axis[1] * work.columns[1, i] + axis[2] * work.columns[2, i]
        for k in range(3):
            work.columns[k, i] -= along * axis[k]
    along = axis[0] * error[0] + axis[1] * error[1] + axis[2] * error[2]
    return error[0] - along * axis[0], error[1] - along * axis[1], error[2] - along * axis[2]


@kernel
def build_system(plan, work, state, targets, wanted, damping):
    """The normal equations of all tasks at the present pose, and their cost there."""
    cost_here = 0.0
    size = BASE_COLUMNS + plan.limits.shape[0]
    for i in range(size):
        work.right[i] = 0.0
        for j in range(i):
            work.matrix[i, j] = 0.0
        work.matrix[i, i] = damping
    for t in range(plan.task_links.shape[0]):
        link = plan.task_links[t]
        turn = read4(work.turns, link)
        cost, turn_cost = plan.costs[t, 0], plan.costs[t, 1]
        if FIRST_FOOT_ROW <= t < FIRST_FOOT_ROW + 2:
            share = state.shares[t - FIRST_FOOT_ROW]
            cost = share * cost + (1.0 - share) * plan.swinging[0]
            turn_cost = share * turn_cost + (1.0 - share) * plan.swinging[1] * plan.flat[t - FIRST_FOOT_ROW]
        elif cost > 0 and (t in KNEE_AND_HAND_ROWS):
            near = 1.0 - (targets[t, 1] - plan.scales[1]) / (NEAR_FLOOR * plan.shin)
            cost += min(max(near, 0.0), 1.0) * (plan.swinging[0] - cost)
        if cost > 0:
            away = rotate(turn, read3(plan.task_points, t))
            x, y, z = work.places[link, 0] + away[0], work.places[link, 1] + away[1], work.places[link, 2] + away[2]
            count = point_columns(plan, work, link, x, y, z)
            cost_here += add_rows(
                work, count, 3, cost * cost, (targets[t, 0] - x, targets[t, 1] - y, targets[t, 2] - z)
            )
        if turn_cost > 0:
            error = to_vector(multiply(read4(wanted, plan.task_segments[t]), inverse(turn)))
            count, square = turn_columns(plan, work, link), turn_cost * turn_cost
            if FIRST_FOOT_ROW <= t < FIRST_FOOT_ROW + 2:
                loose = square * plan.numbers[7] ** 2
                cost_here += add_rows(work, count, 3, loose, error)
                ahead = rotate(
                    multiply(read4(wanted, plan.task_segments[t]), inverse(read4(plan.foot_axes, t - FIRST_FOOT_ROW))),
                    FORWARD,
                )
                error = leave_out(work, count, ahead, error)
                square -= loose
            cost_here += add_rows(work, count, 3, square, error)
    posture, smooth = plan.numbers[0] ** 2, (plan.numbers[1] * work.pace[0]) ** 2
    steady = (plan.numbers[8] * work.pace[0]) ** 2
    braking = (plan.numbers[9] * work.pace[1]) ** 2
    for k in range(3):
        work.matrix[k, k] += steady
        work.right[k] += steady * (work.ahead_base[k] - state.base[k])
        cost_here += steady * (work.ahead_base[k] - state.base[k]) ** 2
    for d in range(plan.limits.shape[0]):
        work.matrix[BASE_COLUMNS + d, BASE_COLUMNS + d] += posture + smooth
        work.right[BASE_COLUMNS + d] += posture * (state.references[d] - state.angles[d])
        work.right[BASE_COLUMNS + d] += smooth * (work.ahead[d] - state.angles[d])
        cost_here += posture * (state.references[d] - state.angles[d]) ** 2
        cost_here += smooth * (work.ahead[d] - state.angles[d]) ** 2
        over = state.angles[d] - min(max(state.angles[d], work.easy[d, 0]), work.easy[d, 1])
        if over != 0.0:  # faster than is easy
            work.matrix[BASE_COLUMNS + d, BASE_COLUMNS + d] += braking
            work.right[BASE_COLUMNS + d] -= braking * over
            cost_here += braking * over * over
    return cost_here + add_collisions(plan, work) + add_floor(plan, work)


@part
def add_floor(plan, work):
    """A row for each point below the floor, so that hands, knees and the trunk rest on it like feet."""
    cost, total = plan.numbers[10], 0.0
    if cost == 0.0:
        return total
    for i in range(plan.floor_links.shape[0]):
        link = plan.floor_links[i]
        x, y, z = work.places[link, 0], work.places[link, 1], work.places[link, 2]
        if y >= plan.floor_reaches[i]:
            continue
        away = rotate(read4(work.turns, link), read3(plan.floor_points, i))
        height = y + away[1] - plan.floor_radii[i]
        if height >= -FLOOR_SLACK:
            continue
        count = point_columns(plan, work, link, x + away[0], y + away[1], z + away[2])
        for k in range(count):
            work.columns[0, k] = work.columns[1, k]
        total += add_rows(work, count, 1, cost * cost, (-height - FLOOR_SLACK, 0.0, 0.0))
    return total


@part
def add_collisions(plan, work):
    """A row for each pair of limbs that are nearer than the margin, along the line between their nearest points."""
    cost, margin = plan.numbers[2], plan.numbers[3]
    total = 0.0
    if cost == 0.0:
        return total
    place_capsules(plan, work.places, work.turns, work.ends)
    for i in range(plan.pairs.shape[0]):
        a, b = plan.pairs[i, 0], plan.pairs[i, 1]
        if are_far(plan, work.ends, a, b, margin):
            continue
        s, t = find_nearest(work.ends, a, b)
        gap, way = find_gap(plan, work.ends, a, b, s, t)
        if gap >= margin:
            continue
        size = BASE_COLUMNS + plan.limits.shape[0]
        for k in range(size):
            work.line[k] = 0.0
        for side in range(2):
            c, share, sign = (a, s, 1.0) if side == 0 else (b, t, -1.0)
            x = work.ends[c, 0, 0] + share * (work.ends[c, 1, 0] - work.ends[c, 0, 0])
            y = work.ends[c, 0, 1] + share * (work.ends[c, 1, 1] - work.ends[c, 0, 1])
            z = work.ends[c, 0, 2] + share * (work.ends[c, 1, 2] - work.ends[c, 0, 2])
            count = point_columns(plan, work, plan.capsule_links[c], x, y, z)
            for k in range(count):
                along = way[0] * work.columns[0, k] + way[1] * work.columns[1, k] + way[2] * work.columns[2, k]
                work.line[work.indices[k]] += sign * along
        count = 0
        for k in range(size):
            if work.line[k] != 0.0:
                work.columns[0, count] = work.line[k]
                work.indices[count] = k
                count += 1
        total += add_rows(work, count, 1, cost * cost, (margin - gap, 0.0, 0.0))
    return total
