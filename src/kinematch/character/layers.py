"""Layers change the pose between the animation and the feet. To add one, write a class with `apply`: see `layers/`."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from kinematch.character import layer_kernels as kernels
from kinematch.character.pose import Pose
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.errors import KinematchError, call_own
from kinematch.motion.rig import Rig

MOST_LOWERING = 1.0  # m, whatever was written into the state


class Layer(Protocol):
    """Anything with this method may stand in `Crowd.layers`; layers run in order, each seeing the pose so far.

    A layer may also have a method `finish`, with the same arguments and result. It runs after the feet are planted, for
    what must not give way to them.
    """

    def apply(self, pose: Pose, dt: float) -> Sequence[int] | np.ndarray:
        """Change `pose.rotations`, and the position of the hips, of all N characters; return the changed joints.

        `pose` holds the pose so far, local and global. Its global positions already include the lowering of the pelvis
        by the feet stage, as far as it can be predicted: a hand that is put somewhere ends up there. Afterwards the
        step recomputes the global pose.
        """


def predict_lowering(state: State, dt: float, settings: Settings) -> np.ndarray:
    """By how much (N,) m the feet stage will lower the pelvis in this step: as in the last one, at the same rate."""
    if not settings.pelvis:
        return np.zeros(len(state.feet.pelvis))
    lowering, rates = state.feet.pelvis.astype(np.float64).T
    return np.clip(np.nan_to_num(lowering + dt * rates), 0.0, MOST_LOWERING) * settings.pelvis


def apply_layer(layer: Layer, pose: Pose, dt: float, lowering: np.ndarray, rig: Rig) -> None:
    """Run a layer, which may be a user's own, on the pose with its pelvis lowered (N,) m, and check what it did."""
    if lowering.any():
        pose.global_positions[:, 1:, 1] -= lowering[:, None].astype(np.float32)
    _run_layer(layer, layer.apply, pose, dt, rig)


def finish_layers(layers: Sequence[Layer], pose: Pose, dt: float, rig: Rig, show: Callable[[], object]) -> None:
    """Run the layers that have something to do after the feet; `show` recomputes the global pose."""
    for layer in layers:
        finish = getattr(layer, "finish", None)
        if finish is not None and _run_layer(layer, finish, pose, dt, rig):
            show()


def _run_layer(layer: Layer, method: Callable[..., Any], pose: Pose, dt: float, rig: Rig) -> bool:
    """Run a layer's method and check what it did; whether it changed anything."""
    name = type(layer).__name__
    # characters whose state is not finite are reset after the step: the layer is not to blame
    good = np.empty(len(pose.positions), bool)
    kernels.find_finite(pose.global_positions, pose.global_rotations, good)
    changed: Any = call_own(f"layer {name}", lambda: np.asarray(method(pose, dt)))
    known = changed.size == 0 or (changed.ndim == 1 and changed.dtype.kind in "iu")
    joints = np.ascontiguousarray(changed if known else [-1], np.int64).ravel()
    found = kernels.settle(pose.positions, pose.rotations, rig.rest, rig.moving, joints, good)
    if found == kernels.OUTSIDE:
        raise KinematchError(
            f"layer {name} returned {changed!r}, expected joints from 0 to {pose.rotations.shape[1] - 1}"
        )
    if found == kernels.BROKEN:
        raise KinematchError(f"layer {name} left rotations or positions that are not finite, or zero")
    return changed.size > 0
