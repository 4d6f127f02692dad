"""The body that is shown: the sources' own, or another skeleton that their poses are retargeted to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.database.description import SourceDescription, pick_examples
from kinematch.errors import KinematchError
from kinematch.motion.clean.root import with_root
from kinematch.motion.retarget.joints import find_contact_joints
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.rig import Rig, flag_joints, make_rig
from kinematch.motion.skeleton import Skeleton

Body = Skeleton | Retargeting | None  # that a motion is shown on: another skeleton, or a way onto one


def find_all_moving(sources: Sequence[Any]) -> np.ndarray:
    """Joints (M,) that move in their parent's space in any source: transitions remember where they are."""
    return np.unique(np.concatenate([source.rig.moving for source in sources])).astype(np.int32)


def make_shown_rig(source: Any, body: Body, moving: np.ndarray) -> tuple[Retargeting | None, Rig]:
    """How poses are retargeted to a skeleton (None where they need not be), and its kinematics."""
    about: SourceDescription = source.description
    if body is None or body is about.skeleton:
        return None, source.rig._replace(moving=moving, moves=flag_joints(moving, about.skeleton.joint_count))
    if isinstance(body, Retargeting):
        if body.source.difference(about.skeleton) or "root" not in body.target.roles:
            raise KinematchError("the retargeting is not from the source's skeleton to one with a ground root")
        retargeting = body
    elif isinstance(body, Skeleton):
        retargeting = Retargeting(about.skeleton, body if "root" in body.roles else with_root(body))
    else:
        raise KinematchError(f"skeleton is a {type(body).__name__}, expected a Skeleton")
    skeleton = retargeting.target
    positions, rotations, contacts = pick_examples(about)
    shown_positions, shown_rotations = retargeting.apply(positions, rotations)
    joints = find_contact_joints(about.skeleton, about.contact_joints, skeleton)
    rig = make_rig(skeleton, joints, shown_positions, shown_rotations, contacts, scale=retargeting.scale)
    return retargeting, rig
