"""Gallery: a few characters of other builds, made here, for users who have no file of their own at hand."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from kinematch.draw.body import BodyShape
from kinematch.draw.mannequin import make_body
from kinematch.errors import KinematchError, unknown
from kinematch.files.gltf_body import body_mesh
from kinematch.files.gltf_write import write_glb
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.synth.skeleton import skeleton as walker_skeleton

LEG = ("lower_leg", "foot")  # roles whose offsets are the lengths of thigh and shin
ARM = ("lower_arm", "hand")
TRUNK = ("spine", "chest", "upper_chest", "neck")
HEAD = "head"


@dataclass(frozen=True)
class Figure:
    """A build, as multiples of the walker's measures, and the colours of its parts."""

    legs: float
    arms: float
    trunk: float
    width: float  # of hips and shoulders
    head: float
    limbs: float  # thickness
    colours: dict[str, str]  # tint -> #rrggbb


def _paint(body: str, legs: str, arms: str, joints: str) -> dict[str, str]:
    return {"body": body, "left": legs, "right": legs, "left_arm": arms, "right_arm": arms, "joints": joints}


FIGURES = {
    "Child": Figure(0.62, 0.68, 0.78, 0.85, 1.75, 1.15, _paint("#e8b04b", "#3f6fb0", "#f2d6b3", "#8a5a2b")),
    "Giant": Figure(0.88, 1.2, 1.18, 1.45, 0.95, 1.45, _paint("#5b7f5b", "#4a4038", "#6f9a6f", "#33402f")),
    "Stilt": Figure(1.32, 1.22, 0.95, 0.9, 0.85, 0.72, _paint("#7a5ea8", "#2e2a3a", "#b9a3dd", "#d8c24a")),
}


@cache
def make_figure(name: str) -> bytes:
    """A character of the gallery as a GLB file."""
    if name not in FIGURES:
        raise KinematchError(unknown("character", name, FIGURES))
    figure = FIGURES[name]
    rig = _stretch(walker_skeleton(), figure)
    mesh = body_mesh(rig, _thicken(make_body(rig), rig, figure))
    painted = replace(mesh, triangles=_group_by_colour(mesh.triangles, figure.colours))
    clip = Clip(rig, rig.offsets[None], rig.rotations[None], 60.0, name)
    with tempfile.TemporaryDirectory(prefix="kinematch-") as folder:
        path = Path(folder) / "figure.glb"
        write_glb(path, clip, body=painted)
        return path.read_bytes()


def _group_by_colour(triangles: Mapping[str, np.ndarray], colours: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Triangles by colour, from those by tint."""
    parts: dict[str, list[np.ndarray]] = {}
    for tint, own in triangles.items():
        parts.setdefault(colours[tint], []).append(own)
    return {colour: np.concatenate(own) for colour, own in parts.items()}


def _stretch(rig: Skeleton, figure: Figure) -> Skeleton:
    """Longer and shorter bones; the feet stay on the floor."""
    offsets, roles = rig.offsets.astype(np.float64), rig.roles
    low = _find_ankle(offsets, roles)
    for side in ("left", "right"):
        for parts, factor in ((LEG, figure.legs), (ARM, figure.arms)):
            for part in parts:
                offsets[roles[f"{side}_{part}"]] *= factor
        for part in ("upper_leg", "shoulder", "upper_arm"):
            offsets[roles[f"{side}_{part}"], 0] *= figure.width
    for part in TRUNK:
        offsets[roles[part]] *= figure.trunk
    offsets[roles["hips"], 1] += low - _find_ankle(offsets, roles)
    ends = rig.end_offsets.copy()
    ends[rig.end_parents == roles[HEAD]] *= figure.head
    return replace(rig, offsets=offsets.astype(np.float32), end_offsets=ends)


def _find_ankle(offsets: np.ndarray, roles: Mapping[str, int]) -> float:
    """Height of the ankles in the T-pose, whose joints are not turned."""
    return float(sum(offsets[roles[role], 1] for role in ("hips", "left_upper_leg", "left_lower_leg", "left_foot")))


def _thicken(body: BodyShape, rig: Skeleton, figure: Figure) -> BodyShape:
    """The mannequin measures everything by its legs; here trunk and head keep their own size."""
    head = (body.joints == rig.roles[HEAD]).all(axis=1)
    trunk = np.isin(body.joints, [rig.roles[role] for role in ("hips", *TRUNK)]).any(axis=1) & ~head
    factors = np.where(head, figure.head, np.where(trunk, 1.0, figure.limbs)) / figure.legs
    factors[~head & ~trunk] *= figure.legs  # limbs stay as thick as their length makes them
    offsets = np.where(head[:, None, None], body.offsets * factors[:, None, None], body.offsets)
    return replace(body, radii=body.radii * factors[:, None], offsets=offsets)
