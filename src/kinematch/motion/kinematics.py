"""Forward kinematics and its inverse: local to global transforms and back, including end sites."""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kernels
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton

MAX_BODY_SPEED = 15.0  # m/s; faster than anybody moves: sprinters reach 12


def forward(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Global positions (..., J, 3) and rotations (..., J, 4) from local ones (thesis eq. 2.10)."""
    shape = rotations.shape[:-2]
    joints, dtype = skeleton.joint_count, np.result_type(positions, rotations)
    whole = np.broadcast_to(positions, (*shape, *positions.shape[-2:]))
    p = _read_only(np.ascontiguousarray(whole, dtype).reshape(-1, joints, 3))
    r = _read_only(np.ascontiguousarray(rotations, dtype).reshape(-1, joints, 4))
    gp, gr = kernels.forward_kinematics(p, r, _read_only(skeleton.parents))
    return gp.reshape(*shape, joints, 3), gr.reshape(*shape, joints, 4)


def _read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view: numba compiles separately for writable and read-only arrays, so give it one kind only."""
    view = array.view()
    view.flags.writeable = False
    return view


def global_pose(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Global positions (F, J, 3) and rotations (F, J, 4) of a clip."""
    return forward(clip.skeleton, clip.positions, clip.rotations)


def measure_body_speeds(clip: Clip) -> np.ndarray:
    """Speeds (F - 1,) m/s of the hips, or of a rig's first joint, from each frame to the next."""
    places = global_pose(clip)[0][:, clip.skeleton.roles.get("hips", 0)]
    return np.linalg.norm(np.diff(places, axis=0), axis=-1) * clip.frame_rate


def local_pose(
    skeleton: Skeleton, global_positions: np.ndarray, global_rotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of forward."""
    p, parent = np.array(global_positions), skeleton.parents[1:]
    back = quaternion.inverse(global_rotations[..., parent, :])
    p[..., 1:, :] = quaternion.rotate(back, global_positions[..., 1:, :] - global_positions[..., parent, :])
    return p, local_rotations(skeleton, global_rotations)


def local_rotations(skeleton: Skeleton, global_rotations: np.ndarray) -> np.ndarray:
    """Rotations (..., J, 4) relative to the parents, from global ones."""
    r = np.array(global_rotations)
    back = quaternion.inverse(global_rotations[..., skeleton.parents[1:], :])
    r[..., 1:, :] = quaternion.multiply(back, global_rotations[..., 1:, :])
    return r


def end_positions(skeleton: Skeleton, global_positions: np.ndarray, global_rotations: np.ndarray) -> np.ndarray:
    """Global positions of the end sites (..., E, 3)."""
    on = skeleton.end_parents
    return global_positions[..., on, :] + quaternion.rotate(
        global_rotations[..., on, :], skeleton.end_offsets.astype(global_positions.dtype)
    )


def rest_pose(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """Global positions (J, 3) and rotations (J, 4) of the rest pose."""
    return forward(skeleton, skeleton.offsets, skeleton.rotations)


def tpose(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """Global positions (J, 3) and rotations (J, 4) of the reference T-pose: facing +Z, lowest point at height 0."""
    assert skeleton.tpose is not None, "find the T-pose first: motion.tpose"
    p, r = forward(skeleton, skeleton.offsets, skeleton.tpose)
    ends = end_positions(skeleton, p, r)
    floor = min(p[:, 1].min(), ends[:, 1].min() if len(ends) else np.inf)
    hips = skeleton.roles.get("hips", 0)
    return p - np.array([p[hips, 0], floor, p[hips, 2]], p.dtype), r


def reference_pose(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """The reference T-pose, or the rest pose if the rig has none."""
    return rest_pose(skeleton) if skeleton.tpose is None else tpose(skeleton)
