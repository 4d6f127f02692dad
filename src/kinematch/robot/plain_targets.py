"""Where the parts of a robot should be, for whole clips, written like the definition; the kernel does the same."""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kernels
from kinematch.robot.plan import RobotPlan
from kinematch.robot.tasks import CHEST, ELBOWS, FEET, HANDS, HIPS, KNEES, TASK_NAMES


def find_targets(plan: RobotPlan, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Targets (F, T, 3) of the tasks, feet by their ankles, and world rotations (F, S, 4) wanted of segments.

    The hips and ankles of the person are scaled by leg length and moved apart or together to the width of the robot's
    hips; knees, shoulders, elbows and hands lie from there in the person's directions at the robot's own lengths.
    """
    places, turns = kernels.forward_kinematics(
        positions.astype(np.float64), rotations.astype(np.float64), plan.source_parents
    )
    wanted = quaternion.multiply(turns[:, plan.segment_joints], plan.segment_axes)
    scale, lift, widening, trunk, thigh, upper, lower, crouch = plan.scales
    up = np.array([0.0, 1.0, 0.0])
    marks = places[:, plan.landmarks].reshape(len(places), 6, 2, 3)  # hips, knees, ankles, shoulders, elbows, wrists
    targets = np.zeros((len(places), len(TASK_NAMES), 3))
    middle, shoulders = marks[:, 0].mean(axis=1), marks[:, 3].mean(axis=1)
    targets[:, HIPS] = scale * middle + lift * up
    targets[:, CHEST] = targets[:, HIPS] + trunk * (shoulders - middle)
    across = quaternion.unit((marks[:, 0, 0] - marks[:, 0, 1]) * [1, 0, 1], [1.0, 0.0, 0.0])
    body = quaternion.multiply(wanted[:, plan.trunk_segments], quaternion.inverse(plan.trunk_axes))
    for k, sign in enumerate((1, -1)):
        hip = targets[:, HIPS] + quaternion.rotate(body[:, 0], plan.hip_vectors[k])
        targets[:, KNEES + k] = hip + thigh * _bone(marks, 0, 1, k)
        targets[:, FEET + k] = scale * marks[:, 2, k] + (lift + crouch) * up + sign * widening * across
        shoulder = targets[:, CHEST] + quaternion.rotate(body[:, 1], plan.shoulder_vectors[k])
        targets[:, ELBOWS + k] = shoulder + upper * _bone(marks, 3, 4, k)
        targets[:, HANDS + k] = targets[:, ELBOWS + k] + lower * _bone(marks, 4, 5, k)
    return targets, wanted


def _bone(marks: np.ndarray, start: int, stop: int, side: int) -> np.ndarray:
    return quaternion.unit(marks[:, stop, side] - marks[:, start, side], [0.0, -1.0, 0.0])
