"""Pose: forward kinematics of the shown body, redone for what a layer changed."""

import numpy as np

from kinematch.character.rig import Rig
from kinematch.character.state import State
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle

UP = np.array([0.0, 1.0, 0.0])


def place_roots(state: State, characters: np.ndarray, positions: np.ndarray, rotations: np.ndarray) -> None:
    """Put joint 0 of local poses (M, J, ...) where the roots are."""
    positions[:, 0] = state.playing.positions[characters]
    rotations[:, 0] = from_axis_angle(UP, state.playing.yaws[characters])


def find_global_pose(rig: Rig, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Global positions (M, J, 3) and rotations (M, J, 4) of local ones (thesis eq. 2.10)."""
    global_positions, global_rotations = np.array(positions), np.array(rotations)
    for joint, parent in enumerate(rig.parents.tolist()):
        if parent >= 0:
            above = global_rotations[:, parent]
            global_rotations[:, joint] = quaternion.multiply(above, rotations[:, joint])
            global_positions[:, joint] = global_positions[:, parent] + quaternion.rotate(above, positions[:, joint])
    return global_positions, global_rotations
