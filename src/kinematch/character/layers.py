"""Layers: what changes the pose between the animation and the feet. To add one, write a class with `apply`."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from kinematch.character.pose import Pose
from kinematch.errors import KinematchError, failure
from kinematch.math import quaternion

SHORTEST = 0.1  # length of a quaternion that still tells a rotation


class Layer(Protocol):
    def apply(self, pose: Pose, dt: float) -> Sequence[int]:
        """Change local rotations, and the position of the hips, of all characters; the joints that were changed.

        `pose` is the pose so far, local and global. Global positions and rotations are worked out anew afterwards.
        """


class ClipLayer:
    """Rotations of another source, a played clip for instance, that own joints by weight."""

    def __init__(self, rotations: np.ndarray, weights: np.ndarray):
        """Local rotations (N, J, 4) and weights (N, J): 0 leaves a joint as it is, 1 replaces it; both may be set."""
        self.rotations, self.weights = rotations, weights

    def apply(self, pose: Pose, dt: float) -> Sequence[int]:
        rotations, weights = np.asarray(self.rotations), np.asarray(self.weights)
        if rotations.shape != pose.rotations.shape or weights.shape != pose.rotations.shape[:2]:
            raise KinematchError(
                f"layer of shapes {rotations.shape} and {weights.shape}, expected {pose.rotations.shape} and without "
                "the 4"
            )
        if not (np.isfinite(rotations).all() and np.isfinite(weights).all()):
            raise KinematchError("the layer is not finite")
        owned = weights > 0
        owned[:, 0] = False  # the root is the step's
        nothing = owned & ~np.any(rotations, axis=-1)
        if nothing.any():
            character, joint = np.argwhere(nothing)[0]
            raise KinematchError(f"the layer owns joint {joint} of character {character}, and its rotation is zero")
        share = np.clip(weights[owned], 0.0, 1.0)[:, None]
        own = quaternion.normalize(rotations[owned])
        here = pose.rotations[owned]
        pose.rotations[owned] = quaternion.normalize(here * (1 - share) + quaternion.nearest(own, here) * share)
        return np.flatnonzero(owned.any(axis=0)).tolist()


def apply_layer(layer: Layer, pose: Pose, dt: float) -> None:
    """Run a layer that anybody may have written, and check what it did."""
    name = type(layer).__name__
    # characters whose state is not finite begin anew after the step: the layer is not to blame
    good = np.isfinite(pose.global_rotations).all(axis=(1, 2)) & np.isfinite(pose.global_positions).all(axis=(1, 2))
    try:
        changed: Any = np.asarray(layer.apply(pose, dt))
    except KinematchError:
        raise
    except Exception as error:
        raise KinematchError(f"layer {name}: {failure(error)}") from error
    joints = pose.rotations.shape[1]
    if changed.size == 0:
        return
    if changed.ndim != 1 or changed.dtype.kind not in "iu" or changed.min() < 0 or changed.max() >= joints:
        raise KinematchError(f"layer {name} says it changed {changed!r}, expected joints from 0 to {joints - 1}")
    rotations, positions = pose.rotations[:, changed], pose.positions[:, changed]
    sizes = np.linalg.norm(rotations, axis=-1)
    if not (np.isfinite(positions[good]).all() and (sizes[good] > SHORTEST).all() and np.isfinite(sizes[good]).all()):
        raise KinematchError(f"layer {name} left rotations or positions that are not finite, or zero")
    pose.rotations[:, changed] = rotations / np.where(good[:, None], sizes, 1.0)[..., None]
