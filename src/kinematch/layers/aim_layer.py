"""AimLayer: a straight arm points at a point in the world, on top of whatever the character is doing."""

import numpy as np

from kinematch.character.pose import Pose
from kinematch.layers.reach_layer import ReachLayer

STRETCHED = 0.97  # arm lengths that the hand is from the shoulder


class AimLayer(ReachLayer):
    """A layer that points one arm at a point in the world, however far away, while the body goes on as it does.

    It is made and set as ReachLayer is; the arm is let go where the point is behind the body.
    """

    def find_points(self, pose: Pose) -> np.ndarray:
        upper, middle, end = (pose.global_positions[:, joint].astype(np.float64) for joint in self.chain)
        length = np.linalg.norm(middle - upper, axis=-1) + np.linalg.norm(end - middle, axis=-1)
        away = super().find_points(pose) - upper
        distance = np.linalg.norm(away, axis=-1)
        return upper + away * (STRETCHED * length / np.where(distance > 0, distance, np.nan))[:, None]
