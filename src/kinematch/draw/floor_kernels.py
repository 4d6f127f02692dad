"""The compiled inner loops of the floor: the shadow that solids leave on it, its grid, and the backdrop behind."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.draw.kernels import MAX_FLOOR_SLOPE


@kernel(fastmath=True)
def floor_shadow(starts, ends, radii, light, corner, cell, softness, shadow):
    """Multiply into shadow (rows along z, columns along x, 2) how much light of sky and sun the capsules leave there.

    The sun's penumbra grows with the height of what casts it; of the sky a ball at distance l hides about r^2 / l^2
    times the cosine.
    """
    rows, columns = shadow.shape[0], shadow.shape[1]
    for p in range(len(starts)):
        ax, ay, az = starts[p, 0], starts[p, 1], starts[p, 2]
        bx, by, bz = ends[p, 0] - ax, ends[p, 1] - ay, ends[p, 2] - az
        r0, r1 = radii[p, 0], radii[p, 1]
        r = max(r0, r1)
        bb = bx * bx + by * by + bz * bz
        lx, lz = light[0] / light[1], light[2] / light[1]
        # penumbra, or four radii of darkened sky: beyond, less than a sixteenth is left of it
        reach = 4 * r + softness * max(ay, ay + by) + 0.02
        x0 = min(ax, ax + bx, ax - lx * ay, ax + bx - lx * (ay + by)) - reach
        x1 = max(ax, ax + bx, ax - lx * ay, ax + bx - lx * (ay + by)) + reach
        z0 = min(az, az + bz, az - lz * ay, az + bz - lz * (ay + by)) - reach
        z1 = max(az, az + bz, az - lz * ay, az + bz - lz * (ay + by)) + reach
        for row in range(max(0, int((z0 - corner[1]) / cell)), min(rows, int((z1 - corner[1]) / cell) + 1)):
            pz = corner[1] + (row + 0.5) * cell
            for column in range(max(0, int((x0 - corner[0]) / cell)), min(columns, int((x1 - corner[0]) / cell) + 1)):
                px = corner[0] + (column + 0.5) * cell
                # sky: the nearest point of the axis
                wx, wy, wz = px - ax, -ay, pz - az
                h = min(max((wx * bx + wy * by + wz * bz) / bb, 0.0), 1.0) if bb > 0 else 0.0
                qx, qy, qz = wx - h * bx, wy - h * by, wz - h * bz
                rr = r0 + (r1 - r0) * h
                l2 = qx * qx + qy * qy + qz * qz
                sky = min(1.0, max(0.0, -qy) * rr * rr / (l2 * np.sqrt(l2) + 1e-9))  # the axis may touch the floor
                # sun: the nearest approach of the ray towards the light, and the axis
                wl = wx * light[0] + wy * light[1] + wz * light[2]
                bl = bx * light[0] + by * light[1] + bz * light[2]
                wb = wx * bx + wy * by + wz * bz
                denominator = bb - bl * bl
                # an axis along the light has no one nearest point
                g = min(max((wb - wl * bl) / denominator, 0.0), 1.0) if denominator > 1e-12 else 0.0
                t = max(0.0, g * bl - wl)
                ex, ey, ez = wx + t * light[0] - g * bx, wy + t * light[1] - g * by, wz + t * light[2] - g * bz
                rr = r0 + (r1 - r0) * g
                penumbra = softness * t + 0.012
                edge = (rr + penumbra - np.sqrt(ex * ex + ey * ey + ez * ez)) / (2 * penumbra)
                edge = min(max(edge, 0.0), 1.0)
                # a thin limb never hides a light wider than itself
                sun = edge * edge * (3 - 2 * edge) * min(1.0, rr / penumbra)
                shadow[row, column, 0] *= 1 - sky
                shadow[row, column, 1] *= 1 - sun


@kernel(fastmath=True)
def line_cover(position, footprint, half_width):
    """How much of a pixel the nearest whole-number line covers, for a line and a pixel of these widths."""
    away = abs(position - np.floor(position + 0.5))
    if away > half_width + 0.5 * footprint:
        return 0.0
    cover = (half_width + 0.5 * footprint - away) / footprint
    return min(cover, 1.0, 2 * half_width / footprint)


@kernel(fastmath=True)
def paint_floor(eye, axes, focal, centre, reach, shadow, corner, cell, paint, out):
    """Fill out (h, w, 3) with linear light: a gradient, and before it the floor with grid and shadow, fading out."""
    height, width = out.shape[0], out.shape[1]
    rows, columns = shadow.shape[0], shadow.shape[1]
    step = 1 / focal
    near = 1 / (reach * reach)
    per_cell = 1 / cell
    for row in range(height):
        v = (0.5 * height - row - 0.5) * step
        blend = (row + 0.5) / height
        top0 = paint[0, 0] * (1 - blend) + paint[1, 0] * blend
        top1 = paint[0, 1] * (1 - blend) + paint[1, 1] * blend
        top2 = paint[0, 2] * (1 - blend) + paint[1, 2] * blend
        dy = axes[2, 1] + v * axes[1, 1]  # the camera never rolls, so a row of pixels meets the floor at one depth
        if dy >= MAX_FLOOR_SLOPE or eye[1] <= 0:
            for column in range(width):
                out[row, column, 0], out[row, column, 1], out[row, column, 2] = top0, top1, top2
            continue
        depth = -eye[1] / dy
        spacing = depth * step
        tilt = -axes[1, 1] / dy
        bx, bz = axes[2, 0] + v * axes[1, 0], axes[2, 2] + v * axes[1, 2]
        for column in range(width):
            u = (column + 0.5 - 0.5 * width) * step
            dx, dz = bx + u * axes[0, 0], bz + u * axes[0, 2]
            x, z = eye[0] + depth * dx, eye[2] + depth * dz
            ex, ez = x - centre[0], z - centre[2]
            away2 = (ex * ex + ez * ez) * near
            fade = 1 / (1 + away2 * away2)
            if fade < 0.004:
                out[row, column, 0], out[row, column, 1], out[row, column, 2] = top0, top1, top2
                continue
            # how far the floor point moves from this pixel to the next right and the next up
            over_x = spacing * (abs(axes[0, 0]) + abs(axes[1, 0] + tilt * dx))
            over_z = spacing * (abs(axes[0, 2]) + abs(axes[1, 2] + tilt * dz))
            line = max(line_cover(x, over_x, 0.008), line_cover(z, over_z, 0.008))
            bright = 1.0
            across, along = (x - corner[0]) * per_cell - 0.5, (z - corner[1]) * per_cell - 0.5
            if 0 <= across < columns - 1 and 0 <= along < rows - 1:
                c, r = int(across), int(along)
                fc, fr = across - c, along - r
                here = shadow[r, c] * (1 - fc) + shadow[r, c + 1] * fc
                below = shadow[r + 1, c] * (1 - fc) + shadow[r + 1, c + 1] * fc
                bright = here * (1 - fr) + below * fr
            out[row, column, 0] = top0 + ((paint[2, 0] + (paint[3, 0] - paint[2, 0]) * line) * bright - top0) * fade
            out[row, column, 1] = top1 + ((paint[2, 1] + (paint[3, 1] - paint[2, 1]) * line) * bright - top1) * fade
            out[row, column, 2] = top2 + ((paint[2, 2] + (paint[3, 2] - paint[2, 2]) * line) * bright - top2) * fade
