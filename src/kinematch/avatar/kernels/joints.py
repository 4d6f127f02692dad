"""Devices to joints in one kernel."""

from kinematch.avatar.kernels.points import read3, read4, write3, write4
from kinematch.avatar.trackers import LEFT_HAND, RIGHT_HAND
from kinematch.compile.jit import kernel
from kinematch.math.kernels import cross, inverse, multiply, rotate, scale_vector, subtract


@kernel
def locate(
    positions, rotations, velocities, spins, valid, offsets, turns, floors, scales, swapped,
    joint_positions, joint_rotations, joint_velocities, joint_spins, joint_valid,
):  # fmt: skip
    """The joints of N samples, by one calibration for all or one each."""
    for n in range(valid.shape[0]):
        c = n if len(scales) > 1 else 0
        for k in range(valid.shape[1]):
            device = k
            if swapped[c] and k in (LEFT_HAND, RIGHT_HAND):
                device = LEFT_HAND + RIGHT_HAND - k
            turn = multiply(read4(rotations, n, device), inverse(read4(turns, c, k)))
            arm, spin = rotate(turn, read3(offsets, c, k)), read3(spins, n, device)
            x, y, z = subtract(read3(positions, n, device), arm)
            speed = subtract(read3(velocities, n, device), cross(spin, arm))
            write3(joint_positions, n, k, scale_vector((x, y - floors[c], z), scales[c]))
            write4(joint_rotations, n, k, turn)
            write3(joint_velocities, n, k, scale_vector(speed, scales[c]))
            write3(joint_spins, n, k, spin)
            joint_valid[n, k] = valid[n, device]
