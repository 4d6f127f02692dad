"""Bones of a humanoid as Unity names them, in their parent's space and counted from the T-pose."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kinematch.avatar.body_frames import find_reference_rotations
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.role_names import ABOVE, FINGERS, SIDES
from kinematch.motion.roles import ROLES
from kinematch.motion.skeleton import Skeleton

ROOT = "root"
Placement = tuple[tuple[float, float, float], tuple[float, float, float, float]]  # position m, rotation w x y z
_TRUNK = {
    "hips": ROOT,
    "spine": "hips",
    "chest": "spine",
    "upper_chest": "chest",
    "neck": "upper_chest",
    "head": "neck",
}
_FACE = {"jaw": "head", "left_eye": "head", "right_eye": "head"}
_HANDS = {
    **{f"{side}_{finger}_intermediate": f"{side}_{finger}_proximal" for side in SIDES for finger in FINGERS},
    **{f"{side}_{finger}_distal": f"{side}_{finger}_intermediate" for side in SIDES for finger in FINGERS},
}
PARENTS = {**ABOVE, **{f"{side}_shoulder": "upper_chest" for side in SIDES}, **_HANDS, **_TRUNK, **_FACE}  # of roles
NAMES = {role: "".join(word.capitalize() for word in role.split("_")) for role in ROLES}  # role -> HumanBodyBones
ROLES_BY_NAME = {name: role for role, name in NAMES.items()}


def find_parent(role: str, present: Iterable[str]) -> str:
    """The nearest bone above one that is there; the root is above them all."""
    above = PARENTS[role]
    while above != ROOT and above not in present:
        above = PARENTS[above]
    return above


@dataclass(frozen=True, eq=False)
class Bones:
    """How the joints of a skeleton become bones; the root stands first, parents come before children."""

    roles: tuple[str, ...]  # B, the first is 'root'
    joints: np.ndarray  # (B,) joints of the skeleton
    parents: np.ndarray  # (B,) bones; -1 for the root
    references: np.ndarray  # (B, 4) global rotations of the joints in the T-pose

    def find_local_poses(self, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (B, 3) and rotations (B, 4) in the parent's space, from global ones of all joints (J, ...)."""
        places = positions[self.joints].astype(np.float64)
        turns = quaternion.multiply(rotations[self.joints].astype(np.float64), quaternion.inverse(self.references))
        above = self.parents[1:]
        back = quaternion.inverse(turns[above])
        local_places, local_turns = places.copy(), turns.copy()
        local_places[1:] = quaternion.rotate(back, places[1:] - places[above])
        local_turns[1:] = quaternion.multiply(back, turns[1:])
        return local_places, quaternion.normalize(local_turns)


def find_bones(skeleton: Skeleton) -> Bones:
    """The bones of a humanoid skeleton, with its ground root as the root."""
    if "hips" not in skeleton.roles:
        raise KinematchError("the skeleton has no hips; only a humanoid has bones to send")
    present = [role for role in PARENTS if role in skeleton.roles]
    ordered = [ROOT]
    while len(ordered) <= len(present):  # parents first
        ordered += [r for r in present if r not in ordered and find_parent(r, present) in ordered]
    joints = np.array([skeleton.roles.get(ROOT, 0), *(skeleton.roles[role] for role in ordered[1:])])
    parents = np.array([-1, *(ordered.index(find_parent(role, present)) for role in ordered[1:])])
    references = find_reference_rotations(skeleton, joints)
    return Bones(tuple(ordered), joints, parents, references)


def find_global_poses(poses: Mapping[str, Placement]) -> dict[str, Placement]:
    """Global placements by role, from those in the parent's space; a missing root is at rest.

    A bone without its parent hangs on the nearest ancestor that is there. These are plain numbers: arrays of
    one bone each would take many times as long.
    """
    found = {ROOT: poses.get(ROOT, ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)))}

    def find(role: str) -> Placement:
        if role not in found:
            found[role] = _compose(find(find_parent(role, poses)), poses[role])
        return found[role]

    for role in poses:
        find(role)
    return found


def _compose(above: Placement, below: Placement) -> Placement:
    """A placement in another one's space, as one in the world."""
    (px, py, pz), (w, x, y, z) = above
    (vx, vy, vz), (bw, bx, by, bz) = below
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)  # as quaternion.rotate does
    place = (
        px + vx + w * tx + y * tz - z * ty,
        py + vy + w * ty + z * tx - x * tz,
        pz + vz + w * tz + x * ty - y * tx,
    )
    turn = (  # as quaternion.multiply does
        w * bw - x * bx - y * by - z * bz,
        w * bx + x * bw + y * bz - z * by,
        w * by - x * bz + y * bw + z * bx,
        w * bz + x * by - y * bx + z * bw,
    )
    return place, turn
