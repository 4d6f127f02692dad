"""The body that is shown: the sources' own, or another skeleton that their poses are retargeted to."""

from collections.abc import Sequence

import numpy as np

from kinematch.character.rig import Rig, make_rig
from kinematch.character.source import MotionSource
from kinematch.errors import KinematchError
from kinematch.motion.retargeting import Retargeting
from kinematch.motion.root import with_root
from kinematch.motion.skeleton import Skeleton


def find_all_moving(sources: Sequence[MotionSource]) -> np.ndarray:
    """Joints (M,) that move in their parent's space in any source: transitions remember where they are."""
    return np.unique(np.concatenate([source.rig.moving for source in sources])).astype(np.int32)


def make_shown_rig(
    source: MotionSource, skeleton: Skeleton | None, moving: np.ndarray
) -> tuple[Retargeting | None, Rig]:
    """How poses come onto a skeleton, None where they need not, and its kinematics."""
    if skeleton is None or skeleton is source.skeleton:
        return None, source.rig._replace(moving=moving)
    if not isinstance(skeleton, Skeleton):
        raise KinematchError(f"skeleton is a {type(skeleton).__name__}, expected a Skeleton")
    if "root" not in skeleton.roles:
        skeleton = with_root(skeleton)
    retargeting = Retargeting(source.skeleton, skeleton)
    positions, rotations, contacts = source.give_examples()
    shown_positions, shown_rotations = retargeting.apply(positions, rotations)
    joints = find_contact_joints(source, skeleton)
    rig = make_rig(skeleton, joints, shown_positions, shown_rotations, contacts, scale=retargeting.scale)
    return retargeting, rig


def find_contact_joints(source: MotionSource, skeleton: Skeleton) -> np.ndarray:
    """The joints of a skeleton that have the roles of the source's contact joints; the root where there is none."""
    names = {joint: role for role, joint in source.skeleton.roles.items()}
    found = []
    for joint in source.contact_joints.tolist():
        role = names.get(joint, "")
        other = role.replace("toes", "foot")  # a rig without toes stands on its feet
        found.append(skeleton.roles.get(role, skeleton.roles.get(other, 0)))
    return np.array(found, np.int32)
