"""Mirror a clip left and right in world space, for any rig whatever its joint axes."""

import re
from collections.abc import Iterable

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.skeleton import Skeleton

Pairs = Iterable[tuple[str, str]]

SIDES = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "左": "右"}
SIDES |= {right: left for left, right in SIDES.items()}
PRIOR = 1e-4  # weight of the T-pose against a joint's bones: enough to settle what they leave open
MIN_BONE_LENGTH = 1e-3  # m, below which bones have no direction worth following
FREE = 0.01  # m from its rest position, at which a joint is led by hand and is no end of a bone
LETTERS = {"l": "r", "L": "R", "r": "l", "R": "L"}


def mirror(clip: Clip, pairs: Pairs | None = None) -> Clip:
    """The motion seen in a mirror along the YZ plane: x becomes -x, left joints do what right ones did.

    World rotations are reflected and handed to the counterparts, in terms of their own axes, so it does not matter how
    these lie; mirroring twice gives the clip back. Bones keep their own lengths on a lopsided skeleton. Rigs without a
    T-pose take their rest pose, which should be symmetric, for it.
    """
    skeleton = clip.skeleton
    other = mirror_pairs(skeleton, pairs)
    axes = find_counterpart_axes(skeleton, other)
    rotations = kinematics.global_pose(clip)[1].astype(np.float64)
    rotations = quaternion.multiply(_reflect_rotations(rotations[:, other]), axes)
    local = quaternion.normalize(kinematics.local_rotations(skeleton, rotations))
    return clip.with_(positions=_positions(clip, other, axes), rotations=local)


def mirror_pairs(skeleton: Skeleton, pairs: Pairs | None = None) -> np.ndarray:
    """The counterpart of each joint (J,); its own index for joints of the middle.

    From the pairs given, if any; else from roles, and from names (Left/Right, _L, .L, l-, left-) for joints without.
    """
    other = np.arange(skeleton.joint_count, dtype=np.int32)
    if pairs is not None:
        for left, right in pairs:
            a, b = skeleton.joint(left), skeleton.joint(right)
            for joint, partner in ((a, b), (b, a)):
                if other[joint] not in (joint, partner):
                    raise KinematchError(f"joint {skeleton.names[joint]!r} stands in two mirror pairs")
            other[a], other[b] = b, a
        return other
    for role, joint in skeleton.roles.items():
        other[joint] = skeleton.roles.get(_swap_side(role, SIDES), joint)
    index = {name: joint for joint, name in enumerate(skeleton.names) if other[joint] == joint}
    guesses = {
        joint: next((index[swapped] for swapped in _swapped_names(name) if swapped in index), joint)
        for name, joint in index.items()
    }
    for joint, guess in guesses.items():
        if guesses[guess] == joint:  # names that point at each other
            other[joint] = guess
    return other


def _swap_side(name: str, sides: dict[str, str]) -> str:
    return re.sub("|".join(sides), lambda found: sides[found.group()], name, count=1)


def _swapped_names(name: str) -> Iterable[str]:
    """What the counterpart may be called; only those that exist count."""
    yield from {_swap_side(name, SIDES)} - {name}
    # one letter that stands apart (hand_l, Bip01 L Hand, foot.R), or opens the name (lhip, LThumb, rShldr)
    for found in re.finditer(r"(?<![A-Za-z])[lLrR](?![A-Za-z])|(?:^|(?<=:))[lLrR](?=[A-Za-z])", name):
        yield name[: found.start()] + LETTERS[found.group()] + name[found.end() :]


def find_counterpart_axes(skeleton: Skeleton, other: np.ndarray) -> np.ndarray:
    """Constant rotations (J, 4) from each joint's axes to the reflected axes of its counterpart.

    Where a joint's bones go, those of its counterpart must go reflected: the best fit over its children and end sites
    decides. What they leave open (the twist about a single bone, joints without any) follows the T-pose.
    """
    guess = _from_reference(_reference(skeleton, other), other)
    bones = [
        (joint, skeleton.offsets[child], skeleton.offsets[other[child]])
        for child, joint in enumerate(skeleton.parents)
        if joint >= 0 and skeleton.parents[other[child]] == other[joint]
    ]
    tips = {int(joint): end for end, joint in enumerate(skeleton.end_parents)}
    bones += [
        (joint, skeleton.end_offsets[end], skeleton.end_offsets[tips[int(other[joint])]])
        for joint, end in tips.items()
        if int(other[joint]) in tips
    ]
    # the best rotation is the polar part of the correlation of bones with reflected bones (Kabsch)
    fits, weights = np.zeros((skeleton.joint_count, 3, 3)), np.full(skeleton.joint_count, MIN_BONE_LENGTH**2)
    for joint, own, partner in bones:
        fits[joint] += np.outer(partner * [-1, 1, 1], own)
        weights[joint] += np.linalg.norm(own) * np.linalg.norm(partner)
    u, _, v = np.linalg.svd(fits / weights[:, None, None] + PRIOR * rotation.to_matrix(guess))
    u[..., -1] *= np.linalg.det(u @ v)[:, None]
    return rotation.from_matrix(u @ v)


def _from_reference(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    return quaternion.multiply(quaternion.inverse(_reflect_rotations(reference[other])), reference)


def _reference(skeleton: Skeleton, other: np.ndarray) -> np.ndarray:
    """Global rotations (J, 4) of a pose whose plane of symmetry is YZ."""
    if skeleton.tpose is not None:
        return kinematics.tpose(skeleton)[1].astype(np.float64)
    positions, rotations = kinematics.rest_pose(skeleton)
    positions, rotations = positions.astype(np.float64), rotations.astype(np.float64)
    across = positions - positions[other]
    across = across * np.sign(np.sum(across * across[np.argmax(quaternion.length(across)[:, 0])], -1, keepdims=True))
    side = across.sum(axis=0)
    # a quarter turn from the side is forward; the sign is free, for both ways the plane is the same
    facing = yaw_rotation(np.array([-side[2], 0.0, side[0]]))
    return quaternion.multiply(quaternion.inverse(facing), rotations)


def _reflect_rotations(q: np.ndarray) -> np.ndarray:
    """M R M for the reflection M of x: the axis is reflected, and the turn goes the other way round."""
    return q * np.array([1, 1, -1, -1], q.dtype)


def _positions(clip: Clip, other: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Local positions: reflected for joints that move freely, else the bone's own with its reflected stretch."""
    skeleton = clip.skeleton
    own = skeleton.offsets.astype(np.float64)
    free = np.linalg.norm(clip.positions - own, axis=-1).max(axis=0) > FREE
    free[skeleton.chain(skeleton.roles.get("hips", 0))] = True
    own[free | free[other]] = 0
    moved = (clip.positions[:, other] - own[other]) * [-1, 1, 1]
    parents = np.concatenate([[quaternion.IDENTITY], axes[skeleton.parents[1:]]])
    stirred = moved.any(axis=(0, 2))  # most joints never move against their parents
    moved[:, stirred] = quaternion.rotate(quaternion.inverse(parents[stirred]), moved[:, stirred])
    return own + moved
