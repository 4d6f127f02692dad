"""Tracked points in kernels: those that are broken count as not tracked."""

import math

from kinematch.compile.jit import inner, kernel

MIN_QUATERNION_LENGTH = 0.1  # of a quaternion that still defines a rotation


@inner
def read3(array, n, k):
    return array[n, k, 0], array[n, k, 1], array[n, k, 2]


@inner
def read4(array, n, k):
    return array[n, k, 0], array[n, k, 1], array[n, k, 2], array[n, k, 3]


@inner
def write3(array, n, k, v):
    array[n, k, 0], array[n, k, 1], array[n, k, 2] = v[0], v[1], v[2]


@inner
def write4(array, n, k, q):
    array[n, k, 0], array[n, k, 1], array[n, k, 2], array[n, k, 3] = q[0], q[1], q[2], q[3]


@inner
def is_finite(v):
    return math.isfinite(v[0]) and math.isfinite(v[1]) and math.isfinite(v[2])


@kernel
def drop_broken(positions, rotations, velocities, spins, valid):
    """Points with NaN in them, or without a rotation, become untracked; all in place."""
    for n in range(valid.shape[0]):
        for k in range(valid.shape[1]):
            w, x, y, z = read4(rotations, n, k)
            size = math.sqrt(w * w + x * x + y * y + z * z)
            good = (
                valid[n, k]
                and math.isfinite(size)
                and size > MIN_QUATERNION_LENGTH
                and is_finite(read3(positions, n, k))
            )
            good = good and is_finite(read3(velocities, n, k)) and is_finite(read3(spins, n, k))
            valid[n, k] = good
            if good:
                write4(rotations, n, k, (w / size, x / size, y / size, z / size))
            else:
                write4(rotations, n, k, (1.0, 0.0, 0.0, 0.0))
                write3(positions, n, k, (0.0, 0.0, 0.0))
                write3(velocities, n, k, (0.0, 0.0, 0.0))
                write3(spins, n, k, (0.0, 0.0, 0.0))
