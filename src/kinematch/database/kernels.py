"""Compiled twin of the joint motion that features are measured from; equal to its plain twin in a test."""

import numpy as np

from kinematch.compile.jit import kernel


@kernel
def joint_motion(positions, rotations, velocities, angular_velocities, chain):
    """measures.joint_motion for (N, J, ...) arrays of one dtype; chain runs from the root to the joint.

    Velocities add up along the chain, each turned by what lies above it.
    """
    count = positions.shape[0]
    out_p = np.empty((count, 3), positions.dtype)
    out_q = np.empty((count, 4), positions.dtype)
    out_v = np.empty((count, 3), positions.dtype)
    for n in range(count):
        # the root's own velocities in its own axes: rotated by its inverse
        qw, qx, qy, qz = rotations[n, 0, 0], -rotations[n, 0, 1], -rotations[n, 0, 2], -rotations[n, 0, 3]
        x, y, z = velocities[n, 0, 0], velocities[n, 0, 1], velocities[n, 0, 2]
        tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
        vx, vy, vz = x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx
        x, y, z = angular_velocities[n, 0, 0], angular_velocities[n, 0, 1], angular_velocities[n, 0, 2]
        tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
        wx, wy, wz = x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx
        px, py, pz = x - x, x - x, x - x  # zero of the arrays' own type
        qw, qx, qy, qz = px + 1, px, px, px
        for k in range(1, len(chain)):
            j = chain[k]
            x, y, z = positions[n, j, 0], positions[n, j, 1], positions[n, j, 2]
            tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
            ox, oy, oz = (
                x + qw * tx + qy * tz - qz * ty,
                y + qw * ty + qz * tx - qx * tz,
                z + qw * tz + qx * ty - qy * tx,
            )
            px, py, pz = px + ox, py + oy, pz + oz
            x, y, z = velocities[n, j, 0], velocities[n, j, 1], velocities[n, j, 2]
            tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
            vx += wy * oz - wz * oy + x + qw * tx + qy * tz - qz * ty
            vy += wz * ox - wx * oz + y + qw * ty + qz * tx - qx * tz
            vz += wx * oy - wy * ox + z + qw * tz + qx * ty - qy * tx
            x, y, z = angular_velocities[n, j, 0], angular_velocities[n, j, 1], angular_velocities[n, j, 2]
            tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
            wx += x + qw * tx + qy * tz - qz * ty
            wy += y + qw * ty + qz * tx - qx * tz
            wz += z + qw * tz + qx * ty - qy * tx
            bw, bx, by, bz = rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3]
            qw, qx, qy, qz = (
                qw * bw - qx * bx - qy * by - qz * bz,
                qw * bx + qx * bw + qy * bz - qz * by,
                qw * by - qx * bz + qy * bw + qz * bx,
                qw * bz + qx * by - qy * bx + qz * bw,
            )
        out_p[n, 0], out_p[n, 1], out_p[n, 2] = px, py, pz
        out_q[n, 0], out_q[n, 1], out_q[n, 2], out_q[n, 3] = qw, qx, qy, qz
        out_v[n, 0], out_v[n, 1], out_v[n, 2] = vx, vy, vz
    return out_p, out_q, out_v
