"""Rig: the kinematics of a body as kernels read it: parents, legs, knee hinges, and which joints move."""

from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.kinematics import forward
from kinematch.motion.skeleton import Skeleton

MAX_FIXED_MOTION = 1e-5  # m, within which the place of a joint in its parent's space counts as fixed
LIMBS = (
    ("upper_leg", "lower_leg", "foot"),
    ("upper_arm", "lower_arm", "hand"),
)  # an animal's forelegs are arms by role


class Rig(NamedTuple):
    parents: np.ndarray  # (J,) int32
    rest: np.ndarray  # (J, 3) m, where joints are that never move in their parent's space
    moving: np.ndarray  # (M,) int32, joints that do, and all that hang on the root; never the root
    moves: np.ndarray  # (J,) bool, whether a joint is one of them
    legs: np.ndarray  # (L, 4) int32: upper, lower, foot, toe; none for rigs without legs
    leg_contacts: np.ndarray  # (L,) int32, the contact of each leg
    below: np.ndarray  # (L, B) int32, the joints that hang on each upper leg, parents first; -1 for none
    hinges: np.ndarray  # (L, 3) axis about which each knee bends, in the upper leg's space
    toe_rests: np.ndarray  # (L,) m above the root at which each toe stands
    scale: float  # m of this body for a metre of the source's


def make_rig(
    skeleton: Skeleton, contact_joints: np.ndarray, positions: np.ndarray, rotations: np.ndarray,
    contacts: np.ndarray, *, scale: float = 1.0, moving: np.ndarray | None = None,
) -> Rig:  # fmt: skip
    """From some poses (S, J, ...) and their contacts (S, K): how knees bend, how high toes stand, what moves.

    `moving`: further joints that move in their parent's space.
    """
    legs, columns = find_legs(skeleton, contact_joints)
    global_positions, global_rotations = forward(skeleton, positions, rotations)
    further = np.zeros(0, np.int32) if moving is None else moving
    own = np.unique(np.concatenate([find_moving(skeleton, positions), further])).astype(np.int32)
    return Rig(
        parents=np.array(skeleton.parents, np.int32),
        rest=np.array(positions[0], np.float32),
        moving=own,
        moves=flag_joints(own, skeleton.joint_count),
        legs=legs,
        leg_contacts=columns,
        below=_find_below(skeleton, legs),
        hinges=_find_hinges(global_positions, global_rotations, legs),
        toe_rests=find_toe_rests(global_positions[:, legs[:, 3], 1] - global_positions[:, :1, 1], contacts[:, columns]),
        scale=float(scale),
    )


def flag_joints(joints: np.ndarray, count: int) -> np.ndarray:
    """A mask (J,) of the joints in a list."""
    flags = np.zeros(count, bool)
    flags[joints] = True
    return flags


def find_legs(skeleton: Skeleton, contact_joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(L, 4) the limb that each contact joint ends, by roles, and which contact (L,) that is."""
    legs, columns = [], []
    for column, joint in enumerate(contact_joints.tolist()):
        above = skeleton.chain(joint)
        for side in ("left", "right"):
            for parts in LIMBS:
                upper, lower, end = (skeleton.roles.get(f"{side}_{part}") for part in parts)
                if end in above and lower in above and upper in above and None not in (upper, lower, end):
                    if not upper < lower < end:  # kernels walk from its end to its start
                        named = [skeleton.names[one] for one in (upper, lower, end)]
                        raise KinematchError(f"{side} {', '.join(parts)} are {named}, expected parents first")
                    legs.append([upper, lower, end, joint])
                    columns.append(column)
    return np.array(legs, np.int32).reshape(-1, 4), np.array(columns, np.int32)


def _find_below(skeleton: Skeleton, legs: np.ndarray) -> np.ndarray:
    hanging = [[j for j in range(leg[0] + 1, skeleton.joint_count) if leg[0] in skeleton.chain(j)] for leg in legs]
    most = max(map(len, hanging), default=0)
    return np.array([own + [-1] * (most - len(own)) for own in hanging], np.int32).reshape(len(legs), most)


def _find_hinges(positions: np.ndarray, rotations: np.ndarray, legs: np.ndarray) -> np.ndarray:
    """The mean of how knees bend; the more a knee is bent, the more it counts."""
    hinges = np.zeros((len(legs), 3), np.float32)
    for leg, (upper, lower, foot, _) in enumerate(legs):
        bends = np.cross(positions[:, lower] - positions[:, upper], positions[:, foot] - positions[:, lower])
        mean = quaternion.rotate(quaternion.inverse(rotations[:, upper]), bends).mean(axis=0, dtype=np.float64)
        hinges[leg] = mean / max(np.linalg.norm(mean), 1e-9)  # a leg that never bends has none
    return hinges


def find_moving(skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
    """Joints (M,) whose places change over poses (F, J, 3), and those that hang on the root: the pelvis is lowered."""
    spread = np.ptp(positions, axis=0).max(axis=-1)
    moves = (spread > MAX_FIXED_MOTION) | (skeleton.parents == 0)
    return np.flatnonzero(moves[1:]).astype(np.int32) + 1


def find_toe_rests(heights: np.ndarray, contacts: np.ndarray) -> np.ndarray:
    """The median height (L,) of each toe above the root (F, L) while it is planted (F, L)."""
    rests = np.zeros(heights.shape[1])
    for toe in range(heights.shape[1]):
        standing = heights[contacts[:, toe], toe]
        rests[toe] = np.median(standing) if len(standing) else heights[:, toe].min()
    return rests
