"""RobotMotion: the place of a robot's base and its joint angles over time."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip, check_frame_rate
from kinematch.robot.model import RobotModel


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """One piece of motion of one robot, in our axes."""

    model: RobotModel
    base_positions: np.ndarray  # (F, 3) m
    base_rotations: np.ndarray  # (F, 4)
    angles: np.ndarray  # (F, D) rad, in the model's order of hinges
    frame_rate: float
    name: str = ""

    def __post_init__(self) -> None:
        frames = len(self.angles)
        shapes = {
            "base_positions": (frames, 3),
            "base_rotations": (frames, 4),
            "angles": (frames, self.model.hinge_count),
        }
        for what, shape in shapes.items():
            if getattr(self, what).shape != shape:
                raise KinematchError(f"{what} has shape {getattr(self, what).shape}, expected {shape}")
        if not frames:
            raise KinematchError(f"motion {self.name!r} has no frames")
        check_frame_rate(self.frame_rate, f"motion {self.name!r}")

    @property
    def frame_count(self) -> int:
        """F."""
        return len(self.angles)

    def place_links(self) -> tuple[np.ndarray, np.ndarray]:
        """Global positions (F, L, 3) and rotations (F, L, 4) of the links."""
        return self.model.place_links(self.base_positions, self.base_rotations, self.angles)

    def make_clip(self) -> Clip:
        """The robot's skeleton in motion, for BVH, GLB and pictures."""
        skeleton = self.model.make_skeleton()
        positions = np.tile(skeleton.offsets.astype(np.float64), (self.frame_count, 1, 1))
        positions[:, 0] = self.base_positions
        rotations = np.empty((self.frame_count, skeleton.joint_count, 4))
        rotations[:, 0] = self.base_rotations
        turns = rotation.from_axis_angle(self.model.axes[1:], self.angles)
        rotations[:, 1:] = quaternion.multiply(self.model.rotations[1:], turns)
        return Clip(skeleton, positions, quaternion.unroll(rotations), self.frame_rate, self.name)
