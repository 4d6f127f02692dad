"""Humanoid joints alone: a clip on a skeleton of its role joints, whose rest pose is the T-pose without rotations."""

from collections.abc import Mapping, Sequence

import numpy as np

from kinematch.errors import KinematchError, listed
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose, tpose
from kinematch.motion.roles import ROLES, missing_roles
from kinematch.motion.skeleton import Skeleton, skeleton


def reduce_to_humanoid(clip: Clip, names: Mapping[str, str] | None = None, roles: Sequence[str] = ROLES) -> Clip:
    """The same motion of the joints with these roles; the hips come first and alone change place.

    Rotations are counted from the T-pose, about the axes of the world, as formats for humanoids have it. Joints between
    two of them are rigid from then on: where such a joint bends (a spine of five, say), what hangs below shifts.
    `names` by role replace those of the rig.
    """
    rig = clip.skeleton
    missing = missing_roles(rig.roles)
    if missing or rig.tpose is None:
        raise KinematchError(f"clip {clip.name!r} is on no humanoid: no joint is {listed(missing, 3) or 'in a T-pose'}")
    kept = [role for role in roles if role in rig.roles and role != "hips"]
    kept = ["hips", *sorted(kept, key=lambda role: rig.roles[role])]  # parents first
    joints = [rig.roles[role] for role in kept]
    parents = [-1, *(_find_parent(rig, joint, joints) for joint in joints[1:])]
    places, turns = (values.astype(np.float64) for values in tpose(rig))
    offsets = places[joints]
    offsets[1:] -= places[joints][parents[1:]]
    ends = [
        (joints.index(joint), quaternion.rotate(turns[joint], offset.astype(np.float64)))
        for joint, offset in zip(rig.end_parents.tolist(), rig.end_offsets)
        if joint in joints
    ]
    bare = skeleton(
        [(names or {}).get(role, rig.names[joint]) for role, joint in zip(kept, joints)],
        parents,
        offsets,
        ends=ends,
        roles={role: k for k, role in enumerate(kept)},
    )
    global_positions, global_rotations = global_pose(clip)
    turned = quaternion.multiply(global_rotations[:, joints].astype(np.float64), quaternion.inverse(turns[joints]))
    rotations = turned.copy()
    rotations[:, 1:] = quaternion.multiply(quaternion.inverse(turned[:, parents[1:]]), turned[:, 1:])
    positions = np.repeat(offsets[None], clip.frame_count, axis=0)
    positions[:, 0] = global_positions[:, joints[0]]
    return clip.with_(
        skeleton=bare.with_tpose(bare.rotations),
        positions=positions,
        rotations=quaternion.unroll(quaternion.normalize(rotations)),
    )


def _find_parent(rig: Skeleton, joint: int, kept: Sequence[int]) -> int:
    """The nearest joint above that is kept; the hips where there is none, as of legs that hang on the root."""
    above = [kept.index(other) for other in rig.chain(joint)[:-1] if other in kept]
    return above[-1] if above else 0
