"""The checks around layers: which characters are finite, and what a layer left behind."""

import math

from kinematch.compile.jit import kernel

MIN_QUATERNION_LENGTH = 0.1  # length of a quaternion that still tells a rotation
SOUND, OUTSIDE, BROKEN = 0, 1, 2  # what `settle` finds: joints that do not exist, numbers that are no pose


@kernel
def find_finite(positions, rotations, good):
    """Which characters (N,) have finite poses."""
    for n in range(positions.shape[0]):
        total = 0.0
        for j in range(positions.shape[1]):
            total += 0 * positions[n, j, 0] + 0 * positions[n, j, 1] + 0 * positions[n, j, 2]
            for k in range(4):
                total += 0 * rotations[n, j, k]
        good[n] = total == 0  # NaN where anything is not finite


@kernel
def settle(positions, rotations, rest, moving, changed, good):
    """What follows a layer that changed joints (C,), in place; what was found.

    Bones keep their length, for only joints that move (M,) may be placed, and rotations of characters that were finite
    (N,) get length one.
    """
    joints = rotations.shape[1]
    for j in changed:
        if j < 0 or j >= joints:
            return OUTSIDE
    for n in range(positions.shape[0]):
        m = 0
        for j in range(1, joints):
            while m < len(moving) and moving[m] < j:
                m += 1
            if m == len(moving) or moving[m] != j:
                for k in range(3):
                    positions[n, j, k] = rest[j, k]
        if not good[n]:
            continue
        for j in changed:
            w, x, y, z = rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3]
            size = math.sqrt(w * w + x * x + y * y + z * z)
            away = positions[n, j, 0] + positions[n, j, 1] + positions[n, j, 2]
            if not (size > MIN_QUATERNION_LENGTH and math.isfinite(size) and math.isfinite(away)):
                return BROKEN
            rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3] = (
                w / size, x / size, y / size, z / size
            )  # fmt: skip
    return SOUND
