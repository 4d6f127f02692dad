"""ClipLayer: local rotations from elsewhere, such as a clip of waving hands, blended in joint by joint."""

from collections.abc import Sequence

import numpy as np

from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.math import quaternion


class ClipLayer:
    """A layer that blends in local rotations from elsewhere, such as a clip of waving hands, joint by joint."""

    def __init__(self, rotations: np.ndarray, weights: np.ndarray):
        """Local rotations (N, J, 4) and weights (N, J): 0 leaves a joint as it is, 1 replaces it.

        Both may be replaced at any time. Weights are applied as they are: let them rise and fall smoothly.
        """
        self.rotations, self.weights = rotations, weights

    def apply(self, pose: Pose, dt: float) -> Sequence[int]:
        rotations, weights = np.asarray(self.rotations), np.asarray(self.weights)
        if rotations.shape != pose.rotations.shape or weights.shape != pose.rotations.shape[:2]:
            raise KinematchError(
                f"layer: rotations {rotations.shape} and weights {weights.shape}, expected {pose.rotations.shape} and "
                f"{pose.rotations.shape[:2]}"
            )
        if not (np.isfinite(rotations).all() and np.isfinite(weights).all()):
            raise KinematchError("layer: rotations or weights are not finite")
        owned = weights > 0
        owned[:, 0] = False  # the root belongs to the step
        nothing = owned & ~np.any(rotations, axis=-1)
        if nothing.any():
            character, joint = np.argwhere(nothing)[0]
            raise KinematchError(f"the layer owns joint {joint} of character {character}, but its rotation is zero")
        share = np.clip(weights[owned], 0.0, 1.0)[:, None]
        own = quaternion.normalize(rotations[owned])
        here = pose.rotations[owned]
        pose.rotations[owned] = quaternion.normalize(here * (1 - share) + quaternion.nearest(own, here) * share)
        return np.flatnonzero(owned.any(axis=0)).tolist()
