"""Solids: the one shape that everything is drawn with, a stretched round cone, and where rays meet it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Solids:
    """P round cones: the hull of two balls, then stretched across its axis; spheres and ellipsoids have length 0.

    Leading axes (frames) may stand before P.
    """

    origins: np.ndarray  # (P, 3) m, centre of the first ball
    frames: np.ndarray  # (P, 3, 3), unit columns: across, along (from the first ball to the second), third
    scales: np.ndarray  # (P, 2), stretch of the across and the third axis
    lengths: np.ndarray  # (P,) m, between the balls
    radii: np.ndarray  # (P, 2) m, of the two balls
    colours: np.ndarray  # (P, 3) linear light
    lit: np.ndarray  # (P,) bool: shaded and casting a shadow, or flat paint
    groups: np.ndarray  # (P,) int: solids of one group are one piece and do not darken each other

    def __getitem__(self, index: Any) -> "Solids":
        return Solids(*(getattr(self, f.name)[index] for f in fields(self)))


def join(*groups: Solids) -> Solids:
    """All solids of one frame together."""
    return Solids(*(np.concatenate([getattr(g, f.name) for g in groups]) for f in fields(Solids)))


def round_cones(
    starts: np.ndarray,
    ends: np.ndarray,
    radii: np.ndarray,
    *,
    across: np.ndarray,
    along: np.ndarray | None = None,
    scales: np.ndarray | float = 1.0,
    colours: np.ndarray,
    lit: np.ndarray | bool = True,
    groups: np.ndarray | int = 0,
) -> Solids:
    """Solids between points (..., 3); `along` gives the axis where the points coincide."""
    starts, ends = np.asarray(starts, np.float64), np.asarray(ends, np.float64)
    shape = starts.shape[:-1]
    radii = np.broadcast_to(radii, (*shape, 2)).astype(np.float64)
    span = ends - starts
    lengths = np.linalg.norm(span, axis=-1)
    # a ball inside the other adds nothing: one ellipsoid remains
    swallowed = lengths <= np.abs(radii[..., 0] - radii[..., 1])
    larger_is_end = swallowed & (radii[..., 1] > radii[..., 0])
    starts = np.where(larger_is_end[..., None], ends, starts)
    radii = np.where(swallowed[..., None], radii.max(axis=-1, keepdims=True), radii)
    fallback = np.array([0.0, 1.0, 0.0]) if along is None else along
    y = np.where((lengths > 1e-9)[..., None], span / np.maximum(lengths, 1e-9)[..., None], fallback)
    x = across - y * np.sum(across * y, axis=-1, keepdims=True)
    x_length = np.linalg.norm(x, axis=-1, keepdims=True)
    helper = np.eye(3)[np.argmin(np.abs(y), axis=-1)]  # where across lies along the axis, any normal will do
    x = np.where(x_length > 1e-6, x, helper - y * np.sum(helper * y, axis=-1, keepdims=True))
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return Solids(
        origins=starts,
        frames=np.stack([x, y, np.cross(x, y)], axis=-1),
        scales=np.broadcast_to(scales, (*shape, 2)).astype(np.float64),
        lengths=np.where(swallowed, 0.0, lengths),
        radii=radii,
        colours=np.broadcast_to(colours, (*shape, 3)).astype(np.float64),
        lit=np.broadcast_to(lit, shape).copy(),
        groups=np.broadcast_to(groups, shape).astype(np.int64),
    )


def ray_entry(
    origins: np.ndarray, directions: np.ndarray, length: float, start_radius: float, end_radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where rays (..., 3) first meet the round cone from 0 to length on +Y, in lengths of direction, and normals there.

    The plain twin of kernels.ray_entry. A miss is infinite. The round cone is the union of its two balls and the piece
    of cone that touches both: with s = (r0 - r1) / length the sine of its slope, that cone is sqrt(1 - s^2) * rho +
    s * y = r0, between the tangent circles at y = s * r0 and y = length + s * r1.
    """
    o, d = np.broadcast_arrays(np.asarray(origins, np.float64), np.asarray(directions, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.full(o.shape[:-1], np.inf)
        normal = np.zeros(o.shape)

        def keep(t: np.ndarray, n: np.ndarray) -> None:
            nearer = (t > 0) & (t < best)
            best[nearer] = t[nearer]
            normal[nearer] = n[nearer]

        for height, radius in ((0.0, start_radius), (length, end_radius)):
            offset = o - np.array([0.0, height, 0.0])
            a, b = np.sum(d * d, axis=-1), np.sum(d * offset, axis=-1)
            c = np.sum(offset * offset, axis=-1) - radius * radius
            t = (-b - np.sqrt(b * b - a * c)) / a
            keep(t, (offset + t[..., None] * d) / radius)
        if length > abs(start_radius - end_radius):
            s = (start_radius - end_radius) / length
            c2 = 1 - s * s
            k, m = start_radius - s * o[..., 1], s * d[..., 1]
            a = c2 * (d[..., 0] ** 2 + d[..., 2] ** 2) - m * m
            b = c2 * (d[..., 0] * o[..., 0] + d[..., 2] * o[..., 2]) + k * m
            c = c2 * (o[..., 0] ** 2 + o[..., 2] ** 2) - k * k
            t = (-b - np.sqrt(b * b - a * c)) / a
            p = o + t[..., None] * d
            on_cone = (p[..., 1] >= s * start_radius) & (p[..., 1] <= length + s * end_radius)
            n = p * (c2 / (start_radius - s * p[..., 1]))[..., None]
            n[..., 1] = s
            keep(np.where(on_cone, t, np.inf), n)
    return best, normal
