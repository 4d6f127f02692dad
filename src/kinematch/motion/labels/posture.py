"""Posture: how a humanoid holds its trunk, arms and legs in every frame, and how fast its hands and feet move.

Angles are measured against the body's own axes, and lengths against its size in the T-pose, so that one set of
thresholds serves every rig.
"""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion
from kinematch.math.quaternion import Array
from kinematch.motion.clean.contacts import joint_speeds
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.kinematics import global_pose, tpose
from kinematch.motion.roles import missing_roles
from kinematch.motion.tpose import BONES, body_axes, limb_deviations

SIDES = ("left", "right")
HEAD_HEIGHT = 1.5  # m from ankle to head joint: an adult's, the size that lengths are scaled to
_LEGS = [k for k, bone in enumerate(BONES) if "leg" in bone]


@dataclass(frozen=True, eq=False)
class Posture:
    """Columns of two are left and right. Lengths and speeds are those of a body scaled to HEAD_HEIGHT."""

    frame_rate: float
    arm_angles: Array  # (F, 2) rad, from the body's left or right to the line from shoulder to hand; 0 in a T-pose
    arm_elevations: Array  # (F, 2) rad, of that line above the horizontal
    arm_swings: Array  # (F, 2) rad, of that line in front of the frontal plane
    elbow_bends: Array  # (F, 2) rad, 0 when straight
    arm_bones: Array  # (F, 4, 3) unit directions of both upper arms and both forearms along the body's axes
    leg_angles: Array  # (F,) rad, worst deviation of a thigh or shin from the body's down
    lean: Array  # (F,) rad, of the trunk from the vertical
    twist: Array  # (F,) rad, between the line of the shoulders and that of the hips
    head_heights: Array  # (F,) above the lower ankle, as a share of that in the T-pose
    ankle_steps: Array  # (F,) m, height of one ankle above the other
    hands: Array  # (F, 2, 3) m, from the hips
    hand_speeds: Array  # (F,) m/s, of the faster hand against the hips
    foot_speeds: Array  # (F,) m/s, of the fastest joint of the feet
    hip_speeds: Array  # (F,) m/s

    @property
    def frame_count(self) -> int:
        return len(self.lean)


def measure_posture(clip: Clip) -> Posture | None:
    """The posture in each frame; None for a rig that is not a humanoid, or has no size."""
    skeleton = clip.skeleton
    if skeleton.tpose is None or missing_roles(skeleton.roles) or has_four_legs(skeleton):
        return None
    reference = _by_role(clip, tpose(skeleton)[0].astype(np.float64))
    height = float(_head_heights(reference))
    if height <= 0:
        return None
    positions = global_pose(clip)[0].astype(np.float64)
    at = _by_role(clip, positions)
    axes = body_axes(skeleton, positions)
    scale = HEAD_HEIGHT / height
    arms = np.stack([at[f"{side}_hand"] - at[f"{side}_upper_arm"] for side in SIDES], axis=1)
    upper = np.stack([at[f"{side}_lower_arm"] - at[f"{side}_upper_arm"] for side in SIDES], axis=1)
    fore = np.stack([at[f"{side}_hand"] - at[f"{side}_lower_arm"] for side in SIDES], axis=1)
    sideways = axes[:, None, :, 0] * np.array([1.0, -1.0])[:, None]
    hands = np.stack([at[f"{side}_hand"] - at["hips"] for side in SIDES], axis=1) * scale
    feet = [at[f"{side}_{part}"] for side in SIDES for part in ("foot", "toes") if f"{side}_{part}" in at]
    ankles = np.stack([at[f"{side}_foot"][:, 1] for side in SIDES], axis=1)
    rate = clip.frame_rate
    return Posture(
        frame_rate=rate,
        arm_angles=_angle(arms, sideways),
        arm_elevations=np.arcsin(quaternion.unit(arms)[..., 1].clip(-1, 1)),
        arm_swings=np.arcsin(np.sum(quaternion.unit(arms) * axes[:, None, :, 2], axis=-1).clip(-1, 1)),
        elbow_bends=_angle(upper, fore),
        arm_bones=quaternion.unit(np.concatenate([upper, fore], axis=1)) @ axes,
        leg_angles=limb_deviations(skeleton, positions)[:, _LEGS].max(axis=1),
        lean=np.arccos(axes[:, 1, 1].clip(-1, 1)),
        twist=_twist(at),
        head_heights=_head_heights(at) / height,
        ankle_steps=np.abs(ankles[:, 0] - ankles[:, 1]) * scale,
        hands=hands,
        hand_speeds=joint_speeds(hands, rate).max(axis=1),
        foot_speeds=joint_speeds(np.stack(feet, axis=1) * scale, rate).max(axis=1),
        hip_speeds=joint_speeds(at["hips"][:, None] * scale, rate)[:, 0],
    )


def _by_role(clip: Clip, positions: Array) -> dict[str, Array]:
    return {role: positions[..., joint, :] for role, joint in clip.skeleton.roles.items()}


def _head_heights(at: dict[str, Array]) -> Array:
    return at["head"][..., 1] - np.minimum(at["left_foot"][..., 1], at["right_foot"][..., 1])


def _twist(at: dict[str, Array]) -> Array:
    shoulders, hips = (
        (at[f"left_{part}"] - at[f"right_{part}"]) * np.array([1, 0, 1]) for part in ("upper_arm", "upper_leg")
    )
    return _angle(shoulders, hips)


def _angle(a: Array, b: Array) -> Array:
    """Angle between vectors; arctan2 has no trouble with parallel ones, and gives 0 for one of no length."""
    return np.arctan2(quaternion.length(np.cross(a, b))[..., 0], np.sum(a * b, axis=-1))
