"""Compiled poses: from what a decompressor gives to quaternions, and between two frames of a character."""

import numpy as np

from kinematch.compile.jit import inner, kernel

SMALLEST_SINE = 1e-7  # of half an angle, below which its double is the angle


@kernel
def read_poses(outputs, chains, places, moving, rotations_out, places_out, heights_out):
    """Quaternions, places and toe heights of N poses from what a decompressor gave; see PoseColumns.

    outputs (N, P), chains (K, C) joints from below the root to each contact joint, -1 past the end, places (J, 3) at
    rest -> rotations (N, J, 4), places (N, M, 3), heights (N, K).
    """
    joints = rotations_out.shape[1]
    first = 6 * (joints - 1)
    local = places.copy()
    for n in range(len(outputs)):
        rotations_out[n, 0, 0] = 1.0
        rotations_out[n, 0, 1:] = 0.0
        for joint in range(1, joints):
            read_rotation(outputs, n, 6 * (joint - 1), rotations_out)
        for m in range(len(moving)):
            for axis in range(3):
                value = outputs[n, first + 3 * m + axis]
                places_out[n, m, axis] = local[moving[m], axis] = value
        for contact in range(len(chains)):
            heights_out[n, contact] = find_height(rotations_out, n, local, chains, contact)


@inner
def read_rotation(outputs, n, column, rotations_out):
    """rotation.from_two_axis of one joint: w x y z from two axes made orthogonal."""
    ax, ay, az = outputs[n, column], outputs[n, column + 1], outputs[n, column + 2]
    bx, by, bz = outputs[n, column + 3], outputs[n, column + 4], outputs[n, column + 5]
    size = np.sqrt(ax * ax + ay * ay + az * az)
    if size > 0:
        ax, ay, az = ax / size, ay / size, az / size
    along = ax * bx + ay * by + az * bz
    bx, by, bz = bx - along * ax, by - along * ay, bz - along * az
    size = np.sqrt(bx * bx + by * by + bz * bz)
    if size > 0:
        bx, by, bz = bx / size, by / size, bz / size
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    # the largest component first, so that small ones lose nothing
    w, x, y, z = ax + by + cz, ax - by - cz, by - ax - cz, cz - ax - by
    if w >= x and w >= y and w >= z:
        w, x, y, z = 1 + w, bz - cy, cx - az, ay - bx
    elif x >= y and x >= z:
        w, x, y, z = bz - cy, 1 + x, ay + bx, cx + az
    elif y >= z:
        w, x, y, z = cx - az, ay + bx, 1 + y, bz + cy
    else:
        w, x, y, z = ay - bx, cx + az, bz + cy, 1 + z
    size = np.sqrt(w * w + x * x + y * y + z * z)
    joint = column // 6 + 1
    if size > 0:
        rotations_out[n, joint, 0], rotations_out[n, joint, 1] = w / size, x / size
        rotations_out[n, joint, 2], rotations_out[n, joint, 3] = y / size, z / size
    else:  # no axes at all: as the parent stands
        rotations_out[n, joint, 0] = 1.0
        rotations_out[n, joint, 1] = rotations_out[n, joint, 2] = rotations_out[n, joint, 3] = 0.0


@inner
def find_height(rotations, n, local, chains, contact):
    """Height of a contact joint above the root: from the joint up, each place turned by the joints above it."""
    x = y = z = 0.0
    for link in range(chains.shape[1] - 1, -1, -1):
        joint = chains[contact, link]
        if joint < 0:
            continue
        q0, q1, q2, q3 = rotations[n, joint, 0], rotations[n, joint, 1], rotations[n, joint, 2], rotations[n, joint, 3]
        tx, ty, tz = 2 * (q2 * z - q3 * y), 2 * (q3 * x - q1 * z), 2 * (q1 * y - q2 * x)
        x, y, z = (
            x + q0 * tx + q2 * tz - q3 * ty + local[joint, 0],
            y + q0 * ty + q3 * tx - q1 * tz + local[joint, 1],
            z + q0 * tz + q1 * ty - q2 * tx + local[joint, 2],
        )
    return y


@kernel
def blend_poses(
    characters,
    fractions,
    rate,
    rest,
    moving,
    rotations,
    places,
    positions_out,
    rotations_out,
    velocities_out,
    spins_out,
):
    """Poses between two frames of each character (M,): rotations (N, 2, J, 4), places (N, 2, K, 3), fractions (N,).

    Velocities are what changes from the one to the other; what is out is (M, J, ...).
    """
    joints = rotations.shape[2]
    for m in range(len(characters)):
        n, t = characters[m], fractions[characters[m]]
        positions_out[m], velocities_out[m] = rest, 0.0
        for k in range(len(moving)):
            for axis in range(3):
                before, after = places[n, 0, k, axis], places[n, 1, k, axis]
                positions_out[m, moving[k], axis] = before + t * (after - before)
                velocities_out[m, moving[k], axis] = (after - before) * rate
        for j in range(joints):
            blend_rotation(rotations, n, j, t, rate, m, rotations_out, spins_out)


@inner
def blend_rotation(rotations, n, j, t, rate, m, rotations_out, spins_out):
    """The shorter way from one rotation to the other, normalised, and its rate as a rotation vector."""
    a0, a1, a2, a3 = rotations[n, 0, j, 0], rotations[n, 0, j, 1], rotations[n, 0, j, 2], rotations[n, 0, j, 3]
    b0, b1, b2, b3 = rotations[n, 1, j, 0], rotations[n, 1, j, 1], rotations[n, 1, j, 2], rotations[n, 1, j, 3]
    # b a^-1, in the parent's space
    w = a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
    if w < 0:
        w, b0, b1, b2, b3 = -w, -b0, -b1, -b2, -b3
    x = a0 * b1 - a1 * b0 + a2 * b3 - a3 * b2
    y = a0 * b2 - a2 * b0 + a3 * b1 - a1 * b3
    z = a0 * b3 - a3 * b0 + a1 * b2 - a2 * b1
    sine = np.sqrt(x * x + y * y + z * z)
    turn = rate * (2 * np.arctan2(sine, w) / sine if sine > SMALLEST_SINE else 2.0)
    spins_out[m, j, 0], spins_out[m, j, 1], spins_out[m, j, 2] = turn * x, turn * y, turn * z
    c0, c1, c2, c3 = a0 + t * (b0 - a0), a1 + t * (b1 - a1), a2 + t * (b2 - a2), a3 + t * (b3 - a3)
    size = np.sqrt(c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3)
    rotations_out[m, j, 0], rotations_out[m, j, 1] = c0 / size, c1 / size
    rotations_out[m, j, 2], rotations_out[m, j, 3] = c2 / size, c3 / size


@kernel
def are_sound(characters, a, b, c, d, e, f, g, fractions, steps, largest, most):
    """Whether all numbers of characters (M,) in rows (N, ...) are small, fractions within 0 and 1, steps within 0 and
    the most."""
    for n in characters:
        if not (fractions[n] >= 0 and fractions[n] <= 1 and steps[n] >= 0 and steps[n] <= most):
            return False
        good = is_small(a, n, largest) and is_small(b, n, largest) and is_small(c, n, largest)
        good = good and is_small(d, n, largest) and is_small(e, n, largest)
        if not (good and is_small(f, n, largest) and is_small(g, n, largest)):
            return False
    return True


@inner
def is_small(rows, n, largest):
    """Whether every number of a row is; NaN is not."""
    good = True
    for k in range(rows.shape[1]):
        good = good and abs(rows[n, k]) < largest
    return good
