"""The compiled inner loop that gives each pixel its colour: floor with grid and shadow, lit bodies, soft edges."""

import numpy as np

from kinematch.math.jit import kernel


@kernel
def sky_visible(x, y, z, nx, ny, nz, own, starts, ends, radii, lit):
    """How much of the sky above a surface point the solids leave free; a ball hides r^2 / l^2 times the cosine."""
    free = 1.0
    for p in range(len(starts)):
        if p == own or not lit[p]:
            continue
        ax, ay, az = x - starts[p, 0], y - starts[p, 1], z - starts[p, 2]
        bx, by, bz = ends[p, 0] - starts[p, 0], ends[p, 1] - starts[p, 1], ends[p, 2] - starts[p, 2]
        bb = bx * bx + by * by + bz * bz
        h = min(max((ax * bx + ay * by + az * bz) / bb, 0.0), 1.0) if bb > 0 else 0.0
        qx, qy, qz = h * bx - ax, h * by - ay, h * bz - az
        facing = qx * nx + qy * ny + qz * nz
        l2 = qx * qx + qy * qy + qz * qz
        r = radii[p, 0] + (radii[p, 1] - radii[p, 0]) * h
        if facing <= 0 or l2 > 25 * r * r:
            continue
        free *= 1 - min(0.75, facing * r * r / (l2 * np.sqrt(l2)))
    return free


@kernel
def line_cover(position, footprint, half_width):
    """How much of a pixel the nearest whole-number line covers, for a line and a pixel of these widths."""
    away = abs(position - np.round(position))
    if footprint > 0.5:  # lines run together far away: their mean
        return min(1.0, 2 * half_width)
    cover = (half_width + 0.5 * footprint - away) / footprint
    return min(max(cover, 0.0), 1.0, 2 * half_width / footprint)


@kernel
def shade(
    depth, normals, owners, starts, ends, radii, colours, lit, eye, axes, focal, light, centre, reach, shadow, corner,
    cell, paint, table, out,
):  # fmt: skip
    """Fill out (h, w, 3) with sRGB from sample buffers twice as high and wide; paint is top, bottom, floor, grid."""
    height, width = out.shape[0], out.shape[1]
    rows, columns = shadow.shape[0], shadow.shape[1]
    steps = len(table)
    background, ground, total = np.zeros(3), np.zeros(3), np.zeros(3)
    for row in range(height):
        v = (0.5 * height - row - 0.5) / focal
        blend = (row + 0.5) / height
        for i in range(3):
            background[i] = paint[0, i] * (1 - blend) + paint[1, i] * blend
        for column in range(width):
            u = (column + 0.5 - 0.5 * width) / focal
            dx = axes[2, 0] + u * axes[0, 0] + v * axes[1, 0]
            dy = axes[2, 1] + u * axes[0, 1] + v * axes[1, 1]
            dz = axes[2, 2] + u * axes[0, 2] + v * axes[1, 2]
            floor_depth = np.inf
            for i in range(3):
                ground[i] = background[i]
            if dy < 0 and eye[1] > 0:
                floor_depth = -eye[1] / dy
                x, z = eye[0] + floor_depth * dx, eye[2] + floor_depth * dz
                away2 = ((x - centre[0]) ** 2 + (z - centre[2]) ** 2) / (reach * reach)
                fade = 1 / (1 + away2 * away2)
                if fade > 0.004:
                    # how far the floor point moves from this pixel to the next right and the next down
                    step = floor_depth / focal
                    tilt = -axes[1, 1] / dy
                    over_x = step * (abs(axes[0, 0]) + abs(axes[1, 0] + tilt * dx))
                    over_z = step * (abs(axes[0, 2]) + abs(axes[1, 2] + tilt * dz))
                    line = max(line_cover(x, over_x, 0.008), line_cover(z, over_z, 0.008))
                    sky, sun = 1.0, 1.0
                    across, along = (x - corner[0]) / cell - 0.5, (z - corner[1]) / cell - 0.5
                    if 0 <= across < columns - 1 and 0 <= along < rows - 1:
                        c, r = int(across), int(along)
                        fc, fr = across - c, along - r
                        a, b = (1 - fr) * (1 - fc), (1 - fr) * fc
                        d, e = fr * (1 - fc), fr * fc
                        sky = (
                            a * shadow[r, c, 0] + b * shadow[r, c + 1, 0]
                            + d * shadow[r + 1, c, 0] + e * shadow[r + 1, c + 1, 0]
                        )  # fmt: skip
                        sun = (
                            a * shadow[r, c, 1] + b * shadow[r, c + 1, 1]
                            + d * shadow[r + 1, c, 1] + e * shadow[r + 1, c + 1, 1]
                        )  # fmt: skip
                    bright = 0.58 * sky + 0.42 * sun
                    for i in range(3):
                        own = paint[2, i] + (paint[3, i] - paint[2, i]) * line
                        ground[i] += (own * bright - background[i]) * fade
            hits, same = 0, True
            first = owners[2 * row, 2 * column]
            for sample in range(4):
                r, c = 2 * row + sample // 2, 2 * column + sample % 2
                if depth[r, c] < floor_depth:
                    hits += 1
                same = same and owners[r, c] == first
            if hits == 0:
                for i in range(3):
                    out[row, column, i] = table[min(int(ground[i] * steps), steps - 1)]
                continue
            # inside one solid a single shading serves all four samples; at edges each has its own
            shadings = 1 if same and hits == 4 else 4
            for i in range(3):
                total[i] = 0.0
            for sample in range(shadings):
                r, c = 2 * row + sample // 2, 2 * column + sample % 2
                if depth[r, c] >= floor_depth:
                    for i in range(3):
                        total[i] += ground[i]
                    continue
                p = owners[r, c]
                if not lit[p]:
                    for i in range(3):
                        total[i] += colours[p, i]
                    continue
                nx, ny, nz = normals[r, c, 0], normals[r, c, 1], normals[r, c, 2]
                t = depth[r, c]
                x, y, z = eye[0] + t * dx, eye[1] + t * dy, eye[2] + t * dz
                size = 1 / np.sqrt(dx * dx + dy * dy + dz * dz)
                sees = max(0.0, -(nx * dx + ny * dy + nz * dz) * size)
                free = sky_visible(x, y, z, nx, ny, nz, p, starts, ends, radii, lit)
                key = max(0.0, (nx * light[0] + ny * light[1] + nz * light[2] + 0.3) / 1.3)
                # the floor takes away light from below, and gives some of its own back
                low = 0.5 - 0.5 * ny
                near_floor = low * max(0.0, 1 - max(0.0, y) / 0.25)
                ambient = (0.52 - 0.2 * low) * free * (1 - 0.5 * near_floor)
                rim = 0.16 * (1 - sees) ** 3 * (0.6 + 0.4 * ny)
                hx, hy, hz = light[0] - dx * size, light[1] - dy * size, light[2] - dz * size
                gloss = max(0.0, nx * hx + ny * hy + nz * hz) / np.sqrt(hx * hx + hy * hy + hz * hz)
                gloss = 0.07 * gloss**24 * free
                bright = ambient + 0.62 * key * (0.35 + 0.65 * free)
                for i in range(3):
                    total[i] += colours[p, i] * bright + rim * paint[1, i] + gloss
            for i in range(3):
                out[row, column, i] = table[min(int(total[i] / shadings * steps), steps - 1)]
