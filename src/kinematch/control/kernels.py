"""Kernels for crowds: neighbours on a collision course, found in a grid of cells, and drifting headings."""

import numpy as np

from kinematch.compile.jit import kernel


@kernel
def sort_into_cells(places, low, cell, shape):
    """Bodies grouped by cell: start of each cell (cells + 1,) in the list of bodies (N,), and each body's cell (N,)."""
    cells = np.empty(len(places), np.int64)
    starts = np.zeros(shape[0] * shape[1] + 1, np.int64)
    for n in range(len(places)):
        i = min(int((places[n, 0] - low[0]) / cell), shape[0] - 1)
        j = min(int((places[n, 1] - low[1]) / cell), shape[1] - 1)
        cells[n] = i * shape[1] + j
        starts[cells[n] + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    members = np.empty(len(places), np.int64)
    filled = starts.copy()
    for n in range(len(places)):
        members[filled[cells[n]]] = n
        filled[cells[n]] += 1
    return starts, members, cells


@kernel
def find_pushes(bodies, places, velocities, cells, starts, members, shape, reach, room, horizon):
    """Pushes (K, 2) on bodies (K,) away from others, about 1 long for another body in the way right now.

    Another body counts if both, moving straight on, would come closer than `room` within `horizon` seconds. The push
    points away from where it will be then, and is stronger the closer that is in space and time. In a head-on encounter
    a body steps to the right.
    """
    out = np.zeros((2, len(bodies))).T
    for k in range(len(bodies)):
        n = bodies[k]
        column, row = cells[n] // shape[1], cells[n] % shape[1]
        for i in range(max(column - 1, 0), min(column + 2, shape[0])):
            first = i * shape[1] + max(row - 1, 0)
            last = i * shape[1] + min(row + 1, shape[1] - 1)
            for at in range(starts[first], starts[last + 1]):
                other = members[at]
                x, z = places[other, 0] - places[n, 0], places[other, 1] - places[n, 1]
                if other == n or x * x + z * z > reach * reach:
                    continue
                vx, vz = velocities[other, 0] - velocities[n, 0], velocities[other, 1] - velocities[n, 1]
                closing, speed = -(x * vx + z * vz), vx * vx + vz * vz
                time = 0.0
                if closing > 0:
                    time = min(closing / speed, horizon)
                x, z = x + vx * time, z + vz * time
                apart = np.sqrt(x * x + z * z)
                if apart >= room:
                    continue
                weight = (1 - apart / room) * (1 - time / horizon)
                if apart < 0.05 * room:  # too central to tell a side
                    x, z = velocities[n, 1], -velocities[n, 0]
                    apart = np.sqrt(x * x + z * z)
                    if apart == 0:
                        x, z, apart = (
                            np.cos(1.0 * n),
                            np.sin(1.0 * n),
                            1.0,
                        )  # two bodies on one spot separate in arbitrary directions
                out[k, 0] -= weight * x / apart
                out[k, 1] -= weight * z / apart
    return out


@kernel
def turn_headings(headings, turning, noise, inward, keep, fresh, dt, back):
    """Advance headings (N,) in place, by their drift and away from the edge; the resulting directions (N, 2)."""
    out = np.empty((2, len(headings))).T
    for n in range(len(headings)):
        turning[n] = keep * turning[n] + fresh * noise[n]
        heading = headings[n] + dt * turning[n]
        x, z = inward[n, 0], inward[n, 1]
        if x != 0 or z != 0:
            sine, cosine = np.sin(heading), np.cos(heading)
            remaining = np.arctan2(x * cosine - z * sine, z * cosine + x * sine)
            heading -= np.expm1(-np.sqrt(x * x + z * z) * dt / back) * remaining
        headings[n] = heading
        out[n, 0], out[n, 1] = np.sin(heading), np.cos(heading)
    return out
