"""Which joints of one rig drive which joints of another: by role, along the trunk, and by name for the rest."""

import itertools
from dataclasses import dataclass

import numpy as np

from kinematch.errors import listed
from kinematch.motion.role_names import ABOVE, ARM, LEG, PHALANGES, SIDES, is_below
from kinematch.motion.skeleton import Skeleton

_TRUNK = ("spine", "chest", "upper_chest", "neck")
# Parts of limbs that some rigs, made for inverse kinematics, hang on the root instead of the limb; upper ones first.
_LIMB_ENDS = tuple(f"{side}_{part}" for side in SIDES for part in (*LEG[1:], *ARM[2:]))
_MAX_NAMES = 8  # names in one line of problems


@dataclass(frozen=True, eq=False)
class JointMap:
    """What each target joint follows. One that follows nothing keeps its T-pose in its parent's space."""

    low: np.ndarray  # (Jt,) int32, source joint; -1 for none
    high: np.ndarray  # (Jt,) int32, the source joint towards which the rotation is interpolated; -1 for none
    shares: np.ndarray  # (Jt,) float32, 0 at low, 1 at high


def map_joints(source: Skeleton, target: Skeleton, *, fingers: bool = True) -> JointMap:
    """The map between two humanoids; fingers may be left out, which then keep their T-pose.

    Joints of one role go together. Trunks may differ in length: each trunk joint of the target takes the rotation found
    at the same fraction of the way along the source's trunk. Joints without a role go together if their names agree.
    """
    pairs: dict[int, tuple[int, int, float]] = {}
    own, other = _joints_without_role(source), _joints_without_role(target)
    for name in own.keys() & other.keys():
        pairs[other[name]] = (own[name], own[name], 0.0)
    for role, joint in target.roles.items():
        if role in source.roles and role not in _TRUNK and (fingers or not is_finger(role)):
            pairs[joint] = (source.roles[role], source.roles[role], 0.0)
    anchors = ["hips", "top", *(["neck"] if "neck" in source.roles and "neck" in target.roles else []), "head"]
    for start, stop in itertools.pairwise(anchors):
        pairs |= _pair_chains(_chain_between(source, start, stop), _chain_between(target, start, stop))
    low = np.full(target.joint_count, -1, np.int32)
    high, shares = low.copy(), np.zeros(target.joint_count, np.float32)
    for joint, (a, b, share) in pairs.items():
        low[joint], high[joint], shares[joint] = a, b, share
    return JointMap(low, high, shares)


def is_finger(role: str) -> bool:
    """Whether a role is that of a finger's joint."""
    return role.endswith(PHALANGES)


def find_loose_joints(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Hands, feet and the like that do not hang on their limb: (joint, the joint of the limb that should carry it)."""
    roles = skeleton.roles
    return [
        (roles[role], roles[ABOVE[role]])
        for role in _LIMB_ENDS
        if role in roles and ABOVE[role] in roles and not is_below(skeleton, roles[role], roles[ABOVE[role]])
    ]


def describe_gaps(source: Skeleton, target: Skeleton, joints: JointMap) -> tuple[str, ...]:
    """What the map could not match, in words."""
    problems = []
    lost = [role for role in source.roles if role not in target.roles and role not in _TRUNK]
    if lost:
        problems.append(f"the target has no joint for: {listed(lost, _MAX_NAMES)}")
    still = [name for name, low in zip(target.names, joints.low) if low < 0]
    if still:
        problems.append(f"joints of the target that keep their T-pose: {listed(still, _MAX_NAMES)}")
    for joint, carrier in find_loose_joints(target):
        problems.append(
            f"{target.names[joint]!r} is not below {target.names[carrier]!r} in the target; it is moved along with it"
        )
    return tuple(problems)


def find_contact_joints(source: Skeleton, contact_joints: np.ndarray, target: Skeleton) -> np.ndarray:
    """The joints of another skeleton that have the roles of contact joints; the root where there is none."""
    names = {joint: role for role, joint in source.roles.items()}
    found = []
    for joint in contact_joints.tolist():
        role = names.get(joint, "")
        other = role.replace("toes", "foot")  # a rig without toes stands on its feet
        found.append(target.roles.get(role, target.roles.get(other, 0)))
    return np.array(found, np.int32)


def _joints_without_role(skeleton: Skeleton) -> dict[str, int]:
    with_role = set(skeleton.roles.values())
    return {name: j for j, name in enumerate(skeleton.names) if j not in with_role}


def _chain_between(skeleton: Skeleton, start: str, stop: str) -> list[int]:
    """The joints from one end to the other, both included; 'top' is the highest joint of the spine."""
    ends = {**skeleton.roles, "top": _find_top(skeleton)}
    return [j for j in skeleton.chain(ends[stop]) if j >= ends[start]]


def _find_top(skeleton: Skeleton) -> int:
    """The highest joint of the spine, the one that carries the neck."""
    head = skeleton.roles["head"]
    above_hips = [j for j in skeleton.chain(head)[:-1] if j > skeleton.roles["hips"]]
    neck = skeleton.roles.get("neck", head)
    return max((j for j in above_hips if j < neck), default=skeleton.roles["hips"])


def _pair_chains(source: list[int], target: list[int]) -> dict[int, tuple[int, int, float]]:
    """For each joint of one chain the two neighbours of another at the same fraction of the way, and the share."""
    pairs = {}
    for k, joint in enumerate(target):
        at = k * (len(source) - 1) / max(len(target) - 1, 1)
        low = min(int(at), len(source) - 1)
        high = min(low + 1, len(source) - 1)
        pairs[joint] = (source[low], source[high], at - low) if at > low else (source[low], source[low], 0.0)
    return pairs
