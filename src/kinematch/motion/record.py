"""Recording: the poses of one character become a clip, to be drawn, written or built into a database."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from kinematch.errors import KinematchError
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton


class LocalPoses(Protocol):
    """As much of a Pose as a clip needs."""

    @property
    def positions(self) -> np.ndarray: ...  # (N, J, 3) m

    @property
    def rotations(self) -> np.ndarray: ...  # (N, J, 4)


def record(
    poses: Sequence[LocalPoses], skeleton: Skeleton, frame_rate: float, *, character: int = 0, name: str = "played"
) -> Clip:
    """Make a clip of the poses of one character, one per step, taken at equal steps of 1 / frame_rate seconds.

    `skeleton` is that of the crowd (`crowd.skeleton`, which is `database.skeleton` unless the motion is retargeted).
    """
    if not len(poses):
        raise KinematchError("nothing was recorded")
    if not 0 <= character < len(poses[0].positions):
        raise KinematchError(f"no character {character}, expected 0 to {len(poses[0].positions) - 1}")
    positions = np.stack([pose.positions[character] for pose in poses])
    rotations = np.stack([pose.rotations[character] for pose in poses])
    return Clip(skeleton, positions, rotations, frame_rate, name=name)
