"""Retargeting: one rig's motion on another, by roles, from the two reference T-poses (thesis 3.2.3)."""

import itertools

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.edit import leg_length
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton

_TRUNK = ("spine", "chest", "upper_chest", "neck")


def retarget(clip: Clip, target: Skeleton) -> Clip:
    """The clip's motion on the target skeleton.

    Joints of one role turn alike in the world, counted from the T-pose (thesis eq. 3.23); spines of different length
    share the bend along their way; joints that only the target has keep their T-pose in their parent's space. The
    middle between the hip joints moves as the source's, scaled by leg length and lifted by what ankles differ, so that
    feet stay on the floor.
    """
    source = clip.skeleton
    for skeleton, which in ((source, "source"), (target, "target")):
        missing = missing_roles(skeleton.roles)
        if missing or skeleton.tpose is None:
            what = f"roles missing: {', '.join(missing)}" if missing else "it has no reference T-pose"
            raise KinematchError(f"cannot retarget clip {clip.name!r}: {which} skeleton: {what}")
        if leg_length(skeleton) == 0:
            raise KinematchError(f"cannot retarget clip {clip.name!r}: {which} skeleton: its legs have no length")
    scale = leg_length(target) / leg_length(source)
    positions, rotations = (a.astype(np.float64) for a in kinematics.global_pose(clip))
    turns = _turns(source, rotations)
    wanted = _wanted_turns(source, target, turns)

    rest = kinematics.tpose(target)[1].astype(np.float64)
    local_rest = np.array(target.tpose, np.float64)
    frames, joints = clip.frame_count, target.joint_count
    global_rotations: np.ndarray = np.empty((frames, joints, 4))
    same = source.difference(target) is None  # then bones that stretch may do so
    bones = clip.positions if same else target.offsets
    local_positions = np.broadcast_to(bones.astype(np.float64), (frames, joints, 3)).copy()
    local_rotations: np.ndarray = np.empty((frames, joints, 4))
    for j in range(joints):
        parent = target.parents[j]
        above = global_rotations[:, parent] if parent >= 0 else quaternion.identity((frames,))
        if j in wanted:
            global_rotations[:, j] = quaternion.multiply(wanted[j], rest[j])
        else:
            global_rotations[:, j] = quaternion.multiply(above, local_rest[j])
        local_rotations[:, j] = quaternion.multiply(quaternion.inverse(above), global_rotations[:, j])

    for name in _moving_ancestors(source, target):
        j, k = target.names.index(name), source.names.index(name)
        local_positions[:, j] = clip.positions[:, k] * scale
    if "root" in source.roles and "root" in target.roles:
        local_positions[:, target.roles["root"]] = clip.positions[:, source.roles["root"]] * scale
    middle = scale * _hip_middle(source, positions) + _lift(source, target, scale)
    _place_hips(target, local_positions, local_rotations, middle)
    return clip.with_(
        skeleton=target,
        positions=local_positions,
        rotations=quaternion.normalize(quaternion.unroll(local_rotations)),
    )


def _lift(source: Skeleton, target: Skeleton, scale: float) -> np.ndarray:
    """How much higher the target's ankles stand than scaling alone would have them; nothing if soles are unknown."""
    heights = [_ankle_height(skeleton) for skeleton in (source, target)]
    if heights[0] is None or heights[1] is None:
        return np.zeros(3)
    return np.array([0.0, heights[1] - scale * heights[0], 0.0])


def _ankle_height(skeleton: Skeleton) -> float | None:
    feet = [skeleton.roles["left_foot"], skeleton.roles["right_foot"]]
    if not all(skeleton.children(foot) or foot in skeleton.end_parents for foot in feet):
        return None
    return float(kinematics.tpose(skeleton)[0][feet, 1].mean())


def _hip_middle(skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
    legs = [skeleton.roles["left_upper_leg"], skeleton.roles["right_upper_leg"]]
    return positions[..., legs, :].mean(axis=-2)


def _turns(skeleton: Skeleton, rotations: np.ndarray) -> np.ndarray:
    """World rotations counted from the T-pose, q (q0)^-1 of eq. 3.23."""
    return quaternion.multiply(rotations, quaternion.inverse(kinematics.tpose(skeleton)[1].astype(np.float64)))


def _wanted_turns(source: Skeleton, target: Skeleton, turns: np.ndarray) -> dict[int, np.ndarray]:
    """For each target joint that has a counterpart, its turn (F, 4) from the T-pose."""
    wanted: dict[int, np.ndarray] = {}
    plain = {name for skeleton in (source, target) for name in _without_role(skeleton)}
    for name in plain:  # joints without a role are known by name where both rigs have them
        if name in _without_role(source) and name in _without_role(target):
            wanted[target.names.index(name)] = turns[:, source.names.index(name)]
    for role, joint in target.roles.items():
        if role in source.roles and role not in _TRUNK:
            wanted[joint] = turns[:, source.roles[role]]
    anchors = ["hips", "top", *(["neck"] if "neck" in source.roles and "neck" in target.roles else []), "head"]
    for start, stop in itertools.pairwise(anchors):
        wanted |= _along(_between(source, start, stop), _between(target, start, stop), turns)
    return wanted


def _without_role(skeleton: Skeleton) -> set[str]:
    return {name for j, name in enumerate(skeleton.names) if j not in skeleton.roles.values()}


def _top(skeleton: Skeleton) -> int:
    """The highest joint of the spine, which carries the neck."""
    head = skeleton.roles["head"]
    above_hips = [j for j in skeleton.chain(head)[:-1] if j > skeleton.roles["hips"]]
    neck = skeleton.roles.get("neck", head)
    return max((j for j in above_hips if j < neck), default=skeleton.roles["hips"])


def _between(skeleton: Skeleton, start: str, stop: str) -> list[int]:
    """The chain of joints from one end to the other, both included."""
    ends = {**skeleton.roles, "top": _top(skeleton)}
    return [j for j in skeleton.chain(ends[stop]) if j >= ends[start]]


def _along(source: list[int], target: list[int], turns: np.ndarray) -> dict[int, np.ndarray]:
    """Turns for the joints of one chain from those of another, by how far along the chain each stands."""
    wanted = {}
    for k, joint in enumerate(target):
        at = k * (len(source) - 1) / max(len(target) - 1, 1)
        low = min(int(at), len(source) - 1)
        high = min(low + 1, len(source) - 1)
        a, b = turns[:, source[low]], turns[:, source[high]]
        wanted[joint] = quaternion.slerp(a, b, np.full(len(a), at - low)) if at > low else a
    return wanted


def _moving_ancestors(source: Skeleton, target: Skeleton) -> list[str]:
    """Joints above the hips that both rigs have by the same name: a file's own root."""
    above = set(source.chain(source.roles["hips"])[:-1])
    return [
        target.names[j]
        for j in target.chain(target.roles["hips"])[:-1]
        if target.names[j] in source.names and source.names.index(target.names[j]) in above
    ]


def _place_hips(target: Skeleton, positions: np.ndarray, rotations: np.ndarray, middle: np.ndarray) -> None:
    """Set the hips' local position so that the middle between the hip joints comes to lie where it should."""
    hips = target.roles["hips"]
    global_positions, global_rotations = kinematics.forward(target, positions, rotations)
    moved = global_positions[:, hips] + middle - _hip_middle(target, global_positions)
    parent = target.parents[hips]
    if parent < 0:
        positions[:, hips] = moved
    else:
        back = quaternion.inverse(global_rotations[:, parent])
        positions[:, hips] = quaternion.rotate(back, moved - global_positions[:, parent])
