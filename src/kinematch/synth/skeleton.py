"""The walker's skeleton: 22 joints, a person of 1.75 m in a T-pose that faces +Z, with the sizes the gait needs."""

from typing import Any

import numpy as np

from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.skeleton import skeleton as build

# Lengths in metres: segment shares of stature after common anthropometric tables, rounded, for 1.75 m.
HIP_HALF_WIDTH = 0.09
HIP_DROP = 0.04  # the hip joints lie below the Hips joint
THIGH = 0.425
SHANK = 0.41
ANKLE_HEIGHT = 0.08
BALL_AHEAD = 0.135  # from the ankle to the toe joint, along the floor
BALL_HEIGHT = 0.02
TOE_LENGTH = 0.07
TOE_TIP_HEIGHT = 0.01
HEEL_BEHIND = 0.055  # from the ankle to the back of the sole

LEG_LENGTH = THIGH + SHANK
HIPS_HEIGHT = HIP_DROP + LEG_LENGTH + ANKLE_HEIGHT

# name, parent, role, offset from the parent (m); the right side mirrors the left
_TRUNK = (
    ("Spine", "Hips", "spine", (0.0, 0.09, -0.01)),
    ("Spine1", "Spine", "chest", (0.0, 0.12, -0.005)),
    ("Spine2", "Spine1", "upper_chest", (0.0, 0.12, 0.0)),
    ("Neck", "Spine2", "neck", (0.0, 0.215, 0.0)),
    ("Head", "Neck", "head", (0.0, 0.095, 0.02)),
)
_LEG = (
    ("UpLeg", "Hips", "upper_leg", (HIP_HALF_WIDTH, -HIP_DROP, 0.0)),
    ("Leg", "UpLeg", "lower_leg", (0.0, -THIGH, 0.0)),
    ("Foot", "Leg", "foot", (0.0, -SHANK, 0.0)),
    ("Toe", "Foot", "toes", (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD)),
)
_ARM = (
    ("Shoulder", "Spine2", "shoulder", (0.035, 0.165, 0.0)),
    ("Arm", "Shoulder", "upper_arm", (0.145, -0.01, 0.0)),
    ("ForeArm", "Arm", "lower_arm", (0.295, 0.0, 0.0)),
    ("Hand", "ForeArm", "hand", (0.25, 0.0, 0.0)),
)
_HEAD_TOP, _TOE_TIP, _FINGERTIP = (0.0, 0.165, 0.0), (0.0, TOE_TIP_HEIGHT - BALL_HEIGHT, TOE_LENGTH), (0.18, 0.0, 0.0)


def _side(limb: tuple[Any, ...], side: str) -> list[tuple[Any, ...]]:
    """A limb of one side; its first joint hangs on the trunk."""
    sign = 1.0 if side == "Left" else -1.0
    return [
        (side + name, parent if k == 0 else side + parent, f"{side.lower()}_{role}", (sign * x, y, z))
        for k, (name, parent, role, (x, y, z)) in enumerate(limb)
    ]


def skeleton() -> Skeleton:
    """The rest pose is the T-pose, with no rotation anywhere: legs, trunk and head, then arms."""
    joints = [
        ("Hips", "", "hips", (0.0, HIPS_HEIGHT, 0.0)),
        *_side(_LEG, "Left"),
        *_side(_LEG, "Right"),
        *_TRUNK,
        *_side(_ARM, "Left"),
        *_side(_ARM, "Right"),
    ]
    index = {joint[0]: k for k, joint in enumerate(joints)}
    ends = [
        (index["LeftToe"], _TOE_TIP),
        (index["RightToe"], _TOE_TIP),
        (index["Head"], _HEAD_TOP),
        (index["LeftHand"], _FINGERTIP),
        (index["RightHand"], (-_FINGERTIP[0], *_FINGERTIP[1:])),
    ]
    figure = build(
        index,
        [index.get(joint[1], -1) for joint in joints],
        np.array([joint[3] for joint in joints]),
        ends=ends,
        roles={joint[2]: k for k, joint in enumerate(joints)},
    )
    return figure.with_tpose(quaternion.identity((len(joints),)))
