"""The height of the floor under a clip, and clips put upon height zero."""

from collections.abc import Iterable

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_joints
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import has_four_legs

STANDING = 0.2  # quantile of the lower foot's height: below flight, boxes and raised feet, above single bad frames


def floor_height(clip: Clip, joints: Iterable[str] | None = None) -> float:
    """Height in metres at which the feet stand.

    A foot's lowest point is the lowest of its joints from the ankle down and their end sites; skeletons know nothing of
    soles, so a rig whose toe joints float 3 cm above the sole stands 3 cm low afterwards, the same in all its clips.
    The lower foot is on the floor most of the time whatever else happens; jumps, boxes and lying down do not count as
    long as they take less than four fifths of the clip. `joints` names the feet of animals.
    """
    return float(np.quantile(lowest_points(clip, joints), STANDING))


def put_on_floor(clip: Clip, joints: Iterable[str] | None = None) -> Clip:
    """The clip moved up or down until its feet stand at height zero; a ground root stays where it is."""
    return lowered(clip, floor_height(clip, joints))


def lowered(clip: Clip, metres: float) -> Clip:
    """The body moved down; a ground root stays where it is."""
    positions = np.array(clip.positions)
    moved = clip.skeleton.children(0) if "root" in clip.skeleton.roles else [0]
    positions[:, moved, 1] -= metres
    return clip.with_(positions=positions)


def lowest_points(clip: Clip, joints: Iterable[str] | None = None) -> Array:
    """Height (F,) of the lowest point of the feet."""
    skeleton = clip.skeleton
    sides = [skeleton.roles[role] for role in ("left_foot", "right_foot") if role in skeleton.roles]
    two_legged = joints is None and sides and not has_four_legs(skeleton)
    feet = sides if two_legged else contact_joints(skeleton, joints)
    below = [j for j in range(skeleton.joint_count) if set(feet) & set(skeleton.chain(j))]
    positions, rotations = kinematics.global_pose(clip)
    ends = kinematics.end_positions(skeleton, positions, rotations)[:, np.isin(skeleton.end_parents, below)]
    return np.concatenate([positions[:, below, 1], ends[..., 1]], axis=1).min(axis=1)
