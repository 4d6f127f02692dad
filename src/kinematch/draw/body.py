"""Body: solids bound to the joints of a skeleton; placing it for a pose or a whole clip at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.draw.camera import body_joints
from kinematch.draw.solid import Solids, round_cones
from kinematch.draw.theme import Theme, linear
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

TINTS = ("body", "left", "right", "left_arm", "right_arm", "joints")  # fields of Theme


@dataclass(frozen=True)
class BodyPart:
    """One solid, drawn in the reference pose: two balls, each carried by a joint."""

    joints: tuple[int, int]
    points: tuple[np.ndarray, np.ndarray]  # (3,) m each, in the reference pose's world
    radii: tuple[float, float]  # m
    across: tuple[float, float, float] = (1.0, 0.0, 0.0)  # direction of the first stretch, in the same world
    scales: tuple[float, float] = (1.0, 1.0)
    tint: str = "body"


@dataclass(frozen=True, eq=False)
class BodyShape:
    joints: np.ndarray  # (P, 2) int
    offsets: np.ndarray  # (P, 2, 3) m, in the joint's space
    radii: np.ndarray  # (P, 2) m
    across: np.ndarray  # (P, 3), in the first joint's space
    along: np.ndarray  # (P, 3), in the first joint's space, for balls
    scales: np.ndarray  # (P, 2)
    tints: tuple[str, ...]  # (P,)


def bind(parts: Sequence[BodyPart], global_positions: np.ndarray, global_rotations: np.ndarray) -> BodyShape:
    """Parts drawn around a reference pose (J, 3), (J, 4), fixed to its joints."""
    joints = np.array([part.joints for part in parts], int).reshape(-1, 2)
    points = np.array([part.points for part in parts], np.float64).reshape(-1, 2, 3)
    back = quaternion.inverse(np.asarray(global_rotations, np.float64)[joints])
    return BodyShape(
        joints=joints,
        offsets=quaternion.rotate(back, points - global_positions[joints]),
        radii=np.array([part.radii for part in parts]).reshape(-1, 2),
        across=quaternion.rotate(back[:, 0], np.array([part.across for part in parts]).reshape(-1, 3)),
        along=quaternion.rotate(back[:, 0], np.broadcast_to([0.0, 1.0, 0.0], (len(parts), 3))),
        scales=np.array([part.scales for part in parts]).reshape(-1, 2),
        tints=tuple(part.tint for part in parts),
    )


def place(body: BodyShape, global_positions: np.ndarray, global_rotations: np.ndarray, theme: Theme) -> Solids:
    """The body's solids in poses (..., J, 3), (..., J, 4)."""
    p = np.asarray(global_positions, np.float64)[..., body.joints, :]
    r = np.asarray(global_rotations, np.float64)[..., body.joints, :]
    points = p + quaternion.rotate(r, body.offsets)
    colours = {tint: linear(getattr(theme, tint)) for tint in TINTS}
    return round_cones(
        points[..., 0, :],
        points[..., 1, :],
        body.radii,
        across=quaternion.rotate(r[..., 0, :], body.across),
        along=quaternion.rotate(r[..., 0, :], body.along),
        scales=body.scales,
        colours=np.array([colours[tint] for tint in body.tints]).reshape(-1, 3),
        groups=body.joints[:, 0],
    )


def generic_body(skeleton: Skeleton) -> BodyShape:
    """A tapered bone from each joint to its children and end sites, for rigs that are not humanoid."""
    positions, rotations = (np.asarray(a, np.float64) for a in kinematics.rest_pose(skeleton))
    ends = kinematics.end_positions(skeleton, positions, rotations)
    root = skeleton.roles.get("root")
    bones = [
        (int(parent), joint, positions[joint])
        for joint, parent in enumerate(skeleton.parents)
        if parent >= 0 and parent != root
    ]
    bones += [(int(joint), int(joint), end) for joint, end in zip(skeleton.end_parents, ends)]
    lengths = np.array([np.linalg.norm(tip - positions[start]) for start, _, tip in bones])
    inner = lengths[: len(bones) - len(ends)]
    usual = float(np.median(inner[inner > 0])) if (inner > 0).any() else 0.1
    size = float(np.linalg.norm(np.ptp(body_joints(skeleton, positions), axis=0))) or 1.0
    parts = []
    for (start, tip_joint, tip), length in zip(bones, lengths):
        if length < 0.002 * size or length > 0.7 * size:
            continue  # helper joints on top of each other, or a control far away from the body
        thick = float(np.clip(0.13 * length, 0.1 * usual, 0.3 * usual))
        tint = _side(skeleton.names[tip_joint])
        parts.append(BodyPart((start, tip_joint), (positions[start], tip), (thick, 0.55 * thick), tint=tint))
    for joint in range(skeleton.joint_count):
        if joint != root and (not parts or any(joint in part.joints for part in parts)):
            parts.append(BodyPart((joint, joint), (positions[joint],) * 2, (0.16 * usual,) * 2, tint="joints"))
    return bind(parts, positions, rotations)


def _side(name: str) -> str:
    """left, right or body, from a joint's name: LeftArm, arm_l, L_Arm, lArm, Bip01 L Arm."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    sides = {word.lower() for word in words}
    if sides & {"left", "l"}:
        return "left"
    return "right" if sides & {"right", "r"} else "body"
