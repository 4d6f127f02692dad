"""The compiled inner loops that lay lit bodies over the floor: what they hide from each other, soft edges, bytes."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.draw.kernels import FAR_DISTANCE, MAX_FLOOR_SLOPE, ray_entry

MAX_OCCLUDER_RADII = 4.0  # radii: a ball further away hides less than a sixteenth of the sky


@kernel
def neighbours(starts, frames, lengths, radii, lit, groups):
    """For each solid, those near enough to hide its sky (P, P), filled up with -1."""
    count, steps = len(starts), 4
    near = np.full((count, count), -1, np.int32)
    for p in range(count):
        found = 0
        for q in range(count):
            if groups[p] == groups[q] or not lit[q]:
                continue
            apart = np.inf  # from points along one axis to the other axis
            for n in range(steps + 1):
                squared, h = 0.0, 0.0
                for i in range(3):
                    w = starts[p, i] + frames[p, i, 1] * lengths[p] * n / steps - starts[q, i]
                    squared += w * w
                    h += w * frames[q, i, 1]
                within = min(max(h, 0.0), lengths[q])
                apart = min(apart, squared - h * h + (h - within) ** 2)
            # the widest cross-section of a torso is 1.5 times its round radius
            reach = 0.5 * lengths[p] / steps + 1.5 * radii[p].max() + MAX_OCCLUDER_RADII * radii[q].max()
            if apart < reach * reach:
                near[p, found] = q
                found += 1
    return near


@kernel(fastmath=True)
def sky_visible(x, y, z, nx, ny, nz, own, near, starts, frames, lengths, radii, tapers):
    """How much of the sky above a surface point the solids leave free; a ball hides r^2 / l^2 times the cosine."""
    free = 1.0
    for n in range(near.shape[1]):
        p = near[own, n]
        if p < 0:
            break
        ax, ay, az = x - starts[p, 0], y - starts[p, 1], z - starts[p, 2]
        ux, uy, uz = frames[p, 0, 1], frames[p, 1, 1], frames[p, 2, 1]
        h = min(max(ax * ux + ay * uy + az * uz, 0.0), lengths[p])
        qx, qy, qz = h * ux - ax, h * uy - ay, h * uz - az
        facing = qx * nx + qy * ny + qz * nz
        l2 = qx * qx + qy * qy + qz * qz
        r = radii[p, 0] + tapers[p] * h
        if facing > 0 and l2 < MAX_OCCLUDER_RADII * MAX_OCCLUDER_RADII * r * r:
            free *= 1 - min(0.75, facing * r * r / (l2 * np.sqrt(l2)))
    return free


@kernel(fastmath=True)
def body_light(x, y, z, nx, ny, nz, dx, dy, dz, own, near, starts, frames, lengths, radii, tapers, light):
    """Brightness of a surface's own colour, and white light added to it: (diffuse, rim, gloss)."""
    sees = max(0.0, -(nx * dx + ny * dy + nz * dz))
    free = sky_visible(x, y, z, nx, ny, nz, own, near, starts, frames, lengths, radii, tapers)
    key = max(0.0, (nx * light[0] + ny * light[1] + nz * light[2] + 0.3) / 1.3)
    low = 0.5 - 0.5 * ny
    near_floor = low * max(0.0, 1 - 4 * max(0.0, y))  # the last 25 cm see more floor than sky
    ambient = (0.52 - 0.2 * low) * free * (1 - 0.5 * near_floor)
    rim = 0.16 * (1 - sees) ** 3 * (0.6 + 0.4 * ny)
    hx, hy, hz = light[0] - dx, light[1] - dy, light[2] - dz
    gloss = max(0.0, nx * hx + ny * hy + nz * hz) / np.sqrt(hx * hx + hy * hy + hz * hz)
    return ambient + 0.62 * key * (0.35 + 0.65 * free), rim, 0.07 * gloss**24 * free


@kernel(fastmath=True)
def paint_bodies(
    depth, owners, views, origins, frames, inverses, lengths, radii, round_radii, tapers, near, colours, lit, eye, axes,
    focal, light, sky, corner, out,
):  # fmt: skip
    """Lay what the rays met over out (h, w, 3), linear light; the sample buffers begin at the pixel corner (x, y)."""
    height, width = out.shape[0], out.shape[1]
    step = 1 / focal
    total, last = np.zeros(3), np.zeros(3)
    for row in range(corner[1], corner[1] + depth.shape[0] // 2):
        v = (0.5 * height - row - 0.5) * step
        down = axes[2, 1] + v * axes[1, 1]
        floor_depth = -eye[1] / down if down < MAX_FLOOR_SLOPE and eye[1] > 0 else FAR_DISTANCE
        for column in range(corner[0], corner[0] + depth.shape[1] // 2):
            r, c = 2 * (row - corner[1]), 2 * (column - corner[0])
            first, hits, same = owners[r, c], 0, True
            for sample in range(4):
                i, j = r + sample // 2, c + sample % 2
                hits += depth[i, j] < floor_depth
                same = same and owners[i, j] == first
            if hits == 0:
                continue
            u = (column + 0.5 - 0.5 * width) * step
            dx = axes[2, 0] + u * axes[0, 0] + v * axes[1, 0]
            dy = axes[2, 1] + u * axes[0, 1] + v * axes[1, 1]
            dz = axes[2, 2] + u * axes[0, 2] + v * axes[1, 2]
            unit = 1 / np.sqrt(dx * dx + dy * dy + dz * dz)
            total[:], p = 0.0, -1
            # inside one solid a single shading serves all four samples; at edges each has its own
            shadings = 1 if same and hits == 4 else 4
            for sample in range(shadings):
                i, j = r + sample // 2, c + sample % 2
                t = depth[i, j]
                if t >= floor_depth:
                    for channel in range(3):
                        total[channel] += out[row, column, channel]
                    continue
                if owners[i, j] == p:  # two samples of one solid in one pixel hardly differ
                    for channel in range(3):
                        total[channel] += last[channel]
                    continue
                p = owners[i, j]
                bright, rim, gloss = 1.0, 0.0, 0.0
                if lit[p]:
                    fine = 0.0 if shadings == 1 else 0.5 * step
                    fine_u, fine_v = u + (sample % 2 - 0.5) * fine, v - (sample // 2 - 0.5) * fine
                    entry, mx, my, mz = ray_entry(
                        views[p, 0, 0], views[p, 0, 1], views[p, 0, 2],
                        views[p, 3, 0] + fine_u * views[p, 1, 0] + fine_v * views[p, 2, 0],
                        views[p, 3, 1] + fine_u * views[p, 1, 1] + fine_v * views[p, 2, 1],
                        views[p, 3, 2] + fine_u * views[p, 1, 2] + fine_v * views[p, 2, 2],
                        lengths[p], radii[p, 0], radii[p, 1],
                    )  # fmt: skip
                    if entry >= FAR_DISTANCE:  # rounding at the very edge
                        mx, my, mz = 0.0, 1.0, 0.0
                    nx = inverses[p, 0, 0] * mx + inverses[p, 1, 0] * my + inverses[p, 2, 0] * mz
                    ny = inverses[p, 0, 1] * mx + inverses[p, 1, 1] * my + inverses[p, 2, 1] * mz
                    nz = inverses[p, 0, 2] * mx + inverses[p, 1, 2] * my + inverses[p, 2, 2] * mz
                    size = 1 / np.sqrt(nx * nx + ny * ny + nz * nz)
                    bright, rim, gloss = body_light(
                        eye[0] + t * dx, eye[1] + t * dy, eye[2] + t * dz, nx * size, ny * size, nz * size,
                        dx * unit, dy * unit, dz * unit, p, near, origins, frames, lengths, round_radii, tapers, light,
                    )  # fmt: skip
                for channel in range(3):
                    last[channel] = colours[p, channel] * bright + rim * sky[channel] + gloss
                    total[channel] += last[channel]
            for channel in range(3):
                out[row, column, channel] = total[channel] / shadings


@kernel(fastmath=True)
def encode(light, table, out):
    """Linear light (h, w, 3) as bytes, by a table over 0..1."""
    last = len(table) - 1
    for row in range(light.shape[0]):
        for column in range(light.shape[1]):
            for channel in range(3):
                out[row, column, channel] = table[min(int(light[row, column, channel] * last), last)]
