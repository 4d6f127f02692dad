"""Kernels that look up the ground under points: in a grid of heights, and in triangles grouped by cell."""

import math

import numpy as np

from kinematch.compile.jit import inner, kernel

ON_EDGE = -1e-9  # barycentric tolerance: a point on a shared edge belongs to at least one triangle


@inner
def find_cell(place, first, cell, count, repeats):
    """Along one axis: the cell, the fraction within it (0 to 1), and whether the point is inside the grid."""
    along = (place - first) / cell
    if repeats:
        along -= (count - 1) * math.floor(along / (count - 1))
    inside = 0.0 <= along <= count - 1
    along = min(max(along, 0.0), count - 1.0)
    low = min(int(along), count - 2)
    return low, along - low, inside


@inner
def find_height(values, first_x, first_z, cell, repeats, x, z):
    """The bilinear height at a point; outside, that of the repeated grid or of the nearest edge."""
    i, u, _ = find_cell(x, first_x, cell, values.shape[0], repeats)
    j, v, _ = find_cell(z, first_z, cell, values.shape[1], repeats)
    near = values[i, j] * (1 - v) + values[i, j + 1] * v
    far = values[i + 1, j] * (1 - v) + values[i + 1, j + 1] * v
    return near * (1 - u) + far * u


@inner
def find_normal(values, first_x, first_z, cell, repeats, x, z):
    """The unit normal of the bilinear surface at a point."""
    i, u, inside_x = find_cell(x, first_x, cell, values.shape[0], repeats)
    j, v, inside_z = find_cell(z, first_z, cell, values.shape[1], repeats)
    a, b, c, d = values[i, j], values[i, j + 1], values[i + 1, j], values[i + 1, j + 1]
    slope_x = ((c - a) * (1 - v) + (d - b) * v) / cell if inside_x else 0.0
    slope_z = ((b - a) * (1 - u) + (d - c) * u) / cell if inside_z else 0.0
    scale = 1 / math.sqrt(slope_x * slope_x + slope_z * slope_z + 1)
    return -slope_x * scale, scale, -slope_z * scale


@kernel
def grid_heights(values, origin, cell, repeats, points):
    """Heights (M,) under points (M, 2)."""
    out = np.empty(len(points))
    for m in range(len(points)):
        out[m] = find_height(values, origin[0], origin[1], cell, repeats, points[m, 0], points[m, 1])
    return out


@kernel
def grid_normals(values, origin, cell, repeats, points):
    """Unit normals (M, 3) under points (M, 2)."""
    out = np.empty((len(points), 3))
    for m in range(len(points)):
        x, y, z = find_normal(values, origin[0], origin[1], cell, repeats, points[m, 0], points[m, 1])
        out[m, 0], out[m, 1], out[m, 2] = x, y, z
    return out


@kernel
def highest_triangles(rows, starts, members, origin, cell, shape, points):
    """The highest triangles (M,) at points (M, 2), -1 for none, and the heights (M,) there.

    A row (T, 9) holds a corner x, z; the 2 x 2 matrix from an offset (x, z) to the barycentric coordinates u, v of the
    other two corners; the corner's height and its change per u and v. Triangles `members[starts[c] : starts[c + 1]]`
    overlap cell c; cells are numbered along z first.
    """
    found = np.full(len(points), -1, np.int32)
    heights = np.zeros(len(points))
    for m in range(len(points)):
        i, j = (points[m, 0] - origin[0]) / cell, (points[m, 1] - origin[1]) / cell
        if not (0 <= i <= shape[0] and 0 <= j <= shape[1]):
            continue
        c = min(int(i), shape[0] - 1) * shape[1] + min(int(j), shape[1] - 1)
        for k in range(starts[c], starts[c + 1]):
            row = rows[members[k]]
            x, z = points[m, 0] - row[0], points[m, 1] - row[1]
            u = row[2] * x + row[3] * z
            v = row[4] * x + row[5] * z
            if u < ON_EDGE or v < ON_EDGE or u + v > 1 - ON_EDGE:
                continue
            height = row[6] + u * row[7] + v * row[8]
            if found[m] < 0 or height > heights[m]:
                found[m], heights[m] = members[k], height
    return found, heights
