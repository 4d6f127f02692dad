"""The reference T-pose of a humanoid rig: given, found in the clip or the rest pose, or constructed from the motion."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, rotation
from kinematch.motion import tpose_neutral
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_rotation
from kinematch.motion.kinematics import forward, global_pose, local_rotations, rest_pose
from kinematch.motion.roles import missing_roles
from kinematch.motion.skeleton import Skeleton

# Where each bone points in the T-pose: from the joint of a role to that of the next.
BONES: dict[str, tuple[str, tuple[float, float, float]]] = {
    f"{side}_{start}": (f"{side}_{stop}", direction)
    for side, sign in (("left", 1.0), ("right", -1.0))
    for start, stop, direction in (
        ("upper_arm", "lower_arm", (sign, 0.0, 0.0)),
        ("lower_arm", "hand", (sign, 0.0, 0.0)),
        ("upper_leg", "lower_leg", (0.0, -1.0, 0.0)),
        ("lower_leg", "foot", (0.0, -1.0, 0.0)),
    )
}
_FRAME_TOLERANCE = np.radians(15)  # performers' own T-poses differ by up to this; chance poses were never so near
_REST_TOLERANCE = np.radians(25)  # CMU's rest pose has its legs apart by 21 degrees
_UPRIGHT = np.radians(40)  # legs of a rest pose that can be straightened into a T-pose
_LYING = np.radians(70)  # lean beyond which turning about Y no longer says where the body faces


@dataclass(frozen=True)
class TPose:
    rotations: np.ndarray  # (J, 4) local, facing +Z, left arm along +X
    method: str  # given, frame, rest, constructed
    reason: str  # in words, with what had to be corrected
    frame: int | None = None  # of the clip, where it came from one


def with_reference_tpose(clip: Clip, tpose: Clip | None = None) -> Clip:
    """The clip with its skeleton's T-pose set; needs roles, and Y up."""
    found = reference_tpose(clip, tpose)
    return clip.with_(skeleton=clip.skeleton.with_tpose(found.rotations))


def reference_tpose(clip: Clip, tpose: Clip | None = None) -> TPose:
    """The T-pose from the best source there is: a given clip, the rest pose, a frame, else neutral stands.

    Whatever the source, arms and legs are swung the last degrees to their exact directions, so that rigs agree.
    """
    skeleton = clip.skeleton
    missing = missing_roles(skeleton.roles)
    if missing:
        raise KinematchError(f"no T-pose for clip {clip.name!r}: roles missing: {', '.join(missing)}")
    if tpose is not None:
        return _given(skeleton, tpose)
    positions, rotations = rest_pose(skeleton)
    at_rest = limb_deviations(skeleton, positions).max()
    frame = find_tpose_frame(clip) if at_rest > _FRAME_TOLERANCE else None
    if frame is not None:
        positions, rotations = forward(skeleton, clip.positions[frame], clip.rotations[frame])
        return _finish(skeleton, positions, rotations, method="frame", reason=f"frame {frame} is a T-pose", frame=frame)
    held = _held_frame(clip) if at_rest > _REST_TOLERANCE else None
    if held is not None:
        positions, rotations = forward(skeleton, clip.positions[held], clip.rotations[held])
        reason = f"the performer holds a T-pose at frame {held}"
        return _finish(skeleton, positions, rotations, method="frame", reason=reason, frame=held)
    if at_rest <= _REST_TOLERANCE:
        return _finish(skeleton, positions, rotations, method="rest", reason="the rest pose is a T-pose")
    if _stands(skeleton, positions):
        reason = "from the rest pose, which stands but is no T-pose"
        return _finish(skeleton, positions, rotations, method="constructed", reason=reason)
    return _from_motion(clip)


def find_tpose_frame(clip: Clip) -> int | None:
    """The frame nearest to a T-pose, when it is one; none for rigs that are no humanoids."""
    if missing_roles(clip.skeleton.roles):
        return None
    positions, _ = global_pose(clip)
    axes = body_axes(clip.skeleton, positions)
    worst = _deviations_from(axes, clip.skeleton, positions).max(axis=-1)
    # upright as well: someone lying with arms spread is no reference
    worst = np.where(_lean(axes) < _UPRIGHT, worst, np.inf)
    best = int(np.argmin(worst))
    return best if worst[best] <= _FRAME_TOLERANCE else None


def _held_frame(clip: Clip) -> int | None:
    """The best frame of the T-poses that a performer holds for calibration, elbows bent and arms low as may be."""
    from kinematch.motion.labels.calibration import find_calibration_poses  # which measures against a T-pose of its own

    clip = clip.with_(skeleton=clip.skeleton.with_tpose(_from_motion(clip).rotations))
    frames = [k for pose in find_calibration_poses(clip) if pose.kind == "T" for k in range(pose.start, pose.stop)]
    if not frames:
        return None
    positions, _ = forward(clip.skeleton, clip.positions[frames], clip.rotations[frames])
    return frames[int(np.argmin(limb_deviations(clip.skeleton, positions).max(axis=-1)))]


def is_tpose(skeleton: Skeleton, global_positions: np.ndarray, *, tolerance: float = _FRAME_TOLERANCE) -> bool:
    """Whether arms point sideways and legs down, each within the tolerance [rad], whatever way the body faces."""
    return bool(limb_deviations(skeleton, global_positions).max() <= tolerance)


def limb_deviations(skeleton: Skeleton, global_positions: np.ndarray) -> np.ndarray:
    """Angles (..., 8) [rad] between the limbs and their directions in a T-pose, seen from the body."""
    return _deviations_from(body_axes(skeleton, global_positions), skeleton, global_positions)


def _deviations_from(axes: np.ndarray, skeleton: Skeleton, global_positions: np.ndarray) -> np.ndarray:
    angles = []
    for start, (stop, direction) in BONES.items():
        bone = quaternion.unit(
            global_positions[..., skeleton.roles[stop], :] - global_positions[..., skeleton.roles[start], :]
        )
        wanted = axes @ np.array(direction, axes.dtype)
        angles.append(
            np.arctan2(quaternion.length(quaternion.cross(bone, wanted))[..., 0], np.sum(bone * wanted, axis=-1))
        )
    return np.stack(angles, axis=-1)


def body_axes(skeleton: Skeleton, global_positions: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) whose columns are the body's left, up and forward."""
    top = next(role for role in ("neck", "upper_chest", "chest", "head") if role in skeleton.roles)

    def between(start: str, stop: str) -> np.ndarray:
        start_positions, stop_positions = (
            global_positions[..., skeleton.roles[role], :].astype(np.float64) for role in (start, stop)
        )
        return stop_positions - start_positions

    left = quaternion.unit(between("right_upper_leg", "left_upper_leg"))
    left = quaternion.unit(left + quaternion.unit(between("right_upper_arm", "left_upper_arm")))
    up = between("hips", top)
    up = quaternion.unit(up - left * np.sum(up * left, axis=-1, keepdims=True))
    return np.stack([left, up, quaternion.cross(left, up)], axis=-1)


def facing_alignment(axes: np.ndarray) -> np.ndarray:
    """The turn (..., 4) that makes a body of these axes face +Z: about Y, or of all its axes if it is lying down."""
    left = axes[..., 0]
    yaw = rotation.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.arctan2(left[..., 2], left[..., 0]))
    whole = quaternion.inverse(rotation.from_matrix(axes))
    return np.where((axes[..., 1, 1] > np.cos(_LYING))[..., None], yaw, whole)


def _lean(axes: np.ndarray) -> np.ndarray:
    return np.arccos(np.clip(axes[..., 1, 1], -1, 1))


def _stands(skeleton: Skeleton, global_positions: np.ndarray) -> bool:
    """Legs below, arms not above: a pose from which a T-pose can be made by lifting the arms."""
    deviations = limb_deviations(skeleton, global_positions)
    legs = [k for k, start in enumerate(BONES) if "leg" in start]
    axes = body_axes(skeleton, global_positions)
    arms = [
        global_positions[skeleton.roles[f"{side}_hand"]] - global_positions[skeleton.roles[f"{side}_upper_arm"]]
        for side in ("left", "right")
    ]
    raised = any(np.dot(quaternion.unit(arm), axes[:, 1]) > 0.5 for arm in arms)
    return bool(deviations[legs].max() < _UPRIGHT) and not raised


def _given(skeleton: Skeleton, tpose: Clip) -> TPose:
    """From another clip of the same rig, joints matched by name."""
    names = tpose.skeleton.names
    for role in skeleton.roles:
        name = skeleton.names[skeleton.roles[role]]
        if role != "root" and name not in names:
            raise KinematchError(f"T-pose {tpose.name!r} is of another rig: {unknown('joint', name, names)}")
    local = np.array(skeleton.rotations, np.float64)
    shared = [(j, names.index(name)) for j, name in enumerate(skeleton.names) if name in names]
    frames = []
    for k in range(tpose.frame_count):
        for j, other in shared:
            local[j] = tpose.rotations[k, other]
        frames.append(local.copy())
    positions, rotations = forward(skeleton, skeleton.offsets, np.array(frames))
    best = int(np.argmin(limb_deviations(skeleton, positions).max(axis=-1)))
    reason = f"given by {tpose.name or 'a clip'}, frame {best}"
    return _finish(skeleton, positions[best], rotations[best], method="given", reason=reason)


def _from_motion(clip: Clip) -> TPose:
    """From the frames in which the body stands most neutrally, with the limbs' hinges found from how they bend."""
    skeleton = clip.skeleton
    step = max(1, clip.frame_count // 2000)
    positions, rotations = forward(skeleton, clip.positions[::step], clip.rotations[::step])
    axes = body_axes(skeleton, positions)
    legs = _deviations_from(axes, skeleton, positions)[:, [k for k, start in enumerate(BONES) if "leg" in start]]
    unrest = _lean(axes) + legs.mean(axis=-1)
    chosen = np.argsort(unrest, kind="stable")[: max(1, min(60, len(unrest) // 20))]
    hinges = tpose_neutral.find_hinges(skeleton, positions, rotations)
    turned = quaternion.multiply(facing_alignment(axes)[:, None], rotations)
    base = tpose_neutral.neutral_posture(skeleton, positions, turned, calm=chosen, hinges=hinges)
    tilt = np.degrees(np.median(unrest[chosen]))
    reason = f"constructed from {len(chosen)} frames nearest to a neutral stand (off by {tilt:.0f} degrees)"
    if tilt > np.degrees(_UPRIGHT):
        reason += "; no frame of this clip stands upright; give a T-pose if you have one"
    locals_ = _swing(skeleton, base, hinges=hinges, straight=tpose_neutral.straight_joints(skeleton))
    return TPose(locals_, "constructed", reason)


def _finish(
    skeleton: Skeleton,
    positions: np.ndarray,
    rotations: np.ndarray,
    *,
    method: str,
    reason: str,
    frame: int | None = None,
) -> TPose:
    """Face +Z and swing the limbs to their exact directions, saying by how much."""
    worst = np.degrees(limb_deviations(skeleton, positions).max())
    turned = quaternion.multiply(facing_alignment(body_axes(skeleton, positions)), rotations.astype(np.float64))
    if worst > 1:
        reason += f", limbs swung by up to {worst:.0f} degrees"
    return TPose(_swing(skeleton, turned), method, reason, frame)


def _swing(
    skeleton: Skeleton,
    base: np.ndarray,
    *,
    hinges: dict[str, np.ndarray] | None = None,
    straight: frozenset[str] = frozenset(),
) -> np.ndarray:
    """Local rotations of the T-pose, from global ones (J, 4) of a pose that faces +Z.

    Each limb takes the shortest way to its direction, on top of what its parent did, so twists stay natural: an arm
    that hangs with the palm inward comes up with the palm down. `hinges` names the axis, in the joint's own space,
    about which the next joint bends, and so fixes the twist; roles in `straight` keep their rest rotation.
    """
    roles = {joint: role for role, joint in skeleton.roles.items()}
    hips = skeleton.roles["hips"]
    local = np.array(skeleton.rotations, np.float64)
    pose: np.ndarray = np.zeros((skeleton.joint_count, 4))  # global rotations of the T-pose
    child_points = _child_points(skeleton)
    for j in range(skeleton.joint_count):
        parent = skeleton.parents[j]
        role = roles.get(j, "")
        if hips not in skeleton.chain(j):
            pose[j] = local[j] if parent < 0 else quaternion.multiply(pose[parent], local[j])
            continue
        if j == hips or role.endswith("_foot"):
            pose[j] = base[j]
        elif role in straight:
            pose[j] = quaternion.multiply(pose[parent], local[j])
        else:
            follow = quaternion.multiply(pose[parent], quaternion.inverse(base[parent]))
            pose[j] = quaternion.multiply(follow, base[j])
        if role in BONES and role in child_points:
            wanted = np.array(BONES[role][1])
            pose[j] = quaternion.multiply(
                quaternion.between(quaternion.rotate(pose[j], child_points[role]), wanted), pose[j]
            )
            if hinges and role in hinges:
                pose[j] = tpose_neutral.twisted(pose[j], hinges[role], role=role, bone=wanted)
        elif role.endswith("_foot") and role in child_points:
            ahead = quaternion.rotate(pose[j], child_points[role])
            pose[j] = quaternion.multiply(quaternion.inverse(yaw_rotation(ahead)), pose[j])
    return quaternion.normalize(local_rotations(skeleton, pose))


def _child_points(skeleton: Skeleton) -> dict[str, np.ndarray]:
    """In a joint's own space, the rest position of the joint (or foot's tip) that its bone leads to."""
    stops = {start: stop for start, (stop, _) in BONES.items()}
    stops |= {f"{side}_foot": f"{side}_toes" for side in ("left", "right")}
    points = {}
    for start, stop in stops.items():
        joint = skeleton.roles[start]
        if stop in skeleton.roles and joint in skeleton.chain(skeleton.roles[stop])[:-1]:
            point = np.zeros(3)
            for j in skeleton.chain(skeleton.roles[stop])[::-1]:
                if j == joint:
                    break
                point = skeleton.offsets[j] + quaternion.rotate(skeleton.rotations[j], point)
            points[start] = point
        elif (skeleton.end_parents == joint).any():
            points[start] = skeleton.end_offsets[np.argmax(skeleton.end_parents == joint)].astype(np.float64)
    return {start: point for start, point in points.items() if point.any()}
