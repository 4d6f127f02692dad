"""Bakes scales and outer transforms of glTF nodes into rigid joints: positions and rotations in the parent's space."""

from dataclasses import dataclass

import numpy as np

from kinematch.files.gltf_nodes import Joints
from kinematch.math import quaternion, rotation

UNIFORM_SCALE_TOLERANCE = 1e-4  # relative difference of the axes of a scale that is the rounding of its writer


@dataclass(frozen=True, eq=False)
class RigidPose:
    positions: np.ndarray  # (F, J, 3) m
    rotations: np.ndarray  # (F, J, 4)
    stretch: np.ndarray  # (J, 3, 3) first frame: takes vectors of each joint's space in the file to the rigid joint's


def is_uniform(scales: np.ndarray) -> bool:
    """Whether no scale stretches one axis more than another."""
    middle = scales.mean(axis=-1, keepdims=True)
    return bool((np.abs(scales - middle) <= UNIFORM_SCALE_TOLERANCE * np.abs(middle)).all())


def rigid_pose(joints: Joints, translations: np.ndarray, rotations: np.ndarray, scales: np.ndarray) -> RigidPose:
    """Joints without scale that stand where the scaled nodes stand, of nodes in the order `above`, then joints.

    Positions are exact. Rotations are those of the nodes; where a scale is not uniform they carry no shear.
    """
    above = len(joints.above)
    parents = [*range(-1, above - 1), above - 1, *(above + p for p in joints.parents[1:])]
    if is_uniform(scales):
        sizes = np.empty(scales.shape[:2])
        positions = np.empty_like(translations)
        for k, parent in enumerate(parents):
            size = sizes[:, parent] if parent >= 0 else np.ones(len(sizes))
            positions[:, k] = translations[:, k] * size[:, None]
            sizes[:, k] = size * scales[:, k].mean(axis=-1)
        stretch = sizes[0, :, None, None] * np.eye(3)
    else:
        positions, stretch = stretch_nodes(parents, translations, rotations, scales)
    return RigidPose(*_fold(positions, rotations, above), stretch[above:])


def stretch_nodes(
    parents: list[int], translations: np.ndarray, rotations: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same for any scales, by the matrices that remain when each joint's rotation is taken out."""
    positions = np.empty_like(translations)
    turns = rotation.to_matrix(rotations)
    stretches: list[np.ndarray] = []  # (F, 3, 3), from the node's own space to the rigid joint's
    for k, parent in enumerate(parents):
        outer = stretches[parent] if parent >= 0 else np.eye(3)[None]
        positions[:, k] = np.einsum("...ij,...j->...i", outer, translations[:, k])
        turn = turns[:, k]
        stretches.append(turn.swapaxes(-1, -2) @ outer @ (turn * scales[:, k, None, :]))
    return positions, np.array([stretch[0] for stretch in stretches])


def _fold(positions: np.ndarray, rotations: np.ndarray, above: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes above the first joint, put into it."""
    position, turn = positions[:, above], rotations[:, above]
    for k in range(above - 1, -1, -1):
        position = positions[:, k] + quaternion.rotate(rotations[:, k], position)
        turn = quaternion.multiply(rotations[:, k], turn)
    folded_positions, folded_rotations = positions[:, above:].copy(), rotations[:, above:].copy()
    folded_positions[:, 0], folded_rotations[:, 0] = position, turn
    return folded_positions, folded_rotations


def brought_over(pose: RigidPose, turn: np.ndarray, unit: float) -> RigidPose:
    """The whole pose turned about the origin and scaled: from the file's space to ours."""
    positions, rotations = pose.positions * unit, pose.rotations.copy()
    positions[:, 0] = quaternion.rotate(turn, positions[:, 0])
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    return RigidPose(positions, rotations, pose.stretch * unit)
