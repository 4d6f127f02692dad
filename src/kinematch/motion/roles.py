"""What each joint of a rig is: humanoid roles from names, from the shape of the skeleton, or as the user says."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError, listed, unknown
from kinematch.motion import role_topology
from kinematch.motion.kinematics import rest_pose
from kinematch.motion.role_names import ABOVE, REQUIRED_ROLES, ROLES, SIDES, agreement, from_names, is_below
from kinematch.motion.skeleton import Skeleton

_UNDERSTOOD = 6  # required roles that names must give before they are trusted

__all__ = ["REQUIRED_ROLES", "ROLES", "RoleMap", "find_roles", "missing_roles", "vrm_roles"]


@dataclass(frozen=True)
class RoleMap:
    roles: Mapping[str, int]  # role -> joint
    family: str  # the rig family its names belong to; 'unknown' when names match none
    method: str  # how: names, topology, file, override, or several joined by +
    problems: tuple[str, ...] = ()  # what is missing, ambiguous or contradictory, in words
    four_legged: bool = False  # the forelegs are arms by role

    @property
    def missing(self) -> tuple[str, ...]:
        return missing_roles(self.roles)

    @property
    def humanoid(self) -> bool:
        """Whether every role that a humanoid needs was found, on a body that does not stand on all fours."""
        return not self.missing and not self.four_legged


def missing_roles(roles: Mapping[str, int]) -> tuple[str, ...]:
    """What a humanoid needs and these lack."""
    return tuple(role for role in REQUIRED_ROLES if role not in roles)


def find_roles(
    skeleton: Skeleton,
    overrides: Mapping[str, str] | None = None,
    pose: np.ndarray | None = None,
    *,
    file_roles: Mapping[str, int] | None = None,
) -> RoleMap:
    """The humanoid roles of a skeleton, before its units and axes are known.

    `overrides` names a joint for a role, or "" for none. `pose` holds global positions (J, 3) or (F, J, 3) for what
    geometry must tell when the rest pose is degenerate; `file_roles` is a map that the file itself brought (VRM).
    """
    poses = _poses(skeleton, pose)
    forced = _overrides(skeleton, overrides or {})
    method = ["file"] if file_roles is not None else ["names"]
    roles, family, problems = from_names(skeleton)
    understood = agreement(skeleton, roles) >= _UNDERSTOOD
    if not understood:
        family = "unknown"
    if file_roles is not None:
        roles, problems = dict(file_roles), []
    chosen = {role: joint for role, joint in forced.items() if joint is not None}
    if file_roles is None:
        sided = [r for r in REQUIRED_ROLES if r not in ("hips", "spine") and r not in (roles | chosen)]
        if sided or not understood:
            guessed, doubts = role_topology.from_topology(skeleton, poses)
            if guessed and not understood:
                roles, problems, method = {}, [], []
            known = roles | chosen
            added = {r: j for r, j in guessed.items() if r not in known and _fits(skeleton, known, r, j)}
            if added:
                method.append("topology")
                which = ", ".join(added) if len(added) < 8 else f"{len(added)} roles"
                problems.append(f"{which} told from the shape of the skeleton, not from names")
                problems += doubts if any("_" in role for role in added) else []
            if not guessed:
                problems += doubts
            roles |= added
        roles, more = _complete(skeleton, roles | chosen)
        problems += more
    for role, joint in forced.items():
        if joint is None:
            roles.pop(role, None)
        else:
            roles[role] = joint
    if forced:
        method.append("override")
    four_legged = not missing_roles(roles) and any(
        role_topology.on_all_fours(roles, stand) for stand in (poses, _poses(skeleton, None))
    )
    if four_legged:  # its names and toes do not matter
        problems = []
    problems = _missing(roles, forced, four_legged) + _misplaced(skeleton, roles, poses) + problems
    ordered = {role: int(roles[role]) for role in ("root", *ROLES) if role in roles}
    return RoleMap(ordered, family, "+".join(method) or "none", tuple(problems), four_legged)


def vrm_roles(bones: Mapping[str, int]) -> dict[str, int]:
    """Roles from a VRM file's own bone names, of version 0 (thumb proximal first) or 1 (thumb metacarpal first)."""
    first = any("ThumbMetacarpal" in bone for bone in bones)
    shift = {"metacarpal": "proximal", "proximal": "intermediate", "distal": "distal"}
    roles = {}
    for bone, joint in bones.items():
        role = "".join(f"_{c.lower()}" if c.isupper() else c for c in bone)
        if first and "_thumb_" in role:
            start, _, part = role.rpartition("_")
            role = f"{start}_{shift.get(part, part)}"
        if role in ROLES:
            roles[role] = joint
    return roles


def _poses(skeleton: Skeleton, pose: np.ndarray | None) -> np.ndarray:
    """Given poses (F, J, 3), or the rest pose alone."""
    if pose is None:
        return rest_pose(skeleton)[0][None].astype(np.float64)
    poses = np.asarray(pose, np.float64)
    if poses.shape[-2:] != (skeleton.joint_count, 3) or poses.ndim not in (2, 3):
        raise KinematchError(f"pose has shape {poses.shape}, expected (J, 3) or (F, J, 3), J = {skeleton.joint_count}")
    return poses.reshape(-1, skeleton.joint_count, 3)


def _overrides(skeleton: Skeleton, overrides: Mapping[str, str]) -> dict[str, int | None]:
    joints: dict[str, int | None] = {}
    for role, name in overrides.items():
        if role not in ROLES:
            raise KinematchError(unknown("role", role, ROLES))
        if name and name not in skeleton.names:
            raise KinematchError(f"override of role {role!r}: {unknown('joint', name, skeleton.names)}")
        joints[role] = skeleton.names.index(name) if name else None
    return joints


def _fits(skeleton: Skeleton, roles: Mapping[str, int], role: str, joint: int) -> bool:
    """Whether a guessed joint hangs where the roles already known say it should."""
    above = roles.get(ABOVE.get(role, ""))
    below = [roles[r] for r, parent in ABOVE.items() if parent == role and r in roles]
    free = joint not in roles.values()
    return (
        free
        and (above is None or is_below(skeleton, joint, above))
        and all(is_below(skeleton, j, joint) for j in below)
    )


def _complete(skeleton: Skeleton, roles: dict[str, int]) -> tuple[dict[str, int], list[str]]:
    """Hips where legs and spine part, and the spine and neck along the path from hips to head.

    The spine's joints are those above the hips and below the neck: the first is spine, the last upper_chest, the one
    before it chest; two are spine and chest, one is spine, as Unity does. The neck is the lowest joint so named, or
    else the first above the shoulders' branching.
    """
    roles, problems = dict(roles), []
    legs = [roles[f"{side}_upper_leg"] for side in SIDES if f"{side}_upper_leg" in roles]
    head = roles.get("head")
    if len(legs) == 2:
        meet = _meeting(skeleton, legs)
        named = roles.get("hips")
        if named is None:
            roles["hips"] = meet
            if not skeleton.names[meet].lower().endswith("root"):
                problems.append(f"no joint is named as hips; {skeleton.names[meet]!r}, where the legs meet, was taken")
        elif not all(is_below(skeleton, leg, named) for leg in legs):
            roles["hips"] = meet
            problems.append(
                f"{skeleton.names[named]!r} is not above the legs; {skeleton.names[meet]!r}, where they meet, is hips"
            )
    if "hips" not in roles or head is None or not is_below(skeleton, head, roles["hips"]):
        return roles, problems
    path = [j for j in skeleton.chain(head) if is_below(skeleton, j, roles["hips"]) and j != head]
    arms = [roles[r] for side in SIDES for r in (f"{side}_shoulder", f"{side}_upper_arm") if r in roles]
    branching = [j for j in path if any(is_below(skeleton, arm, j) for arm in arms)]
    if roles.get("neck") in path:
        start = path.index(roles["neck"])
    else:
        start = path.index(branching[-1]) + 1 if branching else len(path)
        roles.pop("neck", None)
        if start < len(path):
            roles["neck"] = path[start]
    spine = path[:start]
    for role in ("spine", "chest", "upper_chest"):
        roles.pop(role, None)
    roles |= dict(zip(("spine", "chest", "upper_chest"), [spine[0], *spine[-2:]] if len(spine) > 3 else spine))
    return roles, problems


def _meeting(skeleton: Skeleton, joints: list[int]) -> int:
    """The lowest joint that is above all of these."""
    common = set(skeleton.chain(joints[0])[:-1]).intersection(*(skeleton.chain(j)[:-1] for j in joints[1:]))
    return max(common) if common else 0


def _missing(roles: Mapping[str, int], forced: Mapping[str, int | None], four_legged: bool) -> list[str]:
    missing = missing_roles(roles)
    toes = len(missing) < 8 and not four_legged
    problems = [f"{side}_toes missing" for side in SIDES if f"{side}_toes" not in roles and toes]
    if len(missing) >= 8:
        return [
            f"not a humanoid: {len(missing)} of {len(REQUIRED_ROLES)} required roles missing ({', '.join(missing)})"
        ]
    return [f"{role} missing" + (" (unset by override)" if role in forced else "") for role in missing] + problems


def _misplaced(skeleton: Skeleton, roles: Mapping[str, int], poses: np.ndarray) -> list[str]:
    """Roles that hang on the wrong limb, joints with two roles, and sides that geometry contradicts."""
    problems = []
    astray: dict[str, list[str]] = {}
    for role, above in ABOVE.items():
        if role in roles and above in roles and not is_below(skeleton, roles[role], roles[above]):
            astray.setdefault(above, []).append(f"{role} {skeleton.names[roles[role]]!r}")
    for above, low in astray.items():
        problems.append(f"not below {above} {skeleton.names[roles[above]]!r}: {listed(low, 1)}")
    by_joint: dict[int, str] = {}
    for role, joint in roles.items():
        if joint in by_joint:
            problems.append(f"{skeleton.names[joint]!r} is both {by_joint[joint]} and {role}")
        by_joint[joint] = role
    if role_topology.side_vote(skeleton, roles, poses) < 0:
        problems.append(
            "left_upper_leg is to the right of right_upper_leg (names say left, geometry says right): a mirrored rig?"
        )
    return problems
