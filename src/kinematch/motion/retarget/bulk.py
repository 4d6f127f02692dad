"""Bulk: how thick trunk, head and arms are, so that arms can be kept out of the body."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton

# of half the distance between the shoulder joints of a grown person
TRUNK, ARM = 0.65, 0.22
HEAD = 0.07  # of the height up to the head joint: from it to the middle of the head, and the head's radius nearly


@dataclass(frozen=True, eq=False)
class Bulk:
    """A body as a capsule from hips to neck, a ball for the head, and arms of one thickness."""

    trunk: float  # m, radius
    head_centre: np.ndarray  # (3,) m in the head joint's space
    head: float  # m, radius
    arm: float  # m, radius
    soles: tuple[
        tuple[int, np.ndarray], ...
    ] = ()  # joints of the feet and points (3,) m of their soles, in their space

    def adapt(self, *, added: int = 0, factor: float = 1.0) -> "Bulk":
        """The same body with joints added before its own, scaled by a factor."""
        soles = tuple((joint + added, factor * point) for joint, point in self.soles)
        return Bulk(factor * self.trunk, factor * self.head_centre, factor * self.head, factor * self.arm, soles)


def guess_bulk(skeleton: Skeleton) -> Bulk:
    """From the T-pose alone: shoulders give the trunk's width, the head's children its size."""
    positions, rotations = kinematics.tpose(skeleton)
    head, roles = skeleton.roles["head"], skeleton.roles
    half = 0.5 * float(np.linalg.norm(positions[roles["left_upper_arm"]] - positions[roles["right_upper_arm"]]))
    ends = kinematics.end_positions(skeleton, positions, rotations)[skeleton.end_parents == head]
    tops = np.concatenate([positions[skeleton.children(head)], ends])[:, 1] - positions[head, 1]
    tall = float(tops.max(initial=0.0))
    radius = 0.5 * tall if tall > 0.5 * half else HEAD * float(positions[head, 1])
    up = np.array([0.0, radius, 0.0])
    centre = quaternion.rotate(quaternion.inverse(rotations[head].astype(np.float64)), up)
    return Bulk(TRUNK * half, centre, radius, ARM * half)
