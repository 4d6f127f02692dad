"""Retargeting of poses, written like the equations (thesis 3.2.3); the kernel stands in for it, and a test compares."""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kernels
from kinematch.motion.retarget.plan import RetargetPlan


def retarget_poses(plan: RetargetPlan, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Local positions (N, Jt, 3) and rotations (N, Jt, 4) of the target from those of the source, in float64."""
    positions, rotations = positions.astype(np.float64), rotations.astype(np.float64)
    source_positions, source_rotations = kernels.forward_kinematics(positions, rotations, plan.source_parents)
    local_rotations = _turn_joints(plan, source_rotations)

    local_positions = np.where(
        (plan.movers >= 0)[:, None],
        positions[:, plan.movers] * plan.factors[:, None],
        np.broadcast_to(plan.bones, (len(positions), len(plan.bones), 3)),
    )
    middle = plan.scale * _mean_of(source_positions, plan.source_legs) + plan.lift * [0.0, 1.0, 0.0]
    _place_hips(plan, local_positions, local_rotations, middle)
    for (joint, carrier), offset in zip(plan.loose, plan.loose_offsets):
        global_positions, global_rotations = kernels.forward_kinematics(
            local_positions, local_rotations, plan.target_parents
        )
        wanted = global_positions[:, carrier] + quaternion.rotate(global_rotations[:, carrier], offset)
        local_positions[:, joint] = _to_parent_space(plan, joint, wanted, global_positions, global_rotations)
    return local_positions, local_rotations


def _turn_joints(plan: RetargetPlan, source_rotations: np.ndarray) -> np.ndarray:
    """Local rotations such that each joint's world rotation is q^t = q^s q^st (eq. 3.20)."""
    shape = len(source_rotations), len(plan.target_parents), 4
    global_rotations, local_rotations = np.empty(shape), np.empty(shape)
    for j, parent in enumerate(plan.target_parents):
        above = global_rotations[:, parent] if parent >= 0 else quaternion.identity(shape[:1])
        if plan.low[j] < 0:
            global_rotations[:, j] = quaternion.multiply(above, plan.low_axes[j])
        else:
            low = quaternion.multiply(source_rotations[:, plan.low[j]], plan.low_axes[j])
            high = quaternion.multiply(source_rotations[:, plan.high[j]], plan.high_axes[j])
            global_rotations[:, j] = quaternion.slerp(low, high, np.full(shape[0], plan.shares[j]))
        local_rotations[:, j] = quaternion.multiply(quaternion.inverse(above), global_rotations[:, j])
    return quaternion.normalize(local_rotations)


def _place_hips(
    plan: RetargetPlan, local_positions: np.ndarray, local_rotations: np.ndarray, middle: np.ndarray
) -> None:
    """Move the hips until the middle between the hip joints lies where it should."""
    hips = plan.hips[0]
    global_positions, global_rotations = kernels.forward_kinematics(
        local_positions, local_rotations, plan.target_parents
    )
    wanted = global_positions[:, hips] + middle - _mean_of(global_positions, plan.target_legs)
    local_positions[:, hips] = _to_parent_space(plan, hips, wanted, global_positions, global_rotations)


def _mean_of(positions: np.ndarray, joints: np.ndarray) -> np.ndarray:
    return positions[:, joints].mean(axis=1)


def _to_parent_space(
    plan: RetargetPlan, joint: int, points: np.ndarray, global_positions: np.ndarray, global_rotations: np.ndarray
) -> np.ndarray:
    parent = plan.target_parents[joint]
    if parent < 0:
        return points
    return quaternion.rotate(quaternion.inverse(global_rotations[:, parent]), points - global_positions[:, parent])
