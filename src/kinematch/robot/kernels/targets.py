"""Where the parts of the robot should be, from a pose of the person."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import inverse, multiply, read3, read4, rotate, write3, write4
from kinematch.robot.kernels.rotations import unit_or

DOWN = (0.0, -1.0, 0.0)


@kernel
def place_source(parents, positions, rotations, places, turns):
    """Global positions (Js, 3) and rotations (Js, 4) of the source, float64."""
    for j in range(parents.shape[0]):
        q = (
            np.float64(rotations[j, 0]), np.float64(rotations[j, 1]), np.float64(rotations[j, 2]),
            np.float64(rotations[j, 3]),
        )  # fmt: skip
        v = np.float64(positions[j, 0]), np.float64(positions[j, 1]), np.float64(positions[j, 2])
        p = parents[j]
        if p >= 0:
            above = read4(turns, p)
            at = rotate(above, v)
            v = places[p, 0] + at[0], places[p, 1] + at[1], places[p, 2] + at[2]
            q = multiply(above, q)
        write3(places, j, v)
        write4(turns, j, q)


@kernel
def find_targets(plan, places, turns, targets, wanted):
    """Fill targets (T, 3) of the tasks, feet by their ankles, and world rotations (S, 4) wanted of segments.

    Hips and ankles of the person are scaled by leg length and moved apart or together to the width of the robot's hips;
    knees, shoulders, elbows and hands lie from there in the person's directions at the robot's own lengths.
    """
    for s in range(plan.segment_links.shape[0]):
        write4(wanted, s, multiply(read4(turns, plan.segment_joints[s]), read4(plan.segment_axes, s)))
    scale, lift, widening, trunk = plan.scales[0], plan.scales[1], plan.scales[2], plan.scales[3]
    marks = plan.landmarks
    hips_turn = multiply(read4(wanted, plan.trunk_segments[0]), inverse(read4(plan.trunk_axes, 0)))
    chest_turn = multiply(read4(wanted, plan.trunk_segments[1]), inverse(read4(plan.trunk_axes, 1)))
    left, right = read3(places, marks[0]), read3(places, marks[1])
    middle = (left[0] + right[0]) / 2, (left[1] + right[1]) / 2, (left[2] + right[2]) / 2
    hips = scale * middle[0], scale * middle[1] + lift, scale * middle[2]
    write3(targets, 0, hips)
    side = unit_or((left[0] - right[0], 0.0, left[2] - right[2]), (1.0, 0.0, 0.0))
    a, b = read3(places, marks[6]), read3(places, marks[7])
    top = (
        hips[0] + trunk * ((a[0] + b[0]) / 2 - middle[0]),
        hips[1] + trunk * ((a[1] + b[1]) / 2 - middle[1]),
        hips[2] + trunk * ((a[2] + b[2]) / 2 - middle[2]),
    )
    write3(targets, 1, top)
    for k in range(2):
        sign = widening if k == 0 else -widening
        away = rotate(hips_turn, read3(plan.hip_vectors, k))
        start = hips[0] + away[0], hips[1] + away[1], hips[2] + away[2]
        write3(targets, 2 + k, _go(start, read3(places, marks[k]), read3(places, marks[2 + k]), plan.scales[4]))
        ankle = read3(places, marks[4 + k])
        low = lift + plan.scales[7]
        write3(
            targets,
            4 + k,
            (scale * ankle[0] + sign * side[0], scale * ankle[1] + low, scale * ankle[2] + sign * side[2]),
        )
        away = rotate(chest_turn, read3(plan.shoulder_vectors, k))
        start = top[0] + away[0], top[1] + away[1], top[2] + away[2]
        elbow = _go(start, read3(places, marks[6 + k]), read3(places, marks[8 + k]), plan.scales[5])
        write3(targets, 6 + k, elbow)
        write3(targets, 8 + k, _go(elbow, read3(places, marks[8 + k]), read3(places, marks[10 + k]), plan.scales[6]))


@part
def _go(start, a, b, length):
    """So far from a start as a bone of the person points."""
    d = unit_or((b[0] - a[0], b[1] - a[1], b[2] - a[2]), DOWN)
    return start[0] + length * d[0], start[1] + length * d[1], start[2] + length * d[2]
