"""How much of the ground the flight of an action leaves untouched, before its event and after."""

import numpy as np

from kinematch.database.actions import FRAME, KIND, STRETCH
from kinematch.database.poses import PoseDatabase
from kinematch.math.angles import rotate_about_y
from kinematch.motion.actions import EVENT_KINDS, LANDING, TAKE_OFF
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward

FOOT_LENGTH = 0.2  # m that the heel is behind the joint of the toes


def measure_clears(poses: PoseDatabase, targets: np.ndarray) -> np.ndarray:
    """(S, 2) m along the root's heading at the target's frame: from the toe that leaves the ground last to the root,
    and from the root to the heel that lands first; 0 without a flight."""
    events, out = poses.actions.events, np.zeros((len(targets), 2))
    for row, target in enumerate(targets.tolist()):
        own = events[events[:, STRETCH] == row]
        frames = [own[own[:, KIND] == EVENT_KINDS.index(kind), FRAME] for kind in (TAKE_OFF, LANDING)]
        if target < 0 or not all(len(one) for one in frames):
            continue
        leaves, lands = (place_toes(poses, int(one[0]), target) for one in frames)
        nearest = lands[np.argsort(lands[:, 1])[:1], 0]  # the foot that is lowest lands first
        last = leaves[np.argsort(leaves[:, 1])[:1], 0]
        out[row] = -last[0], nearest[0] - FOOT_LENGTH
    return out


def place_toes(poses: PoseDatabase, frame: int, target: int) -> np.ndarray:
    """(K, 2) m: how far ahead of the root at the target's frame contact joints are at a frame, and how high."""
    positions, _ = forward(poses.skeleton, poses.positions[[frame]], poses.rotations[[frame]])
    yaw = float(yaw_of(poses.rotations[target, 0]))
    away = positions[0, poses.contact_joints].astype(np.float64) - poses.positions[target, 0]
    return rotate_about_y(away, -yaw)[:, [2, 1]]
