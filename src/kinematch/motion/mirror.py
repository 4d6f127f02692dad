"""Mirror a clip left and right in world space, for any rig whatever its joint axes."""

import re
from collections.abc import Iterable

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.skeleton import Skeleton

Pairs = Iterable[tuple[str, str]]

SIDES = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "左": "右"}
SIDES |= {right: left for left, right in SIDES.items()}
LETTERS = {"l": "r", "L": "R", "r": "l", "R": "L"}


def mirror(clip: Clip, pairs: Pairs | None = None) -> Clip:
    """The motion seen in a mirror along the YZ plane: x becomes -x, left joints do what right ones did.

    Each joint's world rotation since the T-pose is reflected and handed to its counterpart, so joint axes do not matter
    and mirroring twice gives the clip back. Bones keep their own lengths on a lopsided skeleton. Rigs without a T-pose
    take their rest pose, which should be symmetric, for it.
    """
    skeleton = clip.skeleton
    other = mirror_pairs(skeleton, pairs)
    reference = _reference(skeleton, other)
    _, rotations = kinematics.global_pose(clip)
    turns = quaternion.multiply(rotations.astype(np.float64), quaternion.inverse(reference))
    global_rotations = quaternion.multiply(_reflect_rotations(turns[:, other]), reference)
    parent = np.maximum(skeleton.parents, 0)
    local = quaternion.multiply(quaternion.inverse(global_rotations[:, parent]), global_rotations)
    local[:, 0] = global_rotations[:, 0]
    return clip.with_(positions=_positions(clip, other, reference), rotations=quaternion.normalize(local))


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


def _positions(clip: Clip, other: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Local positions: reflected for the joints that carry the body, else the bone's own with reflected movement."""
    skeleton = clip.skeleton
    parents = skeleton.parents
    frames = np.where(parents[:, None] >= 0, reference[np.maximum(parents, 0)], quaternion.IDENTITY)
    carriers = skeleton.chain(skeleton.roles.get("hips", 0))
    own = skeleton.offsets.astype(np.float64)
    own[carriers] = 0
    moved = quaternion.rotate(frames[other], clip.positions[:, other] - own[other]) * [-1, 1, 1]
    return own + quaternion.rotate(quaternion.inverse(frames), moved)
