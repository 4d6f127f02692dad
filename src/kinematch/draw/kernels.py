"""The compiled inner loops that find what each ray meets first."""

import numpy as np

from kinematch.compile.jit import kernel

FAR_DISTANCE = 2.0**100  # stands for infinity, which fast mathematics must not meet; the same in either float
MAX_FLOOR_SLOPE = -1e-6  # slope of a ray above which the floor it meets is too far away to be seen


@kernel(fastmath=True)
def ball_entry(a, b, c):
    """The first positive root of a t^2 + 2 b t + c, or FAR."""
    root = b * b - a * c
    if root < 0:
        return FAR_DISTANCE
    t = (-b - np.sqrt(root)) / a
    return t if t > 0 else FAR_DISTANCE


@kernel(fastmath=True)
def ray_entry(ox, oy, oz, dx, dy, dz, length, r0, r1):
    """solid.ray_entry for one ray: (t, nx, ny, nz), t is FAR for a miss.

    Faster than the twin's three tests: the balls lie inside the infinite cone, so a ray that misses the cone misses
    all, one that enters between the tangent circles enters there, and one beyond a circle can only meet that ball.
    """
    across = dx * dx + dz * dz
    side = dx * ox + dz * oz
    off = ox * ox + oz * oz
    first, second = True, length > 0
    if second:
        s = (r0 - r1) / length
        c2 = 1 - s * s
        k, m = r0 - s * oy, s * dy
        qa = c2 * across - m * m
        qb = c2 * side + k * m
        root = qb * qb - qa * (c2 * off - k * k)
        if root < 0:
            return FAR_DISTANCE, 0.0, 0.0, 0.0
        if qa != 0:
            t = (-qb - np.sqrt(root)) / qa
            y = oy + t * dy
            if t > 0 and y >= s * r0 and y <= length + s * r1:
                f = c2 / (r0 - s * y)
                return t, (ox + t * dx) * f, s, (oz + t * dz) * f
            if qa > 0:  # else the ray runs steeper than the cone and may start inside it
                first, second = y < s * r0 or t <= 0, y > length + s * r1 or t <= 0
    a = across + dy * dy
    top = oy - length
    near = ball_entry(a, side + dy * oy, off + oy * oy - r0 * r0) if first else FAR_DISTANCE
    other = ball_entry(a, side + dy * top, off + top * top - r1 * r1) if second else FAR_DISTANCE
    if near >= FAR_DISTANCE and other >= FAR_DISTANCE:
        return FAR_DISTANCE, 0.0, 0.0, 0.0
    if near <= other:
        return near, (ox + near * dx) / r0, (oy + near * dy) / r0, (oz + near * dz) / r0
    return other, (ox + other * dx) / r1, (top + other * dy) / r1, (oz + other * dz) / r1


@kernel
def outlines(origins, frames, scales, lengths, radii, eye, axes):
    """The box around each ball as seen: (P, 2, 4) centre x, y and half width, height, as slopes (x to the right, y up).

    A ball behind the camera has half sizes of -1, one that the camera touches sees all: FAR.
    """
    out = np.full((len(origins), 2, 4), -1.0)
    for p in range(len(origins)):
        for end in range(2):
            c, v = np.zeros(3), np.zeros(3)
            q = np.zeros((3, 3))  # dual conic of the outline: A A^T - c c^T in camera space
            for i in range(3):
                for k in range(3):
                    c[i] += axes[i, k] * (origins[p, k] + end * lengths[p] * frames[p, k, 1] - eye[k])
            reach = radii[p, end] * max(1.0, scales[p, 0], scales[p, 1])
            if c[2] + reach <= 0:
                continue
            if c[2] - reach <= 0.01:
                out[p, end] = np.array([0.0, 0.0, FAR_DISTANCE, FAR_DISTANCE])
                continue
            for column in range(3):
                size = radii[p, end] * (scales[p, 0] if column == 0 else scales[p, 1] if column == 2 else 1.0)
                v[:] = 0
                for i in range(3):
                    for k in range(3):
                        v[i] += axes[i, k] * frames[p, k, column] * size
                for i in range(3):
                    for j in range(3):
                        q[i, j] += v[i] * v[j]
            for i in range(3):
                for j in range(3):
                    q[i, j] -= c[i] * c[j]
            # lines x = u touch the outline where q00 - 2 u q02 + u^2 q22 = 0; q22 < 0 before the camera
            for i in range(2):
                out[p, end, i] = q[i, 2] / q[2, 2]
                out[p, end, 2 + i] = np.sqrt(max(0.0, q[i, 2] * q[i, 2] - q[i, i] * q[2, 2])) / -q[2, 2]
    return out


@kernel(fastmath=True)
def cast(views, lengths, radii, focal, middle, bounds, depth, owners):
    """Write the nearest solid's depth and index into sample buffers (h, w).

    views (P, 4, 3) are the eye and the camera's axes in each solid's own space; middle is the view's centre counted
    from the buffers' corner; bounds are the outlines; depth starts at FAR.
    """
    height, width = depth.shape
    step = 1 / focal
    for p in range(len(views)):
        ox, oy, oz = views[p, 0, 0], views[p, 0, 1], views[p, 0, 2]
        ax, ay, az = views[p, 1, 0], views[p, 1, 1], views[p, 1, 2]
        length, r0, r1 = lengths[p], radii[p, 0], radii[p, 1]
        half_x, half_y = max(bounds[p, 0, 2], bounds[p, 1, 2]) * focal, max(bounds[p, 0, 3], bounds[p, 1, 3]) * focal
        if half_x < 0:
            continue
        x0, x1 = middle[0] + bounds[p, 0, 0] * focal, middle[0] + bounds[p, 1, 0] * focal
        y0, y1 = middle[1] - bounds[p, 0, 1] * focal, middle[1] - bounds[p, 1, 1] * focal
        if bounds[p, 0, 2] < 0 or bounds[p, 1, 2] < 0:  # one end behind the camera
            half_x, half_y = FAR_DISTANCE, FAR_DISTANCE
        top, bottom = max(0.0, min(y0, y1) - half_y), min(float(height), max(y0, y1) + half_y + 1)
        for row in range(int(top), int(bottom)):
            # the box slides from one ball to the other; this row sees the part of the way within half its height
            from_s, to_s = 0.0, 1.0
            if abs(y1 - y0) > 1:
                a, b = (row + 0.5 - half_y - y0) / (y1 - y0), (row + 0.5 + half_y - y0) / (y1 - y0)
                from_s, to_s = max(0.0, min(1.0, min(a, b))), max(0.0, min(1.0, max(a, b)))
            a, b = x0 + from_s * (x1 - x0), x0 + to_s * (x1 - x0)
            left, right = max(0.0, min(a, b) - half_x - 1), min(float(width), max(a, b) + half_x + 2)
            v = (middle[1] - row - 0.5) * step
            bx = views[p, 3, 0] + v * views[p, 2, 0]
            by = views[p, 3, 1] + v * views[p, 2, 1]
            bz = views[p, 3, 2] + v * views[p, 2, 2]
            for column in range(int(left), int(right)):
                u = (column + 0.5 - middle[0]) * step
                t, _, _, _ = ray_entry(ox, oy, oz, bx + u * ax, by + u * ay, bz + u * az, length, r0, r1)
                if t < depth[row, column]:
                    depth[row, column] = t
                    owners[row, column] = p
