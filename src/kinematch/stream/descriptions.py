"""Descriptions of a pose stream's skeleton and robot, sent before the first frame."""

from collections.abc import Sequence

import msgspec
import numpy as np

from kinematch.draw.mannequin import make_body
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.model import RobotModel
from kinematch.stream.picture import XYZW, View


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """A piece of a message."""


class BodyInfo(Part):
    """The drawn figure: round cones, each of whose two balls is carried by a joint (see kinematch.draw.body)."""

    joints: list[list[int]]  # (P, 2)
    offsets: list[list[list[float]]]  # (P, 2, 3) m, in the joint's space
    radii: list[list[float]]  # (P, 2) m
    across: list[list[float]]  # (P, 3), in the first joint's space
    along: list[list[float]]  # (P, 3), likewise
    scales: list[list[float]]  # (P, 2)
    tints: list[str]  # (P,)


class SkeletonInfo(Part):
    names: list[str]
    parents: list[int]  # -1 for the root, which is joint 0
    offsets: list[list[float]]  # rest positions in the parent's space, m
    rotations: list[list[float]]  # rest rotations in the parent's space, x y z w
    tpose: list[list[float]] | None  # local rotations of the reference T-pose, x y z w
    end_parents: list[int]
    end_offsets: list[list[float]]
    roles: dict[str, int]  # humanoid role -> joint
    positioned: list[int]  # joints whose position is animated: pose frames contain these, others keep their offset
    contact_joints: list[int]
    body: BodyInfo


class RobotInfo(Part):
    name: str  # of the model
    hinges: list[str]  # names, in the order of angles in robot frames
    limits: list[list[float]]  # rad, low and high of each
    scale: float  # by which pose frames show it larger than it is; 1 where they show the person


def describe_view(skeleton: Skeleton, view: View, contact_joints: np.ndarray) -> SkeletonInfo:
    """A skeleton with the joints whose positions pose frames contain."""
    # where joints are that never move is what the poses say, to the bit, rather than the rest pose
    offsets = np.array(view.rest)
    offsets[0] = 0
    offsets[view.positioned] = skeleton.offsets[view.positioned]
    return skeleton_info(
        skeleton, offsets=offsets, positioned=view.positioned.tolist(), contact_joints=contact_joints.tolist()
    )


def describe_robot(model: RobotModel, scale: float) -> RobotInfo:
    """Whose angles are in robot frames."""
    return RobotInfo(model.name, list(model.hinge_names), model.limits.tolist(), scale)


def skeleton_info(
    skeleton: Skeleton,
    *,
    offsets: np.ndarray | None = None,
    positioned: Sequence[int] = (),
    contact_joints: Sequence[int] = (),
) -> SkeletonInfo:
    """A skeleton as pages know it; `offsets` where they differ from its rest pose."""
    return SkeletonInfo(
        names=list(skeleton.names),
        parents=skeleton.parents.tolist(),
        offsets=(skeleton.offsets if offsets is None else offsets).tolist(),
        rotations=skeleton.rotations[:, XYZW].tolist(),
        tpose=None if skeleton.tpose is None else skeleton.tpose[:, XYZW].tolist(),
        end_parents=skeleton.end_parents.tolist(),
        end_offsets=skeleton.end_offsets.tolist(),
        roles=dict(skeleton.roles),
        positioned=list(positioned),
        contact_joints=list(contact_joints),
        body=body_info(skeleton),
    )


def body_info(skeleton: Skeleton) -> BodyInfo:
    """The mannequin that pictures show, for the page to draw the same."""
    body = make_body(skeleton)
    return BodyInfo(
        joints=body.joints.tolist(),
        offsets=body.offsets.tolist(),
        radii=body.radii.tolist(),
        across=body.across.tolist(),
        along=body.along.tolist(),
        scales=body.scales.tolist(),
        tints=list(body.tints),
    )
