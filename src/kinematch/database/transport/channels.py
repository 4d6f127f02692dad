"""Channels of a clip: rotation vectors beyond a centre, places of joints that move, and the root's path, as curves."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.packing.bodies import find_levers
from kinematch.database.packing.layout import CENTRE
from kinematch.database.packing.segments import restore_centres
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion.heading import yaw_of
from kinematch.motion.skeleton import Skeleton

ROOT_PLACE, ROOT_TURN = 5e-4, 5e-4  # m and rad, steps of the root's path
MIN_ANGLE = 1e-9  # rad, below which an axis has no direction


@dataclass(frozen=True, eq=False)
class SharedSkeleton:
    """What all clips of a database share."""

    skeleton: Skeleton
    moving: np.ndarray  # (M,) int32, joints that have places of their own
    rest: np.ndarray  # (J, 3) float32 m, where all others are

    @property
    def channel_count(self) -> int:
        return 3 * (self.skeleton.joint_count - 1 + len(self.moving) + 1)

    def make_steps(self, bound: float) -> np.ndarray:
        """Steps (C,) with which a joint moves the end of its chain by the bound in metres, and the root's own."""
        levers = np.repeat(find_levers(self.skeleton)[1:], 3)
        own = np.concatenate([levers, np.ones(3 * len(self.moving))])
        return np.concatenate([bound / own, [ROOT_PLACE, ROOT_PLACE, ROOT_TURN]])


def find_centres(rotations: np.ndarray) -> np.ndarray:
    """Centres (J - 1, 4) int8 of a clip's rotations (F, J, 4)."""
    whole = quaternion.unroll(rotations[:, 1:].astype(np.float64))
    centres = quaternion.normalize(whole.sum(axis=0) + 1e-9)  # never without a direction
    return np.round(centres * CENTRE).astype(np.int8)


def to_channels(body: SharedSkeleton, positions: np.ndarray, rotations: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Curves (F, C) of a clip."""
    count = len(rotations)
    left = quaternion.multiply(quaternion.inverse(restore_centres(centres)), rotations[:, 1:].astype(np.float64))
    left = quaternion.unroll(left)
    left = left * np.where(left[..., :1].sum(axis=0) < 0, -1.0, 1.0)  # the shorter way from the centre
    vectors = _find_vectors(left)
    places = positions[:, body.moving].astype(np.float64)
    root = np.column_stack([positions[:, 0, ::2], np.unwrap(yaw_of(rotations[:, 0]).astype(np.float64).reshape(-1))])
    return np.concatenate([vectors.reshape(count, -1), places.reshape(count, -1), root], axis=1)


def from_channels(body: SharedSkeleton, curves: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (F, J, 3) and rotations (F, J, 4) of a clip, float32."""
    count, joints, moving = len(curves), body.skeleton.joint_count, len(body.moving)
    ends = np.cumsum([3 * (joints - 1), 3 * moving])
    vectors, places, root = np.split(curves, ends, axis=1)
    rotations = np.empty((count, joints, 4), np.float32)
    turned = from_rotation_vector(vectors.reshape(count, joints - 1, 3))
    rotations[:, 1:] = quaternion.multiply(restore_centres(centres), turned)
    half = 0.5 * root[:, 2]
    rotations[:, 0] = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=-1)
    positions = np.repeat(body.rest[None], count, axis=0)
    positions[:, body.moving] = places.reshape(count, moving, 3)
    positions[:, 0] = 0.0
    positions[:, 0, ::2] = root[:, :2]
    return positions, rotations


def _find_vectors(rotations: np.ndarray) -> np.ndarray:
    """Rotation vectors that go on past half a turn where the quaternions do, instead of jumping to the other side."""
    sines = np.linalg.norm(rotations[..., 1:], axis=-1, keepdims=True)
    angles = 2 * np.arctan2(sines, rotations[..., :1])
    return rotations[..., 1:] * np.where(sines > MIN_ANGLE, angles / np.maximum(sines, MIN_ANGLE), 2.0)
