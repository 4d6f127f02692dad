"""How far shown poses are from the nearest recorded one: what averages out or drifts off the data is far from all."""

import numpy as np
from scipy.spatial import cKDTree

from kinematch.database.storage import Database
from kinematch.evaluate.run import Take
from kinematch.math import quaternion
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.kinematics import forward

MOST_RECORDED, MOST_SHOWN = 60_000, 3_000  # frames compared
COMPONENTS, CANDIDATES = 16, 12  # principal components that find candidates, and how many of those are measured


class Recorded:
    """Poses of a database without the place and heading of their roots."""

    def __init__(self, database: Database, admitted: np.ndarray):
        poses, frames = database.poses, np.flatnonzero(admitted)
        frames = frames[:: max(1, -(-len(frames) // MOST_RECORDED))]
        positions, rotations = np.array(poses.positions[frames]), np.array(poses.rotations[frames])
        positions[:, 0], rotations[:, 0] = 0.0, quaternion.IDENTITY
        self.joints = forward(poses.skeleton, positions, rotations)[0].astype(np.float32)[:, 1:]
        flat = self.joints.reshape(len(frames), -1)
        self.mean = flat.mean(axis=0)
        _, axes = np.linalg.eigh(np.cov((flat - self.mean).T))
        self.axes = axes[:, -COMPONENTS:].astype(np.float32)
        self.tree = cKDTree((flat - self.mean) @ self.axes)

    def measure(self, joints: np.ndarray) -> np.ndarray:
        """m (M,) mean distance of joints (M, J - 1, 3) in the root's frame from those of the nearest recorded pose."""
        keys = (joints.reshape(len(joints), -1) - self.mean) @ self.axes
        _, near = self.tree.query(keys, k=min(CANDIDATES, len(self.joints)))
        near = near.reshape(len(joints), -1)
        apart = np.linalg.norm(self.joints[near] - joints[:, None], axis=-1).mean(axis=-1)
        return apart.min(axis=1)


def score_nearest(takes: tuple[Take, ...], recorded: Recorded) -> dict[str, float]:
    """Mean and 95 % over flat takes, m."""
    flat = [take for take in takes if not take.scenario.terrain]
    every = max(1, sum(len(take.positions) for take in flat) // MOST_SHOWN)
    joints = np.concatenate([find_root_joints(take)[::every] for take in flat])
    apart = recorded.measure(joints[np.isfinite(joints).all(axis=(1, 2))])
    return {"nearest_mean": float(apart.mean()), "nearest_p95": float(np.quantile(apart, 0.95))}


def find_root_joints(take: Take) -> np.ndarray:
    """Joints (T, J - 1, 3) in the root's frame."""
    away = take.global_positions[:, 1:].astype(np.float64) - take.positions[:, :1]
    heading = np.stack([np.sin(take.root_yaws), 0 * take.root_yaws, np.cos(take.root_yaws)], axis=-1)
    return quaternion.rotate(quaternion.inverse(yaw_rotation(heading))[:, None], away).astype(np.float32)
