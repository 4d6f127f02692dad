"""The ground root ("simulation bone"): joint 0 that glides on the floor and faces where the body faces."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, smoothing
from kinematch.math.quaternion import Array
from kinematch.math.rotation import from_matrix, to_matrix
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import ground_directions, smooth_directions, yaw_angle, yaw_direction, yaw_rotation
from kinematch.motion.skeleton import Skeleton

POSITION_WINDOW = 31 / 60  # s (digital humans 3.2: 31 frames at 60 fps)
DIRECTION_WINDOW = 61 / 60  # s (61 frames at 60 fps)
LEAN = np.radians(25)  # of a T-pose's hips, up to which their own axes are taken for level
METHODS = {
    "hips": ("hips",),  # thesis eq. 3.4-3.8: the hips projected on the floor
    "spine": ("upper_chest", "chest", "spine"),  # digital humans 3.2: the upper spine, which sways less
}


def add_root(
    clip: Clip,
    method: str = "spine",
    *,
    joint: str | None = None,
    position_window: float = POSITION_WINDOW,
    direction_window: float = DIRECTION_WINDOW,
    name: str = "Root",
) -> Clip:
    """The same motion with a ground root as joint 0, role 'root'; no other joint moves in the world.

    The root lies on the floor under the hips or upper spine and turns about +Y alone, to where the hips face; both are
    smoothed by third-order Savitzky-Golay filters (windows in seconds). A ground root that is already there is kept; a
    first joint that carries nothing but the body (static roots of Bandai Namco, Unreal, glTF) is given the motion
    instead of a new joint. `joint` names the joint that carries the body where no role says so (animals).
    """
    if "root" in clip.skeleton.roles:
        return clip
    if has_ground_root(clip, joint=joint):
        return _keep_root(clip, joint)
    return _build_root(clip, method, joint, (position_window, direction_window), name)


def with_root(skeleton: Skeleton, name: str = "Root") -> Skeleton:
    """The skeleton with a ground root added as joint 0, as a run-time character needs one to stand on.

    The skeleton's own joints follow in their order, with their names; in the T-pose (else the rest pose) the body
    stands on the floor over the root. A skeleton that has a ground root is returned as it is.
    """
    if "root" in skeleton.roles:
        return skeleton
    return _rooted(_insert_joint(skeleton, name), 1 + _carrier(skeleton, None), name)


def replace_root(
    clip: Clip,
    method: str = "spine",
    *,
    joint: str | None = None,
    position_window: float = POSITION_WINDOW,
    direction_window: float = DIRECTION_WINDOW,
) -> Clip:
    """As add_root, but joint 0 gets new motion even where it has some already."""
    if _carrier(clip.skeleton, joint) == 0:
        first = clip.skeleton.names[0]
        raise KinematchError(f"clip {clip.name!r} has no root to replace: its first joint, {first!r}, carries the body")
    return _build_root(clip, method, joint, (position_window, direction_window), "Root")


def has_ground_root(clip: Clip, *, joint: str | None = None) -> bool:
    """Whether joint 0 already moves as a ground root does: along the floor, upright, under the body, facing its way.

    A first joint that never moves is none, though it lies on the floor: the motion is on the hips then.
    """
    skeleton = clip.skeleton
    if "root" in skeleton.roles:
        return True
    carrier = _carrier(skeleton, joint)
    if carrier == 0:
        return False
    positions, rotations = kinematics.global_pose(clip)
    root, body = positions[:, 0], positions[:, carrier]
    # a millimetre and a milliradian: rounding of the file
    if np.ptp(root, axis=0).max() < 1e-3 and quaternion.angle(rotations[:, 0], rotations[0, 0]).max() < 1e-3:
        return False
    height = np.median(body[:, 1] - root[:, 1])
    lean = quaternion.rotate(rotations[:, 0], _up_axis(rotations[:, 0]))[:, 1]
    apart = np.linalg.norm((body - root)[:, [0, 2]], axis=-1)
    if np.abs(root[:, 1]).max() > 0.2 * height or lean.min() < np.cos(np.radians(10)):
        return False
    if np.quantile(apart, 0.95) > 0.5 * height:
        return False
    return bool(np.quantile(np.abs(_off_course(clip, rotations[:, 0], joint)), 0.9) < np.radians(60))


def body_forward(clip: Clip, *, joint: str | None = None) -> Array:
    """Unit ground vectors (F, 3) where the body faces in each frame, unsmoothed.

    From the joints' positions alone (hips and shoulders, left to right, and the trunk between them), so that it needs
    no T-pose; rigs without these roles are taken at the word of their rest pose, which then must face +Z.
    """
    roles = clip.skeleton.roles
    arms = next((pair for pair in (_pair(roles, "upper_arm"), _pair(roles, "shoulder")) if pair), None)
    legs = _pair(roles, "upper_leg")
    positions, rotations = kinematics.global_pose(clip)
    if not arms or not legs:
        return ground_directions(_turns(clip.skeleton, rotations, _carrier(clip.skeleton, joint)))
    p = positions.astype(np.float64)
    side = quaternion.unit(p[:, legs[0]] - p[:, legs[1]]) + quaternion.unit(p[:, arms[0]] - p[:, arms[1]])
    trunk = p[:, arms].sum(axis=1) - p[:, legs].sum(axis=1)
    x = quaternion.unit(side, (1, 0, 0))
    z = quaternion.unit(quaternion.cross(x, trunk), (0, 0, 1))
    return ground_directions(from_matrix(np.stack([x, quaternion.cross(z, x), z], axis=-1)))


def _pair(roles: Mapping[str, int], part: str) -> list[int]:
    names = (f"left_{part}", f"right_{part}")
    return [roles[name] for name in names] if all(name in roles for name in names) else []


def _carrier(skeleton: Skeleton, joint: str | None) -> int:
    """The joint that carries the body; those before it on its chain carry nothing else."""
    return skeleton.joint(joint) if joint is not None else skeleton.roles.get("hips", 0)


def _turns(skeleton: Skeleton, global_rotations: Array, joint: int) -> Array:
    """World rotations (F, 4) of a joint since the T-pose, or the rest pose of rigs without one; both face +Z.

    Where the joint's own axes lie near the world's in that pose, they say what is level, as in the papers: a T-pose
    made from motion leans by some degrees, and not alike in all clips of a rig.
    """
    reference = kinematics.reference_pose(skeleton)[1][joint].astype(np.float64)
    along = np.round(to_matrix(reference))  # each axis along the nearest of the world's
    if (along @ along.T == np.eye(3)).all() and quaternion.angle(reference, from_matrix(along)) < LEAN:
        reference = from_matrix(along)
    return quaternion.multiply(global_rotations[:, joint].astype(np.float64), quaternion.inverse(reference))


def _up_axis(rotations: Array) -> Array:
    """The joint's own axis that points most upwards over a clip: roots of Z-up programs stand on end."""
    up = quaternion.rotate(quaternion.inverse(rotations), np.array([0, 1, 0], rotations.dtype)).mean(axis=0)
    axis = np.zeros(3, rotations.dtype)
    axis[np.argmax(np.abs(up))] = np.sign(up[np.argmax(np.abs(up))])
    return axis


def _root_directions(rotations: Array) -> Array:
    """Ground directions of one of the root's own level axes; which one depends on the body."""
    level = np.roll(np.abs(_up_axis(rotations)), 1)
    return quaternion.unit(quaternion.rotate(rotations, level) * np.array([1, 0, 1], rotations.dtype), (0, 0, 1))


def _quarter_turn(clip: Clip, rotations: Array, joint: str | None) -> float:
    """Angle from the root's level axis to the body's forward: some roots run along X (LAFAN1 SimulationBone)."""
    away = yaw_angle(body_forward(clip, joint=joint)) - yaw_angle(_root_directions(rotations))
    return np.pi / 2 * np.round(np.angle(np.exp(1j * away).sum()) / (np.pi / 2))


def _off_course(clip: Clip, rotations: Array, joint: str | None) -> Array:
    away = yaw_angle(body_forward(clip, joint=joint)) - yaw_angle(_root_directions(rotations))
    return np.angle(np.exp(1j * (away - _quarter_turn(clip, rotations, joint))))


def _keep_root(clip: Clip, joint: str | None) -> Clip:
    """The root that is there, with role, zero height and +Z forward."""
    positions, rotations = kinematics.global_pose(clip)
    angles = yaw_angle(_root_directions(rotations[:, 0])) + _quarter_turn(clip, rotations[:, 0], joint)
    carrier = _carrier(clip.skeleton, joint)
    return _with_root(clip, carrier, positions[:, 0].astype(np.float64), yaw_direction(angles), "Root")


def _build_root(clip: Clip, method: str, joint: str | None, windows: tuple[float, float], name: str) -> Clip:
    if method not in METHODS:
        raise KinematchError(unknown("root method", method, METHODS))
    skeleton, carrier = clip.skeleton, _carrier(clip.skeleton, joint)
    above = next((skeleton.roles[role] for role in METHODS[method] if role in skeleton.roles), None)
    if method == "hips" or (above is None and joint is not None):  # an animal's carrier stands for its spine as well
        above = carrier
    if above is None:
        raise KinematchError(f"clip {clip.name!r} has no joint with role {' or '.join(METHODS[method])}; use the hips")
    positions, rotations = kinematics.global_pose(clip)
    ground = smoothing.savitzky_golay(
        positions[:, above].astype(np.float64), seconds=windows[0], frame_rate=clip.frame_rate
    )
    directions = ground_directions(_turns(skeleton, rotations, carrier))
    directions = smooth_directions(directions, seconds=windows[1], frame_rate=clip.frame_rate)
    return _with_root(clip, carrier, ground, directions, name)


def _with_root(clip: Clip, carrier: int, ground: Array, directions: Array, name: str) -> Clip:
    """Joint 0 on the floor below ground (F, 3), facing directions; joints between it and the carrier follow stiffly."""
    skeleton = _rooted(clip.skeleton, carrier, name)
    pose = [*kinematics.global_pose(clip), clip.positions, clip.rotations]
    if carrier == 0:  # one more joint, its values to come
        pose = [np.concatenate([values[:, :1], values], axis=1) for values in pose]
    global_positions, global_rotations, positions, rotations = (values.astype(np.float64) for values in pose)
    positions[:, 0] = global_positions[:, 0] = ground * [1, 0, 1]
    rotations[:, 0] = global_rotations[:, 0] = yaw_rotation(directions)
    above = skeleton.chain(carrier + (carrier == 0))[:-1]
    fixed = skeleton.rotations if skeleton.tpose is None else skeleton.tpose
    for joint in above[1:]:
        parent = skeleton.parents[joint]
        turn = global_rotations[:, parent]
        positions[:, joint], rotations[:, joint] = skeleton.offsets[joint], fixed[joint]
        global_positions[:, joint] = global_positions[:, parent] + quaternion.rotate(turn, skeleton.offsets[joint])
        global_rotations[:, joint] = quaternion.multiply(turn, fixed[joint])
    for joint in (int(k) for k in np.flatnonzero(np.isin(skeleton.parents, above))):
        if joint not in above:  # a joint whose parent has moved away under it
            parent = skeleton.parents[joint]
            back = quaternion.inverse(global_rotations[:, parent])
            positions[:, joint] = quaternion.rotate(back, global_positions[:, joint] - global_positions[:, parent])
            rotations[:, joint] = quaternion.multiply(back, global_rotations[:, joint])
    return clip.with_(skeleton=skeleton, positions=positions, rotations=rotations)


def _rooted(skeleton: Skeleton, carrier: int, name: str) -> Skeleton:
    """The skeleton with a root at the origin, the body standing over it in its T-pose (else its rest pose)."""
    if carrier == 0:
        skeleton = _insert_joint(skeleton, name)
        carrier = 1
    stand = skeleton.rotations if skeleton.tpose is None else skeleton.tpose
    positions, rotations = kinematics.forward(skeleton, skeleton.offsets, stand)
    body = np.array([carrier in skeleton.chain(joint) for joint in range(skeleton.joint_count)])
    ends = kinematics.end_positions(skeleton, positions, rotations)[body[skeleton.end_parents]]
    floor = np.concatenate([positions[body], ends])[:, 1].min()
    positions = positions - np.array([positions[carrier, 0], floor, positions[carrier, 2]])
    _, rest = kinematics.rest_pose(skeleton)
    on_root = skeleton.parents == 0
    rest_rotations, tpose, offsets = (np.array(a) for a in (skeleton.rotations, stand, skeleton.offsets))
    # joint 0 turns to the identity, so its children take over what its own rotation did
    rest_rotations[on_root], tpose[on_root], offsets[on_root] = rest[on_root], rotations[on_root], positions[on_root]
    rest_rotations[0] = tpose[0] = quaternion.IDENTITY
    offsets[0] = 0
    end_offsets = np.array(skeleton.end_offsets)
    at_root = skeleton.end_parents == 0
    end_offsets[at_root] = positions[0] + quaternion.rotate(rotations[0], end_offsets[at_root])
    return replace(
        skeleton,
        rotations=rest_rotations,
        offsets=offsets,
        end_offsets=end_offsets,
        tpose=None if skeleton.tpose is None else tpose,
        roles={**skeleton.roles, "root": 0},
    )


def _insert_joint(skeleton: Skeleton, name: str) -> Skeleton:
    """One more joint above joint 0."""
    while name in skeleton.names:
        name += "_"
    one = np.zeros((1, 3)), quaternion.identity((1,))
    return Skeleton(
        names=(name, *skeleton.names),
        parents=np.concatenate([[-1], skeleton.parents + 1]),
        offsets=np.concatenate([one[0], skeleton.offsets]),
        rotations=np.concatenate([one[1], skeleton.rotations]),
        end_parents=skeleton.end_parents + 1,
        end_offsets=skeleton.end_offsets,
        file_order=np.concatenate([[0], skeleton.file_order + 1]),
        roles={role: joint + 1 for role, joint in skeleton.roles.items()},
        tpose=None if skeleton.tpose is None else np.concatenate([one[1], skeleton.tpose]),
    )
