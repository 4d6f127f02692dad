"""The body that written GLB files carry: the drawn figure's round cones as skinned triangles."""

from dataclasses import dataclass

import numpy as np

from kinematch.draw.body import TINTS, BodyShape, place
from kinematch.draw.mannequin import make_body
from kinematch.draw.solid import Solids
from kinematch.draw.theme import LIGHT
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

CONE_SIDES = 12  # corners around a cone
CAP_RINGS = 4  # rings of each of its two caps, poles included


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Vertices in the world of the pose they are bound in, each carried by one joint."""

    positions: np.ndarray  # (V, 3) m
    normals: np.ndarray  # (V, 3)
    joints: np.ndarray  # (V,) int
    triangles: dict[str, np.ndarray]  # tint, or colour as '#rrggbb' -> (T, 3) int
    bind_positions: np.ndarray  # (J, 3) m, global
    bind_rotations: np.ndarray  # (J, 4), global


def body_mesh(skeleton: Skeleton, body: BodyShape | None = None) -> BodyMesh:
    """The drawn figure, or another body, in the reference T-pose, or in the rest pose where none is known."""
    p, r = (values.astype(np.float64) for values in kinematics.reference_pose(skeleton))
    body = make_body(skeleton) if body is None else body
    positions, normals = _rings(place(body, p, r, LIGHT))
    parts, rings = len(positions), 2 * CAP_RINGS
    # a cone's two caps may hang on two joints; the side between them bends
    joints = np.repeat(np.repeat(body.joints, CAP_RINGS, axis=1), CONE_SIDES, axis=1)
    triangles = _ring_triangles(rings) + (np.arange(parts) * rings * CONE_SIDES)[:, None, None]
    tints = np.array(body.tints)
    by_tint = {tint: triangles[tints == tint].reshape(-1, 3) for tint in TINTS if (tints == tint).any()}
    return BodyMesh(positions.reshape(-1, 3), normals.reshape(-1, 3), joints.reshape(-1), by_tint, p, r)


def _rings(solids: Solids) -> tuple[np.ndarray, np.ndarray]:
    """Points and normals (P, rings, CONE_SIDES, 3), from the pole of the first ball to that of the second."""
    lengths, radii = solids.lengths, solids.radii
    # the sine of the slope of a cone that touches both balls; a ball alone has its seam at the equator
    slope = np.where(lengths > 0, (radii[:, 0] - radii[:, 1]) / np.where(lengths > 0, lengths, 1), 0)
    seam = np.arcsin(np.clip(slope, -1, 1))[:, None]
    part = np.linspace(0, 1, CAP_RINGS)
    quarter = np.pi / 2
    latitude = np.concatenate([-quarter + (seam + quarter) * part, seam + (quarter - seam) * part], axis=1)[..., None]
    centre = np.repeat(np.stack([np.zeros_like(lengths), lengths], axis=-1), CAP_RINGS, axis=1)[..., None]
    radius = np.repeat(radii, CAP_RINGS, axis=1)[..., None]
    around = np.arange(CONE_SIDES) * 2 * np.pi / CONE_SIDES
    flat = np.stack(
        np.broadcast_arrays(np.cos(latitude) * np.cos(around), np.sin(latitude), np.cos(latitude) * np.sin(around)), -1
    )
    local = flat * radius[..., None]
    local[..., 1] += centre
    stretch = np.stack([solids.scales[:, 0], np.ones(len(lengths)), solids.scales[:, 1]], axis=-1)[:, None, None]
    frames = solids.frames[:, None, None]
    points = np.einsum("...ij,...j->...i", frames, local * stretch) + solids.origins[:, None, None]
    normals = np.einsum("...ij,...j->...i", frames, flat / stretch)
    return points, normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def _ring_triangles(rings: int) -> np.ndarray:
    """(T, 3) over rings of CONE_SIDES vertices, seen from outside anticlockwise; the poles have one triangle a side."""
    k = np.arange(CONE_SIDES)
    after = (k + 1) % CONE_SIDES
    triangles = []
    for ring in range(rings - 1):
        low, high = ring * CONE_SIDES, (ring + 1) * CONE_SIDES
        if ring < rings - 2:
            triangles.append(np.stack([low + k, high + k, high + after], axis=-1))
        if ring > 0:
            triangles.append(np.stack([low + k, high + after, low + after], axis=-1))
    return np.concatenate(triangles)
