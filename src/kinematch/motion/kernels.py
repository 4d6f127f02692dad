"""Compiled forward kinematics and splines of whole clips; tests compare them with plain versions."""

import numpy as np

from kinematch.compile.jit import kernel


@kernel
def forward_kinematics(positions, rotations, parents):
    """Global positions and rotations of (F, J, 3) and (F, J, 4) local ones; parents come first."""
    frames, joints = positions.shape[0], positions.shape[1]
    global_positions = np.empty_like(positions)
    global_rotations = np.empty_like(rotations)
    for f in range(frames):
        for j in range(joints):
            p = parents[j]
            if p < 0:
                for k in range(
                    3
                ):  # element by element: assigning rows adds three seconds of compiling, for numba's shape errors
                    global_positions[f, j, k] = positions[f, j, k]
                for k in range(4):
                    global_rotations[f, j, k] = rotations[f, j, k]
                continue
            w, x, y, z = (
                global_rotations[f, p, 0],
                global_rotations[f, p, 1],
                global_rotations[f, p, 2],
                global_rotations[f, p, 3],
            )
            vx, vy, vz = positions[f, j, 0], positions[f, j, 1], positions[f, j, 2]
            tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
            global_positions[f, j, 0] = global_positions[f, p, 0] + vx + w * tx + y * tz - z * ty
            global_positions[f, j, 1] = global_positions[f, p, 1] + vy + w * ty + z * tx - x * tz
            global_positions[f, j, 2] = global_positions[f, p, 2] + vz + w * tz + x * ty - y * tx
            bw, bx, by, bz = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            global_rotations[f, j, 0] = w * bw - x * bx - y * by - z * bz
            global_rotations[f, j, 1] = w * bx + x * bw + y * bz - z * by
            global_rotations[f, j, 2] = w * by - x * bz + y * bw + z * bx
            global_rotations[f, j, 3] = w * bz + x * by - y * bx + z * bw
    return global_positions, global_rotations


@kernel
def sample_spline(values, times, out):
    """Cubic splines through the columns of values (F, C) at frames 0, 1, 2 ..., sampled at times (T,) within them.

    Not-a-knot at both ends, as scipy.interpolate.CubicSpline; two frames make a line, three a parabola.
    """
    frames, columns = values.shape
    slopes = np.empty((frames, columns))
    if frames == 3:
        for c in range(columns):
            first, second = values[1, c] - values[0, c], values[2, c] - values[1, c]
            slopes[1, c] = (first + second) / 2
            slopes[0, c], slopes[2, c] = 2 * first - slopes[1, c], 2 * second - slopes[1, c]
    elif frames == 2:
        for c in range(columns):
            slopes[0, c] = slopes[1, c] = values[1, c] - values[0, c]
    else:
        solve_slopes(values, slopes)
    for t in range(len(times)):
        i = min(max(int(times[t]), 0), frames - 2)
        x = times[t] - i
        for c in range(columns):
            step = values[i + 1, c] - values[i, c]
            bend = slopes[i, c] + slopes[i + 1, c] - 2 * step
            square = x * x
            out[t, c] = values[i, c] + slopes[i, c] * x + (step - slopes[i, c] - bend) * square + bend * (square * x)


@kernel
def solve_slopes(values, slopes):
    """Slopes (F, C) at the frames that make accelerations continuous: a tridiagonal system, solved by elimination."""
    frames, columns = values.shape
    pivots = np.empty(frames)
    pivots[0] = 1.0
    for c in range(columns):
        first, second = values[1, c] - values[0, c], values[2, c] - values[1, c]
        slopes[0, c] = (5 * first + second) / 2
    for i in range(1, frames):
        above = 2.0 if i == 1 else 1.0
        below = 2.0 if i == frames - 1 else 1.0
        factor = below * (1 / pivots[i - 1])
        pivots[i] = (1.0 if i == frames - 1 else 4.0) - factor * above
        for c in range(columns):
            if i < frames - 1:
                right = 3 * ((values[i, c] - values[i - 1, c]) + (values[i + 1, c] - values[i, c]))
            else:
                last, before = values[i, c] - values[i - 1, c], values[i - 1, c] - values[i - 2, c]
                right = (before + 5 * last) / 2
            slopes[i, c] = right - factor * slopes[i - 1, c]
    for i in range(frames - 1, -1, -1):
        above = 2.0 if i == 0 else 1.0
        for c in range(columns):
            rest = slopes[i, c] if i == frames - 1 else slopes[i, c] - slopes[i + 1, c] * above
            slopes[i, c] = rest / pivots[i]
