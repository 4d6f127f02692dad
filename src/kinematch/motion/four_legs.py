"""Four-legged rigs: found by how they stand; forelegs have the roles of arms, a reference stand replaces the T-pose."""

from collections.abc import Mapping

import numpy as np

from kinematch.math import quaternion
from kinematch.math.quaternion import Array, unit
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.role_topology import four_legged_axes, on_all_fours
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.tpose_neutral import average

LIMBS = tuple((f"{side}_{part}", f"{side}_{end}") for part, end in (("upper_arm", "hand"), ("upper_leg", "foot"))
              for side in ("left", "right"))  # fmt: skip
MAX_STAND_FRAMES = 2000  # frames looked at for a reference stand


def stands_on_four_legs(roles: Mapping[str, int], poses: Array) -> bool:
    """Whether all limbs are known and hang down from a level spine in most poses (F, J, 3), whatever their names."""
    return not missing_roles(roles) and on_all_fours(roles, poses)


def has_four_legs(skeleton: Skeleton) -> bool:
    """Whether the reference pose stands on four legs."""
    if skeleton.tpose is None:
        return False
    return stands_on_four_legs(skeleton.roles, kinematics.tpose(skeleton)[0][None].astype(np.float64))


def with_reference_stand(clip: Clip) -> Clip:
    """The clip with its skeleton's reference pose set: standing on four legs, facing +Z; needs roles, and Y up.

    The rest pose where that stands, else the mean of the frames in which the spine is most level and the legs are
    most upright.
    """
    skeleton = clip.skeleton
    positions, rotations = (values[None] for values in kinematics.rest_pose(skeleton))
    if not on_all_fours(skeleton.roles, positions.astype(np.float64)):
        step = max(1, clip.frame_count // MAX_STAND_FRAMES)
        positions, rotations = kinematics.forward(skeleton, clip.positions[::step], clip.rotations[::step])
        at = {role: positions[:, joint].astype(np.float64) for role, joint in skeleton.roles.items()}
        slope = np.abs(unit(at["neck" if "neck" in at else "head"] - at["hips"])[:, 1])
        tilts = [1 + unit(at[end] - at[start])[:, 1] for start, end in LIMBS]
        order = np.argsort(slope + np.sum(tilts, axis=0), kind="stable")
        chosen = order[: max(1, min(60, len(order) // 20))]
        positions, rotations = positions[chosen], rotations[chosen]
    ahead, _ = four_legged_axes(skeleton.roles, positions.astype(np.float64))
    turned = quaternion.multiply(quaternion.inverse(yaw_rotation(ahead))[:, None], rotations.astype(np.float64))
    stand = kinematics.local_rotations(skeleton, average(turned))
    return clip.with_(skeleton=skeleton.with_tpose(stand))


def four_feet(skeleton: Skeleton) -> list[int]:
    """The joints that touch the ground: the lowest at the end of each limb, front before back, left before right."""
    heights = kinematics.reference_pose(skeleton)[0][:, 1]
    feet = []
    for _, end in LIMBS:
        joint = skeleton.roles[end]
        while children := skeleton.children(joint):
            joint = min(children, key=lambda child: heights[child])
        feet.append(joint)
    return feet
