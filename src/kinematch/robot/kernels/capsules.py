"""Distances between capsules: the nearest points of two segments."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import read3, read4, rotate

MIN_SQUARED_LENGTH = 1e-12  # m^2, squared length of a segment that is a point


@part
def place_capsules(plan, places, turns, ends):
    """World positions (C, 2, 3) of the capsules' ends."""
    for c in range(plan.capsule_links.shape[0]):
        link = plan.capsule_links[c]
        turn = read4(turns, link)
        for e in range(2):
            away = rotate(turn, read3(plan.capsule_ends[c], e))
            for k in range(3):
                ends[c, e, k] = places[link, k] + away[k]


@part
def find_nearest(ends, a, b):
    """Shares s and t along two segments at which they are nearest (Ericson, Real-Time Collision Detection 5.1.9)."""
    ux, uy, uz = ends[a, 1, 0] - ends[a, 0, 0], ends[a, 1, 1] - ends[a, 0, 1], ends[a, 1, 2] - ends[a, 0, 2]
    vx, vy, vz = ends[b, 1, 0] - ends[b, 0, 0], ends[b, 1, 1] - ends[b, 0, 1], ends[b, 1, 2] - ends[b, 0, 2]
    rx, ry, rz = ends[a, 0, 0] - ends[b, 0, 0], ends[a, 0, 1] - ends[b, 0, 1], ends[a, 0, 2] - ends[b, 0, 2]
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    ur, vr = ux * rx + uy * ry + uz * rz, vx * rx + vy * ry + vz * rz
    s = 0.0
    if uu > MIN_SQUARED_LENGTH and vv > MIN_SQUARED_LENGTH:
        across = uu * vv - uv * uv
        if across > MIN_SQUARED_LENGTH * uu * vv:
            s = min(max((uv * vr - ur * vv) / across, 0.0), 1.0)
    t = (uv * s + vr) / vv if vv > MIN_SQUARED_LENGTH else 0.0
    if t < 0.0 or t > 1.0 or vv <= MIN_SQUARED_LENGTH:
        t = min(max(t, 0.0), 1.0)
        s = min(max((uv * t - ur) / uu, 0.0), 1.0) if uu > MIN_SQUARED_LENGTH else 0.0
    return s, t


@part
def find_gap(plan, ends, a, b, s, t):
    """Distance between the surfaces of two capsules at shares of their axes, and the direction from b to a."""
    x = ends[a, 0, 0] + s * (ends[a, 1, 0] - ends[a, 0, 0]) - ends[b, 0, 0] - t * (ends[b, 1, 0] - ends[b, 0, 0])
    y = ends[a, 0, 1] + s * (ends[a, 1, 1] - ends[a, 0, 1]) - ends[b, 0, 1] - t * (ends[b, 1, 1] - ends[b, 0, 1])
    z = ends[a, 0, 2] + s * (ends[a, 1, 2] - ends[a, 0, 2]) - ends[b, 0, 2] - t * (ends[b, 1, 2] - ends[b, 0, 2])
    size = np.sqrt(x * x + y * y + z * z)
    gap = size - plan.capsule_radii[a] - plan.capsule_radii[b]
    if size < 1e-9:  # the axes cross: any way out will do
        return gap, (0.0, 1.0, 0.0)
    return gap, (x / size, y / size, z / size)


@part
def are_far(plan, ends, a, b, margin):
    """Whether balls around two capsules are further apart than the margin."""
    square, reach = 0.0, plan.capsule_radii[a] + plan.capsule_radii[b] + margin
    first, second = 0.0, 0.0
    for k in range(3):
        d = (ends[a, 0, k] + ends[a, 1, k] - ends[b, 0, k] - ends[b, 1, k]) / 2
        square += d * d
        first += (ends[a, 1, k] - ends[a, 0, k]) ** 2
        second += (ends[b, 1, k] - ends[b, 0, k]) ** 2
    reach += (np.sqrt(first) + np.sqrt(second)) / 2
    return square > reach * reach


@kernel
def find_closest_pairs(plan, places, turns, gaps):
    """The least gap (F,) in metres between limbs in each frame of links (F, L, 3) and (F, L, 4); a metre at most."""
    ends = np.empty((plan.capsule_links.shape[0], 2, 3))
    for f in range(places.shape[0]):
        place_capsules(plan, places[f], turns[f], ends)
        gaps[f] = 1.0
        for i in range(plan.pairs.shape[0]):
            a, b = plan.pairs[i, 0], plan.pairs[i, 1]
            if not are_far(plan, ends, a, b, 0.0):
                s, t = find_nearest(ends, a, b)
                gaps[f] = min(gaps[f], find_gap(plan, ends, a, b, s, t)[0])
