"""Compiled Euler angles and forward kinematics for whole clips; each equals its plain twin in a test."""

import numpy as np

from kinematch.math.jit import kernel


@kernel
def euler_to_quaternions(angles, axes):
    """rotation.from_euler for (F, J, 3) radians with each joint's own axes (J, 3) in 0, 1, 2."""
    frames, joints = angles.shape[0], angles.shape[1]
    out = np.empty((frames, joints, 4), angles.dtype)
    for f in range(frames):
        for j in range(joints):
            w, v = 1.0, np.zeros(3)
            for k in range(3):
                axis = axes[j, k]
                half = angles[f, j, k] * 0.5
                c, s = np.cos(half), np.sin(half)
                # (w, v) * (c, s * e_axis), written out
                b, d = (axis + 1) % 3, (axis + 2) % 3
                w, v[axis], v[b], v[d] = (
                    w * c - v[axis] * s,
                    v[axis] * c + w * s,
                    v[b] * c + v[d] * s,
                    v[d] * c - v[b] * s,
                )
            out[f, j, 0] = w
            out[f, j, 1] = v[0]
            out[f, j, 2] = v[1]
            out[f, j, 3] = v[2]
    return out


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
                for k in range(3):  # by number: whole rows compile for three seconds, to be able to say they don't fit
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
