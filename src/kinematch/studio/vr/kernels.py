"""Samples of pages in kernels: checked, turned into our axes, and their velocities."""

import math

from kinematch.avatar.upper_body.kernels.vectors import to_vector
from kinematch.compile.jit import kernel
from kinematch.math.kernels import inverse, multiply, read3, read4, scale_vector, subtract, write3, write4

MAX_DISTANCE = 1000.0  # m from the middle of the room
MIN_QUATERNION_LENGTH, MAX_QUATERNION_LENGTH = 0.5, 2.0  # lengths of quaternions that tell a rotation


@kernel
def check_points(positions, rotations, told, valid):
    """Points (7,) of a page into ours, in place: rotations x y z w of devices that look along -Z become w x y z of
    devices that look along +Z. Returns the bits of those that were told, but make no sense; they are not valid."""
    wrong = 0
    for k in range(len(valid)):
        p, (x, y, z, w) = read3(positions, k), read4(rotations, k)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        near = abs(p[0]) < MAX_DISTANCE and abs(p[1]) < MAX_DISTANCE and abs(p[2]) < MAX_DISTANCE  # false for NaN
        bit = (told >> k) & 1
        valid[k] = bit == 1 and near and MIN_QUATERNION_LENGTH < size < MAX_QUATERNION_LENGTH
        if valid[k]:
            write4(rotations, k, (-y, -z, w, x))
        else:
            write3(positions, k, (0.0, 0.0, 0.0))
            write4(rotations, k, (0.0, 0.0, 1.0, 0.0))
            wrong |= bit << k
    return wrong


@kernel
def find_motion(positions, rotations, positions_before, rotations_before, known, dt, velocities, spins):
    """Velocities and angular velocities (7, 3) of known points since dt before; zero of the others."""
    for k in range(len(known)):
        velocity = spin = (0.0, 0.0, 0.0)
        if known[k]:
            velocity = scale_vector(subtract(read3(positions, k), read3(positions_before, k)), 1 / dt)
            spin = scale_vector(to_vector(multiply(read4(rotations, k), inverse(read4(rotations_before, k)))), 1 / dt)
        write3(velocities, k, velocity)
        write3(spins, k, spin)
