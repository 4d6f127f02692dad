"""What the constructed T-pose draws from motion: mean posture, hinge axes of knees and elbows, straight rest chains."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion.skeleton import Skeleton

# Joints in the plane between left and right, and feet, whose sideways axis lies across the body in a T-pose.
SAGITTAL = ("hips", "spine", "chest", "upper_chest", "neck", "head", "left_foot", "right_foot")
# Which way bone x next bone points when the joint bends: elbows bring hands forward, knees bring feet back.
_HINGE_AXES = {
    "left_upper_arm": np.array([0.0, -1.0, 0.0]),
    "right_upper_arm": np.array([0.0, 1.0, 0.0]),
    "left_upper_leg": np.array([1.0, 0.0, 0.0]),
    "right_upper_leg": np.array([1.0, 0.0, 0.0]),
}
_NEXT = {"upper_arm": ("lower_arm", "hand"), "upper_leg": ("lower_leg", "foot")}
_BENT = 0.2  # sine of the bend below which noise decides the axis
_SNAP = np.cos(np.radians(30))  # rigs put hinges on a joint's own axes; capture is off by up to 25 degrees
_COLLINEAR = np.cos(np.radians(10))


def average(rotations: np.ndarray) -> np.ndarray:
    """The mean rotation along the first axis: the eigenvector nearest to all, blind to signs."""
    q = rotations.astype(np.float64)
    products = np.einsum("f...i,f...j->...ij", q, q)
    return np.linalg.eigh(products)[1][..., -1]


def squared_up(q: np.ndarray) -> np.ndarray:
    """The joint's own axis that lies nearest to the body's left, put exactly there; unchanged if none is near."""
    left = np.array([1.0, 0.0, 0.0])
    axis = nearest_axis(quaternion.rotate(quaternion.inverse(q), left))
    if axis is None:
        return q
    return quaternion.multiply(quaternion.between(quaternion.rotate(q, axis), left), q)


def nearest_axis(v: np.ndarray) -> np.ndarray | None:
    """The coordinate axis, with sign, within 30 degrees of a direction."""
    v = quaternion.unit(v)
    k = int(np.argmax(np.abs(v)))
    if abs(v[k]) < _SNAP:
        return None
    axis = np.zeros(3)
    axis[k] = np.sign(v[k])
    return axis


def hinges(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> dict[str, np.ndarray]:
    """For each upper limb that bends in these frames, the hinge in its own space, on an own axis where one is near."""
    found = {}
    for role in _HINGE_AXES:
        side, _, part = role.partition("_")
        joint, middle, last = (skeleton.roles[r] for r in (role, *(f"{side}_{p}" for p in _NEXT[part])))
        upper = quaternion.unit(positions[:, middle] - positions[:, joint])
        lower = quaternion.unit(positions[:, last] - positions[:, middle])
        axes = np.cross(upper, lower)
        bent = np.linalg.norm(axes, axis=-1) > _BENT
        if bent.sum() < 10:
            continue
        own = quaternion.rotate(quaternion.inverse(rotations[bent, joint]), axes[bent]).sum(axis=0)
        bone = quaternion.unit(quaternion.rotate(quaternion.inverse(rotations[0, joint]), upper[0]))
        snapped = nearest_axis(own)
        found[role] = snapped if snapped is not None and abs(snapped @ bone) < 0.1 else quaternion.unit(own)
    return found


def twisted(q: np.ndarray, hinge: np.ndarray, *, role: str, bone: np.ndarray) -> np.ndarray:
    """q turned about its bone until the hinge lies as in a T-pose with palms down and knees ahead."""
    wanted, now = _HINGE_AXES[role], quaternion.rotate(q, hinge)
    turn = np.arctan2(
        np.dot(np.cross(now, wanted), bone), np.dot(now, wanted) - np.dot(now, bone) * np.dot(wanted, bone)
    )
    return quaternion.multiply(rotation.from_axis_angle(bone, turn), q)


def straight_joints(skeleton: Skeleton) -> frozenset[str]:
    """Lower limbs and hands that the rest pose puts in line with the bone before: there it defines no twist at all."""
    roles = skeleton.roles
    found = []
    for side in ("left", "right"):
        for upper, lower, last in (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot")):
            start, middle, stop = (roles[f"{side}_{part}"] for part in (upper, lower, last))
            if skeleton.parents[middle] != start or skeleton.parents[stop] != middle:
                continue
            before = quaternion.unit(skeleton.offsets[middle])
            after = quaternion.unit(quaternion.rotate(skeleton.rotations[middle], skeleton.offsets[stop]))
            if np.dot(before, after) > _COLLINEAR:
                found += [f"{side}_{lower}"] + ([f"{side}_hand"] if last == "hand" else [])
    return frozenset(found)
