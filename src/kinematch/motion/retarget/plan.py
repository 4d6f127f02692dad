"""The constants of retargeting between two skeletons: all that does not depend on the pose."""

from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.retarget.bulk import Bulk
from kinematch.motion.retarget.joints import JointMap, find_loose_joints
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton


class RetargetPlan(NamedTuple):
    """Read-only arrays, laid out for the kernel."""

    source_parents: np.ndarray  # (Js,) int32
    target_parents: np.ndarray  # (Jt,) int32
    low: np.ndarray  # (Jt,) int32, source joint that a target joint follows; -1 for none
    high: np.ndarray  # (Jt,) int32, source joint towards which it is interpolated
    shares: np.ndarray  # (Jt,) float32, 0 at low, 1 at high
    low_axes: np.ndarray  # (Jt, 4) float32, q^st of eq. 3.22 from low; without one, the local T-pose rotation
    high_axes: np.ndarray  # (Jt, 4) float32, the same from high
    bones: np.ndarray  # (Jt, 3) float32 m, local position of joints that do not move in their parent's space
    movers: np.ndarray  # (Jt,) int32, source joint whose local position is taken instead; -1 for none
    factors: np.ndarray  # (Jt,) float32, by which that position is multiplied
    source_legs: np.ndarray  # (2,) int32, upper legs
    target_legs: np.ndarray  # (2,) int32
    hips: np.ndarray  # (1,) int32, of the target
    scale: np.ndarray  # (1,) float32, leg length of the target over that of the source
    lift: np.ndarray  # (1,) float32 m, height added to the middle of the hip joints after scaling
    loose: np.ndarray  # (L, 2) int32, target joints that do not hang on their limb, and the joints that carry them
    loose_offsets: np.ndarray  # (L, 3) float32 m, where they lie in the carrying joint's space


def check_skeleton(skeleton: Skeleton, which: str) -> None:
    """Retargeting needs humanoid roles, a T-pose and legs that have a length."""
    missing = missing_roles(skeleton.roles)
    if missing:
        raise KinematchError(f"cannot retarget: {which} skeleton: roles missing: {', '.join(missing)}")
    if skeleton.tpose is None:
        raise KinematchError(f"cannot retarget: {which} skeleton: it has no reference T-pose")
    if has_four_legs(skeleton):
        raise KinematchError(f"cannot retarget: {which} skeleton: it stands on four legs")
    if leg_length(skeleton) == 0:
        raise KinematchError(f"cannot retarget: {which} skeleton: its legs have no length")


def make_plan(source: Skeleton, target: Skeleton, joints: JointMap, bulk: Bulk | None = None) -> RetargetPlan:
    """Both skeletons have passed check_skeleton; `bulk` has the target's soles."""
    scale = leg_length(target) / leg_length(source)
    source_rest = kinematics.tpose(source)[1].astype(np.float64)
    target_rest = kinematics.tpose(target)[1].astype(np.float64)
    assert target.tpose is not None
    follows = (joints.low >= 0)[:, None]
    low_axes = np.where(follows, _axes_between(source_rest[joints.low], target_rest), target.tpose)
    high_axes = np.where(follows, _axes_between(source_rest[joints.high], target_rest), target.tpose)
    same = source.difference(target) is None  # then bones that stretch may do so
    movers, factors = _find_movers(source, target, scale=scale, same=same)
    loose = [] if same else find_loose_joints(target)
    constants = {
        "source_parents": source.parents,
        "target_parents": target.parents,
        "low": joints.low,
        "high": joints.high,
        "shares": joints.shares,
        "low_axes": low_axes.astype(np.float32),
        "high_axes": high_axes.astype(np.float32),
        "bones": target.offsets,
        "movers": movers,
        "factors": factors,
        "source_legs": _find_legs(source),
        "target_legs": _find_legs(target),
        "hips": np.array([target.roles["hips"]], np.int32),
        "scale": np.array([scale], np.float32),
        "lift": np.array([_find_lift(source, target, scale, bulk)], np.float32),
        "loose": np.array(loose, np.int32).reshape(-1, 2),
        "loose_offsets": _loose_offsets(target, loose),
    }
    return RetargetPlan(**{name: freeze(array) for name, array in constants.items()})


def _axes_between(source_rest: np.ndarray, target_rest: np.ndarray) -> np.ndarray:
    """The constant rotation from a source joint's axes to those of its counterpart, (q0^s)^-1 q0^t (eq. 3.22)."""
    return quaternion.multiply(quaternion.inverse(source_rest), target_rest)


def _find_movers(source: Skeleton, target: Skeleton, *, scale: float, same: bool) -> tuple[np.ndarray, np.ndarray]:
    """Which source joint gives a target joint its local position, and the factor.

    The ground root moves, and so do joints above the hips that both rigs have by name: the root of a file.
    """
    movers = np.arange(target.joint_count, dtype=np.int32) if same else np.full(target.joint_count, -1, np.int32)
    factors = np.ones(target.joint_count, np.float32)
    above_source = {source.names[j]: j for j in source.chain(source.roles["hips"])[:-1]}
    above_target = [j for j in target.chain(target.roles["hips"])[:-1] if target.names[j] in above_source]
    pairs = [(j, above_source[target.names[j]]) for j in above_target]
    if "root" in source.roles and "root" in target.roles:
        pairs.append((target.roles["root"], source.roles["root"]))
    for joint, mover in pairs:
        movers[joint], factors[joint] = mover, scale
    return movers, factors


def _find_legs(skeleton: Skeleton) -> np.ndarray:
    return np.array([skeleton.roles["left_upper_leg"], skeleton.roles["right_upper_leg"]], np.int32)


def _find_lift(source: Skeleton, target: Skeleton, scale: float, bulk: Bulk | None) -> float:
    """How much higher the target's ankles are than scaling alone would put them; 0 if a rig has no soles."""
    heights = [_ankle_height(source), _ankle_height(target, bulk)]
    if heights[0] is None or heights[1] is None:
        return 0.0
    return heights[1] - scale * heights[0]


def _ankle_height(skeleton: Skeleton, bulk: Bulk | None = None) -> float | None:
    """Metres from the ankles down to the lowest point of both feet, in the T-pose; None if nothing is below them."""
    feet = [skeleton.roles["left_foot"], skeleton.roles["right_foot"]]
    points = () if bulk is None else bulk.soles
    if not points and not all(skeleton.children(foot) or foot in skeleton.end_parents for foot in feet):
        return None
    # the lowest joint of all may be no part of the body: the static root of a file, or a control of its rig
    below = np.zeros(skeleton.joint_count, bool)
    for joint, parent in enumerate(skeleton.parents):
        below[joint] = joint in feet or (parent >= 0 and below[parent])
    positions, rotations = kinematics.tpose(skeleton)
    ends = kinematics.end_positions(skeleton, positions, rotations)[below[skeleton.end_parents]]
    soles = [(positions[joint] + quaternion.rotate(rotations[joint], point))[None] for joint, point in points]
    sole = np.concatenate([positions[below], ends, *soles])[:, 1].min()
    return float(positions[feet, 1].mean() - sole)


def _loose_offsets(skeleton: Skeleton, loose: list[tuple[int, int]]) -> np.ndarray:
    """Where the rest pose has loose joints, in the space of those that carry them."""
    positions, rotations = kinematics.rest_pose(skeleton)
    joints, carriers = (np.array([pair[k] for pair in loose], np.int64) for k in (0, 1))
    away = positions[joints] - positions[carriers]
    return quaternion.rotate(quaternion.inverse(rotations[carriers]), away).astype(np.float32)


def freeze(array: np.ndarray) -> np.ndarray:
    """One type for the compiler, wherever an array came from: contiguous, aligned, read-only."""
    view = np.require(array, requirements=("C", "A")).view(np.ndarray)
    view.flags.writeable = False
    return view
