"""Compiled forward kinematics of whole clips; a test compares it with a plain version."""

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
