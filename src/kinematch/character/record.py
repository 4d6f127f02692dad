"""Recording: the shown poses of one character as a clip, which can be drawn, written or built into a database."""

from collections.abc import Sequence

import numpy as np

from kinematch.character.shown import Shown
from kinematch.errors import KinematchError
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton


def recorded(
    steps: Sequence[Shown], skeleton: Skeleton, dt: float, *, character: int = 0, name: str = "played"
) -> Clip:
    """A clip of equal steps of dt seconds."""
    if not steps:
        raise KinematchError("nothing was recorded")
    positions = np.stack([step.positions[character] for step in steps])
    rotations = np.stack([step.rotations[character] for step in steps])
    if not 0 < dt < np.inf:
        raise KinematchError(f"steps of {dt} s, expected more than zero")
    return Clip(skeleton, positions, rotations, 1 / dt, name=name)
