"""Finger joints of a skeleton and the joints of a tracked hand that they follow."""

import numpy as np

from kinematch.motion import kinematics
from kinematch.motion.role_names import FINGERS, PHALANGES
from kinematch.motion.skeleton import Skeleton

SIDES = ("left", "right")
# WebXR joint that each first phalanx follows
FIRST_PHALANX_JOINTS = {"thumb": 1, "index": 6, "middle": 11, "ring": 16, "little": 21}


def find_fingers(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """Finger joints (F, 5): joint, joint above, side, and the tracked joints where its bone begins and ends; and the
    directions (F, 3) of the bones in the T-pose."""
    positions = kinematics.tpose(skeleton)[0].astype(np.float64)
    ends = dict(zip(skeleton.end_parents.tolist(), _find_end_positions(skeleton)))
    rows, bones = [], []
    for side, name in enumerate(SIDES):
        for finger in FINGERS:
            above, bone = skeleton.roles.get(f"{name}_hand", -1), None
            joints = [skeleton.roles.get(f"{name}_{finger}_{part}", -1) for part in PHALANGES]
            for number, joint in enumerate(joints):
                if joint < 0 or above < 0 or above not in skeleton.chain(joint):
                    continue
                following = next((other for other in joints[number + 1 :] if other >= 0), -1)
                tip = positions[following] if following >= 0 else ends.get(joint)
                if tip is not None and np.linalg.norm(tip - positions[joint]) > 1e-4:
                    bone = (tip - positions[joint]) / np.linalg.norm(tip - positions[joint])
                if bone is not None:
                    rows.append(
                        (
                            joint,
                            above,
                            side,
                            FIRST_PHALANX_JOINTS[finger] + number,
                            FIRST_PHALANX_JOINTS[finger] + number + 1,
                        )
                    )
                    bones.append(bone)
                above = joint
    return np.array(rows, np.int64).reshape(-1, 5), np.array(bones, np.float64).reshape(-1, 3)


def _find_end_positions(skeleton: Skeleton) -> np.ndarray:
    return kinematics.end_positions(skeleton, *kinematics.tpose(skeleton)).astype(np.float64)
