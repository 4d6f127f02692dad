"""How far a pose is from another: the distance at every joint and at the end of every chain, seen from the root."""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion.kinematics import end_positions, forward
from kinematch.motion.skeleton import Skeleton

MIN_BONE_LENGTH = 0.1  # m: a turn of a joint that nothing hangs on is still seen


def find_levers(skeleton: Skeleton) -> np.ndarray:
    """(J,) m from each joint to the farthest end of its chains, stretched."""
    levers = np.full(skeleton.joint_count, MIN_BONE_LENGTH)
    for joint, offset in zip(skeleton.end_parents, skeleton.end_offsets):
        levers[joint] = max(levers[joint], np.linalg.norm(offset))
    for joint in range(skeleton.joint_count - 1, 0, -1):
        parent = skeleton.parents[joint]
        levers[parent] = max(levers[parent], levers[joint] + np.linalg.norm(skeleton.offsets[joint]))
    return levers


def place_points(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(..., J + E, 3) m, joints and ends of chains of local poses, in the root's axes."""
    positions, rotations = np.array(positions, np.float64), np.array(rotations, np.float64)
    positions[..., 0, :], rotations[..., 0, :] = 0.0, quaternion.IDENTITY
    places, turns = forward(skeleton, positions, rotations)
    return np.concatenate([places, end_positions(skeleton, places, turns)], axis=-2)


def measure_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(...) m, the largest over points (..., P, 3)."""
    return np.sqrt(np.sum((points - others) ** 2, axis=-1).max(axis=-1))
