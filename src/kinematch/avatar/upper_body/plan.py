"""Plan: what the solver knows of a skeleton, found once: trunk, arms, legs, twist joints and the T-pose's axes."""

from typing import NamedTuple

import numpy as np

from kinematch.avatar.upper_body.fingers import find_fingers
from kinematch.errors import KinematchError
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

SIDES = ("left", "right")
ARM_ROLES = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG_ROLES = ("upper_leg", "lower_leg", "foot")
TWIST_WORDS = ("twist", "roll")
BEND_EXPONENT = 0.8  # exponent of how the trunk's bend adds up along the spine: below 1, lower joints bend more
ELBOW_TWIST_SHARE, WRIST_TWIST_SHARE = 0.3, 0.8  # share of the wrist's twist that twist joints take, by where they sit
FOREARM_TWIST = 0.5  # share that the forearm itself takes where there are none


class BodyPlan(NamedTuple):
    """Joints are -1 where a skeleton has none."""

    parents: np.ndarray  # (J,) int64
    references: np.ndarray  # (J, 4) global rotations of the T-pose
    trunk: np.ndarray  # (T,) int64, hips first, head last
    chest: np.ndarray  # (1,) int64, which of the trunk's joints carries the arms
    shares: np.ndarray  # (T,) up to the chest, of the chest's bend; above it, of the way from chest to head
    arms: np.ndarray  # (2, 4) int64 collar, upper, lower, hand
    legs: np.ndarray  # (2, 3) int64 upper, lower, foot
    toes: np.ndarray  # (2,) int64
    twists: np.ndarray  # (K, 2) int64, joints that follow a joint of an arm, and which arm
    followed: np.ndarray  # (K,) int64, the joint they follow
    twist_shares: np.ndarray  # (K,) of the wrist's twist
    forearm_shares: np.ndarray  # (2,) of it that the forearm takes
    arm_joints: np.ndarray  # (M, 3) int64, each joint of the arms, the one above it, and which arm; parents first
    fingers: np.ndarray  # (F, 5) int64, see find_fingers
    finger_bones: np.ndarray  # (F, 3) directions of their bones in the T-pose
    height: np.ndarray  # (1,) m of the head joint above the floor in the T-pose
    pelvis_height: np.ndarray  # (1,) m of the hips above the floor in the T-pose
    changed: np.ndarray  # (C,) int64, every joint that the solver turns but fingers, parents first


def make_plan(skeleton: Skeleton) -> BodyPlan:
    """The plan of a humanoid with a ground root; arms and legs may be missing."""
    roles = skeleton.roles
    if "head" not in roles or "hips" not in roles or skeleton.tpose is None:
        raise KinematchError("an upper body needs a humanoid: a skeleton with hips, a head and a T-pose")
    chain = skeleton.chain(roles["head"])
    if roles["hips"] not in chain[:-1]:
        raise KinematchError(f"the head {skeleton.names[roles['head']]!r} does not hang on the hips")
    if "root" not in roles or roles["hips"] == 0:
        raise KinematchError("the skeleton has no ground root; take that of a crowd")
    trunk = chain[chain.index(roles["hips"]) :]
    arms = np.array([_find_limb(skeleton, side, ARM_ROLES, optional=1) for side in SIDES], np.int64)
    legs = np.array([_find_limb(skeleton, side, LEG_ROLES, optional=0) for side in SIDES], np.int64)
    chest = _find_chest(skeleton, trunk, arms)
    twists, followed, shares = _find_twists(skeleton, arms)
    positions, references = kinematics.tpose(skeleton)
    fingers, finger_bones = find_fingers(skeleton)
    changed = {*trunk, *arms.ravel().tolist(), *legs.ravel().tolist(), *(joint for joint, _ in twists)} - {-1}
    own = [any(share > 0 and arm == side for (_, arm), share in zip(twists, shares)) for side in range(2)]
    return BodyPlan(
        parents=np.array(skeleton.parents, np.int64),
        references=references.astype(np.float64),
        trunk=np.array(trunk, np.int64),
        chest=np.array([chest], np.int64),
        shares=_share_bend(len(trunk), chest),
        arms=arms,
        legs=legs,
        toes=np.array([_find_toes(skeleton, side) for side in SIDES], np.int64),
        twists=np.array(twists, np.int64).reshape(-1, 2),
        followed=np.array(followed, np.int64),
        twist_shares=np.array(shares, np.float64),
        forearm_shares=np.array([0.0 if found else FOREARM_TWIST for found in own]),
        arm_joints=_list_arm_joints(skeleton, arms, twists, followed),
        fingers=fingers,
        finger_bones=finger_bones,
        height=np.array([max(float(positions[roles["head"], 1]), 0.1)]),
        pelvis_height=np.array([max(float(positions[roles["hips"], 1]), 0.05)]),
        changed=np.array(sorted(changed), np.int64),
    )


def _find_limb(skeleton: Skeleton, side: str, parts: tuple[str, ...], optional: int) -> list[int]:
    """The joints of a limb; all -1 unless all but the first `optional` ones exist and hang on the hips in order."""
    found = [skeleton.roles.get(f"{side}_{part}", -1) for part in parts]
    needed = found[optional:]
    chain = skeleton.chain(needed[-1])
    hung = skeleton.roles["hips"] in chain and all(joint in chain for joint in needed)
    if min(needed) < 0 or not hung:
        return [-1] * len(parts)
    return [joint if joint in chain else -1 for joint in found]


def _find_toes(skeleton: Skeleton, side: str) -> int:
    toes, foot = (skeleton.roles.get(f"{side}_{part}", -1) for part in ("toes", "foot"))
    return toes if toes >= 0 and foot in skeleton.chain(toes) else -1


def _find_chest(skeleton: Skeleton, trunk: list[int], arms: np.ndarray) -> int:
    """The last joint of the trunk that every arm hangs on; without arms, the one below the neck."""
    chains = [skeleton.chain(int(arm[1])) for arm in arms if arm[1] >= 0]
    if not chains:
        return max(len(trunk) - 3, 0)
    carrying = [k for k, joint in enumerate(trunk[:-1]) if all(joint in chain for chain in chains)]
    return max(carrying, default=0)


def _share_bend(joints: int, chest: int) -> np.ndarray:
    shares = np.zeros(joints)
    shares[: chest + 1] = (np.arange(chest + 1) / max(chest, 1)) ** BEND_EXPONENT
    neck = joints - 1 - chest
    shares[chest + 1 :] = np.arange(1, neck + 1) / neck
    return shares


def _find_twists(skeleton: Skeleton, arms: np.ndarray) -> tuple[list[tuple[int, int]], list[int], list[float]]:
    """Joints between those of an arm, and twist joints beside them: what they follow, and how they share a twist."""
    joints, followed, shares = [], [], []
    for side, (_, upper, lower, hand) in enumerate(arms.tolist()):
        if upper < 0:
            continue
        inside = [j for j in skeleton.chain(hand) if j > upper and j not in (lower, hand)]
        beside = [
            j
            for j in range(skeleton.joint_count)
            if skeleton.parents[j] == lower and any(word in skeleton.names[j].lower() for word in TWIST_WORDS)
        ]
        for joint in sorted({*inside, *beside}):
            owner = lower if lower in skeleton.chain(joint) else upper
            joints.append((joint, side))
            followed.append(owner)
            along = np.linalg.norm(skeleton.offsets[joint]) / np.linalg.norm(skeleton.offsets[hand]).clip(1e-6)
            twisting = owner == lower and joint in beside and joint not in inside
            shares.append((WRIST_TWIST_SHARE if along > 0.5 else ELBOW_TWIST_SHARE) if twisting else 0.0)
    return joints, followed, shares


def _list_arm_joints(
    skeleton: Skeleton, arms: np.ndarray, twists: list[tuple[int, int]], followed: list[int]
) -> np.ndarray:
    rows = [(joint, owner, side) for (joint, side), owner in zip(twists, followed)]
    for side, (collar, upper, lower, hand) in enumerate(arms.tolist()):
        if upper >= 0:
            rows += [(upper, collar if collar >= 0 else int(skeleton.parents[upper]), side)]
            rows += [(lower, upper, side), (hand, lower, side)]
            rows += [(collar, int(skeleton.parents[collar]), side)] if collar >= 0 else []
    return np.array(sorted(rows), np.int64).reshape(-1, 3)
