"""The axes that trackers and skeletons agree on: joints as they turn away from a T-pose that faces +Z."""

import numpy as np

from kinematch.avatar.trackers import POINTS
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

ROLES = {  # the joint that each point is worn on, the first that the skeleton has
    "head": ("head",),
    "left_hand": ("left_hand",),
    "right_hand": ("right_hand",),
    "waist": ("hips",),
    "chest": ("upper_chest", "chest", "spine"),
    "left_foot": ("left_foot",),
    "right_foot": ("right_foot",),
}


def find_point_joints(skeleton: Skeleton) -> np.ndarray:
    """The joint (7,) of each tracked point; -1 where the skeleton has none."""
    joints = [next((skeleton.roles[role] for role in ROLES[point] if role in skeleton.roles), -1) for point in POINTS]
    if joints[0] < 0:
        raise KinematchError("the skeleton has no head; an avatar needs a humanoid")
    return np.array(joints)


def find_reference_rotations(skeleton: Skeleton, joints: np.ndarray) -> np.ndarray:
    """Global rotations (K, 4) of joints in the T-pose: `multiply(body_rotation, reference)` is the joint's own."""
    if skeleton.tpose is None:
        raise KinematchError("the skeleton has no T-pose; an avatar needs a humanoid")
    return kinematics.tpose(skeleton)[1][joints].astype(np.float64)


def to_body_rotations(skeleton: Skeleton, joints: np.ndarray, global_rotations: np.ndarray) -> np.ndarray:
    """How joints (K,) have turned since the T-pose: from their global rotations (..., K, 4), in the world's axes."""
    references = find_reference_rotations(skeleton, joints)
    return quaternion.multiply(global_rotations.astype(np.float64), quaternion.inverse(references))
