"""Kernels of `Trajectory`: whether its numbers are sound, mean velocities, and bodies on it."""

import math

from kinematch.compile.jit import inner, kernel


@kernel
def is_sound(times, positions, directions):
    """Whether everything is finite, times increase past zero and each direction lies along the ground."""
    last = -math.inf
    for h in range(len(times)):
        if not (math.isfinite(times[h]) and times[h] > last):
            return False
        last = times[h]
    if times[0] > 0 or last <= 0:
        return False
    for n in range(positions.shape[0]):
        for h in range(positions.shape[1]):
            total = 0.0
            for axis in range(3):
                total += abs(positions[n, h, axis]) + abs(directions[n, h, axis])
            if not math.isfinite(total) or (directions[n, h, 0] == 0 and directions[n, h, 2] == 0):
                return False
    return True


@inner
def wrap(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


@inner
def sample_one(times, positions, directions, n, moment):
    """Trajectory.sample of body n at a moment: x, y, z and yaw."""
    after = 1
    while after < len(times) - 1 and times[after] < moment:
        after += 1
    t = (moment - times[after - 1]) / (times[after] - times[after - 1])
    x, y, z = positions[n, after - 1, 0], positions[n, after - 1, 1], positions[n, after - 1, 2]
    x += t * (positions[n, after, 0] - x)
    y += t * (positions[n, after, 1] - y)
    z += t * (positions[n, after, 2] - z)
    yaw = math.atan2(directions[n, after - 1, 0], directions[n, after - 1, 2])
    turn = wrap(math.atan2(directions[n, after, 0], directions[n, after, 2]) - yaw)
    return x, y, z, yaw + min(max(t, 0.0), 1.0) * turn


@kernel
def average_velocities(times, positions, directions, now, slowest, velocities):
    """(N, 3) m/s from a moment `now` to the last sample; zero below a speed."""
    last = len(times) - 1
    for n in range(len(positions)):
        x, y, z, _ = sample_one(times, positions, directions, n, now)
        x, y, z = positions[n, last, 0] - x, positions[n, last, 1] - y, positions[n, last, 2] - z
        x, y, z = x / times[last], y / times[last], z / times[last]
        moves = math.sqrt(x * x + z * z) > slowest
        velocities[n, 0], velocities[n, 1], velocities[n, 2] = (x, y, z) if moves else (0.0, 0.0, 0.0)


@kernel
def place_bodies(times, positions, directions, moment, characters, places, velocities, accelerations, yaws, yaw_rates):
    """Put the bodies of characters (M,) on a trajectory at a moment, with its velocity over half of its first span on
    either side."""
    reach = 0.5 * (times[1] - times[0])
    for m in range(len(characters)):
        n = characters[m]
        x, y, z, yaw = sample_one(times, positions, directions, n, moment)
        ax, ay, az, before = sample_one(times, positions, directions, n, moment - reach)
        bx, by, bz, after = sample_one(times, positions, directions, n, moment + reach)
        places[n, 0], places[n, 1], places[n, 2], yaws[n] = x, y, z, wrap(yaw)
        velocities[n, 0], velocities[n, 1] = (bx - ax) / (2 * reach), (by - ay) / (2 * reach)
        velocities[n, 2], yaw_rates[n] = (bz - az) / (2 * reach), wrap(after - before) / (2 * reach)
        accelerations[n, 0] = accelerations[n, 1] = accelerations[n, 2] = 0.0
