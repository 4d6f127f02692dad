"""Compiled look-ups of the ground under points: a grid of heights, and triangles sorted into cells."""

import numpy as np

from kinematch.compile.jit import kernel

ON_EDGE = -1e-9  # shares of a triangle's corners: a point on an edge of two belongs to one at least


@kernel
def grid_cell(place, first, cell, count):
    """The cell along one axis, where in it 0 to 1, and whether that is inside the grid."""
    along = (place - first) / cell
    inside = 0.0 <= along <= count - 1
    along = min(max(along, 0.0), count - 1.0)
    low = min(int(along), count - 2)
    return low, along - low, inside


@kernel
def grid_heights(values, origin, cell, points):
    """Bilinear heights (M,) under points (M, 2); beyond the edge its value goes on."""
    out = np.empty(len(points))
    for m in range(len(points)):
        i, u, _ = grid_cell(points[m, 0], origin[0], cell, values.shape[0])
        j, v, _ = grid_cell(points[m, 1], origin[1], cell, values.shape[1])
        near = values[i, j] * (1 - v) + values[i, j + 1] * v
        far = values[i + 1, j] * (1 - v) + values[i + 1, j + 1] * v
        out[m] = near * (1 - u) + far * u
    return out


@kernel
def grid_normals(values, origin, cell, points):
    """Unit normals (M, 3) of the bilinear surface."""
    out = np.empty((len(points), 3))
    for m in range(len(points)):
        i, u, inside_x = grid_cell(points[m, 0], origin[0], cell, values.shape[0])
        j, v, inside_z = grid_cell(points[m, 1], origin[1], cell, values.shape[1])
        a, b, c, d = values[i, j], values[i, j + 1], values[i + 1, j], values[i + 1, j + 1]
        slope_x = ((c - a) * (1 - v) + (d - b) * v) / cell if inside_x else 0.0
        slope_z = ((b - a) * (1 - u) + (d - c) * u) / cell if inside_z else 0.0
        scale = 1 / np.sqrt(slope_x * slope_x + slope_z * slope_z + 1)
        out[m, 0], out[m, 1], out[m, 2] = -slope_x * scale, scale, -slope_z * scale
    return out


@kernel
def highest_triangles(rows, starts, members, origin, cell, shape, points):
    """The triangles (M,) highest over points (M, 2), -1 for none, and the heights there.

    A row (T, 9) has a corner x, z, then what x and z from there add to the shares u, v of the other corners, then the
    height of the corner and what u and v add to it. Triangles `members[starts[c] : starts[c + 1]]` overlap cell c;
    cells count along z first.
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
