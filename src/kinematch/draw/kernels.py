"""The compiled inner loops that find what each ray meets first, and the shadow that solids leave on the floor."""

import numpy as np

from kinematch.math.jit import kernel


@kernel
def ray_entry(ox, oy, oz, dx, dy, dz, length, r0, r1):
    """solid.ray_entry for one ray: (t, nx, ny, nz), t infinite for a miss."""
    best, nx, ny, nz = np.inf, 0.0, 0.0, 0.0
    across = dx * dx + dz * dz
    a = across + dy * dy
    side = dx * ox + dz * oz
    off = ox * ox + oz * oz
    if length > abs(r0 - r1):
        s = (r0 - r1) / length
        c2 = 1 - s * s
        k, m = r0 - s * oy, s * dy
        qa = c2 * across - m * m
        qb = c2 * side + k * m
        root = qb * qb - qa * (c2 * off - k * k)
        if root >= 0 and qa != 0:
            t = (-qb - np.sqrt(root)) / qa
            y = oy + t * dy
            if t > 0 and y >= s * r0 and y <= length + s * r1:
                best = t
                f = c2 / (r0 - s * y)
                nx, ny, nz = (ox + t * dx) * f, s, (oz + t * dz) * f
    for end in range(2):
        y0, r = (oy, r0) if end == 0 else (oy - length, r1)
        b = side + dy * y0
        root = b * b - a * (off + y0 * y0 - r * r)
        if root >= 0:
            t = (-b - np.sqrt(root)) / a
            if 0 < t < best:
                best = t
                nx, ny, nz = (ox + t * dx) / r, (y0 + t * dy) / r, (oz + t * dz) / r
    return best, nx, ny, nz


@kernel
def screen_box(origin, frame, scale, length, radii, eye, axes, focal, width, height):
    """The pixels [left, right) x [top, bottom) that a solid can touch: the box around its two projected ellipsoids."""
    left, right, top, bottom = np.inf, -np.inf, np.inf, -np.inf
    for end in range(2):
        c = np.zeros(3)
        q = np.zeros((3, 3))  # dual conic of the outline: A A^T - c c^T in camera space
        for i in range(3):
            for k in range(3):
                c[i] += axes[i, k] * (origin[k] + end * length * frame[k, 1] - eye[k])
        reach = radii[end] * max(1.0, scale[0], scale[1])
        if c[2] + reach <= 0:
            continue  # behind the camera
        if c[2] - reach <= 0.01:  # the camera is inside or beside it
            return 0, width, 0, height
        for column in range(3):
            size = radii[end] * (scale[0] if column == 0 else scale[1] if column == 2 else 1.0)
            v = np.zeros(3)
            for i in range(3):
                for k in range(3):
                    v[i] += axes[i, k] * frame[k, column] * size
            for i in range(3):
                for j in range(3):
                    q[i, j] += v[i] * v[j]
        for i in range(3):
            for j in range(3):
                q[i, j] -= c[i] * c[j]
        # q22 < 0 here, as the ellipsoid lies before the camera
        half_x = np.sqrt(max(0.0, q[0, 2] * q[0, 2] - q[0, 0] * q[2, 2])) / -q[2, 2]
        half_y = np.sqrt(max(0.0, q[1, 2] * q[1, 2] - q[1, 1] * q[2, 2])) / -q[2, 2]
        x, y = q[0, 2] / q[2, 2], q[1, 2] / q[2, 2]
        left, right = min(left, x - half_x), max(right, x + half_x)
        top, bottom = min(top, -y - half_y), max(bottom, -y + half_y)
    if left > right:
        return 0, 0, 0, 0
    return (
        int(min(max(0.5 * width + focal * left, 0), width)),
        int(min(max(0.5 * width + focal * right + 1, 0), width)),
        int(min(max(0.5 * height + focal * top, 0), height)),
        int(min(max(0.5 * height + focal * bottom + 1, 0), height)),
    )


@kernel
def cast(origins, frames, scales, lengths, radii, eye, axes, focal, depth, normals, owners):
    """Write the nearest solid's depth, normal and index into buffers (h, w), (h, w, 3), (h, w); depth starts infinite."""
    height, width = depth.shape
    for p in range(len(origins)):
        left, right, top, bottom = screen_box(
            origins[p], frames[p], scales[p], lengths[p], radii[p], eye, axes, focal, width, height
        )
        if left >= right or top >= bottom:
            continue
        # the solid's own space: rows of the inverse of frame * diag(scales)
        inverse = np.empty((3, 3))
        for i in range(3):
            size = scales[p, 0] if i == 0 else scales[p, 1] if i == 2 else 1.0
            for k in range(3):
                inverse[i, k] = frames[p, k, i] / size
        o, across, upward, ahead = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        for i in range(3):
            for k in range(3):
                o[i] += inverse[i, k] * (eye[k] - origins[p, k])
                across[i] += inverse[i, k] * axes[0, k]
                upward[i] += inverse[i, k] * axes[1, k]
                ahead[i] += inverse[i, k] * axes[2, k]
        length, r0, r1 = lengths[p], radii[p, 0], radii[p, 1]
        for row in range(top, bottom):
            v = (0.5 * height - row - 0.5) / focal
            bx, by, bz = ahead[0] + v * upward[0], ahead[1] + v * upward[1], ahead[2] + v * upward[2]
            for column in range(left, right):
                u = (column + 0.5 - 0.5 * width) / focal
                t, nx, ny, nz = ray_entry(
                    o[0], o[1], o[2], bx + u * across[0], by + u * across[1], bz + u * across[2], length, r0, r1
                )
                if t < depth[row, column]:
                    depth[row, column] = t
                    owners[row, column] = p
                    x = inverse[0, 0] * nx + inverse[1, 0] * ny + inverse[2, 0] * nz
                    y = inverse[0, 1] * nx + inverse[1, 1] * ny + inverse[2, 1] * nz
                    z = inverse[0, 2] * nx + inverse[1, 2] * ny + inverse[2, 2] * nz
                    size = 1 / np.sqrt(x * x + y * y + z * z)
                    normals[row, column, 0] = x * size
                    normals[row, column, 1] = y * size
                    normals[row, column, 2] = z * size


@kernel
def floor_shadow(starts, ends, radii, light, corner, cell, softness, shadow):
    """Multiply into (rows along z, columns along x, sky and sun) how much light the capsules leave on each cell of the floor.

    Two parts: the sun, whose penumbra grows with the height of what casts it, and the sky, of which a ball at distance l
    hides about r^2 / l^2 times the cosine.
    """
    rows, columns = shadow.shape[0], shadow.shape[1]
    for p in range(len(starts)):
        ax, ay, az = starts[p, 0], starts[p, 1], starts[p, 2]
        bx, by, bz = ends[p, 0] - ax, ends[p, 1] - ay, ends[p, 2] - az
        r0, r1 = radii[p, 0], radii[p, 1]
        r = max(r0, r1)
        bb = bx * bx + by * by + bz * bz
        lx, lz = light[0] / light[1], light[2] / light[1]
        top, low = max(ay, ay + by), min(ay, ay + by)
        reach = r + softness * top + 3 * r + 0.02
        x0 = min(ax, ax + bx, ax - lx * ay, ax + bx - lx * (ay + by)) - reach
        x1 = max(ax, ax + bx, ax - lx * ay, ax + bx - lx * (ay + by)) + reach
        z0 = min(az, az + bz, az - lz * ay, az + bz - lz * (ay + by)) - reach
        z1 = max(az, az + bz, az - lz * ay, az + bz - lz * (ay + by)) + reach
        if low > 12 * r + 3:
            continue
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
                sky = min(1.0, max(0.0, -qy) * rr * rr / (l2 * np.sqrt(l2) + 1e-9))
                # sun: the nearest approach of the ray towards the light, and the axis
                wl = wx * light[0] + wy * light[1] + wz * light[2]
                bl = bx * light[0] + by * light[1] + bz * light[2]
                wb = wx * bx + wy * by + wz * bz
                denominator = bb - bl * bl
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
