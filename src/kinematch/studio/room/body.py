"""Bodies of a user: one as the user sees it, near the headset, and one as others see it, with calmer feet."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton
from kinematch.studio.worn import WornCharacter, fit_skeleton

OWN, SEEN = 0.1, 0.3  # m, position accuracy of one's own body and of those of others


@dataclass(frozen=True, eq=False)
class Outfit:
    """What a user's bodies are made of; making one takes a while, so no thread that steps does it."""

    database: Database
    name: str  # of the database
    worn: WornCharacter | None
    calibration: Calibration
    version: int  # counts the outfits of a user
    own: Any
    seen: Any

    @property
    def skeleton(self) -> Skeleton:
        """Fitted to the user."""
        return self.own.skeleton

    @property
    def scale(self) -> float:
        """By which the worn character's file is scaled."""
        if self.worn is None:
            return 1.0
        return float(np.linalg.norm(self.skeleton.offsets[1:]) / np.linalg.norm(self.worn.skeleton.offsets[1:]))


def make_outfit(
    database: Database, name: str, *, worn: WornCharacter | None = None, calibration: Calibration, version: int = 0
) -> Outfit:
    skeleton = None if worn is None else fit_skeleton(worn, database.poses.skeleton)[0]
    own, seen = (_make_body(database, skeleton, calibration, accuracy) for accuracy in (OWN, SEEN))
    return Outfit(database, name, worn, calibration, version, own, seen)


def _make_body(database: Database, skeleton: Skeleton | None, calibration: Calibration, accuracy: float) -> Any:
    try:
        from kinematch.avatar.avatar import Avatar
    except ImportError:
        return DraggedBody(skeleton or database.poses.skeleton, calibration)
    return Avatar(database, skeleton=skeleton, calibration=calibration, accuracy=accuracy)


@dataclass
class DraggedPose:
    positions: np.ndarray
    rotations: np.ndarray


class DraggedBody:
    """A T-pose below the headset."""

    def __init__(self, skeleton: Skeleton, calibration: Calibration):
        self.skeleton, self.calibration = skeleton, calibration
        turns = skeleton.rotations if skeleton.tpose is None else skeleton.tpose
        self.rotations = np.array(turns, np.float32)
        self.positions = np.array(skeleton.offsets, np.float32)

    def step(self, devices: Trackers, dt: float) -> DraggedPose:
        joints = self.calibration.locate_joints(devices)
        forward = quaternion.rotate(joints.rotations[0, HEAD], np.array([0.0, 0, 1]))
        yaw = np.arctan2(forward[0], forward[2])
        self.positions[0] = joints.positions[0, HEAD] * [1, 0, 1]
        self.rotations[0] = np.cos(yaw / 2), 0, np.sin(yaw / 2), 0
        return DraggedPose(self.positions[None], self.rotations[None])
