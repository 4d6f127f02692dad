"""From heads to height levels and trajectories, compiled (MMVR 5.5 and eq. 3-8)."""

import math

from kinematch.avatar.trackers import HEAD
from kinematch.compile.jit import kernel, part


@part
def wrap(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


@part
def spring(x, velocity, target, w, dt):
    """spring.spring of stiffness w."""
    if math.isinf(w):
        return target, 0.0
    offset, e = x - target, math.exp(-w * dt)
    slope = velocity + w * offset
    return target + (offset + slope * dt) * e, (velocity - slope * w * dt) * e


@kernel
def choose_levels(ratios, levels, current, taken, slack):
    """The level of each user, in place."""
    last = len(levels) - 1
    for n in range(len(ratios)):
        nearest = 0
        for k in range(1, last + 1):
            if abs(ratios[n] - levels[k]) < abs(ratios[n] - levels[nearest]):
                nearest = k
        now = nearest if current[n] < 0 else min(current[n], last)
        here, up, down = levels[now], levels[min(now + 1, last)], levels[max(now - 1, 0)]
        rises = up > here and ratios[n] > here + taken * (up - here)
        sinks = down < here and ratios[n] < here - max(taken * (here - down), slack)
        current[n] = nearest if rises or sinks else now


@kernel
def find_offsets(ratios, levels, heads, share, offsets):
    """From the root to a share of the way to below the head (N, 3) m, linear between levels."""
    last = len(levels) - 1
    for n in range(len(ratios)):
        low, t = 0, 0.0
        while low < last and levels[low + 1] <= ratios[n]:
            low += 1
        if low < last and ratios[n] > levels[low]:
            t = (ratios[n] - levels[low]) / (levels[low + 1] - levels[low])
        high = min(low + 1, last)
        for axis in range(3):
            ahead = heads[low, axis] + t * (heads[high, axis] - heads[low, axis])
            offsets[n, axis] = 0.0 if axis == 1 else share * ahead


@kernel
def predict(
    positions, speeds, given_yaws, offsets, dt, stiffness, rate_kept, turning, times,
    velocities, accelerations, yaws, yaw_rates, turn_rates, roots, directions,
):  # fmt: skip
    """Trajectories of N users, `roots` and `directions` (N, H, 3); smoothed values are updated in place.

    `stiffness` (2,) of the springs of velocities and facings; `rate_kept` of the turn rates after dt.
    """
    for n in range(len(yaws)):
        if math.isnan(yaws[n]):
            yaws[n] = given_yaws[n]
        for axis in range(3):
            speed = speeds[n, HEAD, axis] if axis != 1 else 0.0
            velocities[n, axis], accelerations[n, axis] = spring(
                velocities[n, axis], accelerations[n, axis], speed, stiffness[0], dt
            )
        target = yaws[n] + wrap(given_yaws[n] - yaws[n])
        yaws[n], yaw_rates[n] = spring(yaws[n], yaw_rates[n], target, stiffness[1], dt)
        turn_rates[n] = yaw_rates[n] + (turn_rates[n] - yaw_rates[n]) * rate_kept
        turn = wrap(given_yaws[n] - yaws[n]) + turn_rates[n] * turning
        c, s = math.cos(yaws[n]), math.sin(yaws[n])
        x = positions[n, HEAD, 0] - (c * offsets[n, 0] + s * offsets[n, 2])
        z = positions[n, HEAD, 2] - (c * offsets[n, 2] - s * offsets[n, 0])
        for h in range(len(times)):
            future = yaws[n] - turn * math.expm1(-max(times[h], 0.0) / turning)
            roots[n, h, 0] = x + times[h] * velocities[n, 0]
            roots[n, h, 1] = times[h] * velocities[n, 1] - offsets[n, 1]
            roots[n, h, 2] = z + times[h] * velocities[n, 2]
            directions[n, h, 0], directions[n, h, 1], directions[n, h, 2] = math.sin(future), 0.0, math.cos(future)
