"""Compiled twins of `Trajectory`: whether its numbers are sound, and samples of it at any time."""

import math

from kinematch.compile.jit import kernel


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


@kernel
def sample(times, positions, directions, characters, moments, places, yaws):
    """Trajectory.sample_plainly of characters (M,) at moments (M, T) or, for all, (1, T): places (M, T, 3), yaws (M, T)."""
    last = len(times) - 1
    for m in range(len(characters)):
        n, row = characters[m], m if len(moments) > 1 else 0
        for k in range(moments.shape[1]):
            after = 1
            while after < last and times[after] < moments[row, k]:
                after += 1
            t = (moments[row, k] - times[after - 1]) / (times[after] - times[after - 1])
            for axis in range(3):
                here = positions[n, after - 1, axis]
                places[m, k, axis] = here + t * (positions[n, after, axis] - here)
            yaw = math.atan2(directions[n, after - 1, 0], directions[n, after - 1, 2])
            turn = math.atan2(directions[n, after, 0], directions[n, after, 2]) - yaw
            turn = (turn + math.pi) % (2 * math.pi) - math.pi
            yaws[m, k] = yaw + min(max(t, 0.0), 1.0) * turn
