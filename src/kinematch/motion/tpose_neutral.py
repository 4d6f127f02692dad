"""What a constructed T-pose draws from motion: neutral posture, hinge axes of knees and elbows, straight rest chains.

Rigs whose rest pose is degenerate (LAFAN1, Bandai Namco: every bone along one axis) still tell much: their joints' own
axes lie along bones and hinges. Motion only has to say which axis is which, and how the trunk and feet are held.
"""

import itertools

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion.kinematics import forward, local_rotations
from kinematch.motion.skeleton import Skeleton

SIDES = ("left", "right")
LEFT = np.array([1.0, 0.0, 0.0])
# Which way bone x next bone points when the joint bends: elbows bring hands forward, knees bring feet back.
HINGE_AXES = {
    "left_upper_arm": np.array([0.0, -1.0, 0.0]),
    "right_upper_arm": np.array([0.0, 1.0, 0.0]),
    "left_upper_leg": LEFT,
    "right_upper_leg": LEFT,
}
_NEXT = {"upper_arm": ("lower_arm", "hand"), "upper_leg": ("lower_leg", "foot")}
_LEAST_BEND = 0.02  # mean sine of the bend below which noise decides the hinge
_STEADY = 0.7  # length of the mean of the hinge directions; 1 when all frames agree
_ALONG = 0.999  # cosine; 2.5 degrees
_NECK = np.radians(15)  # how far a neck leans in a neutral stand; more is a look up or down
_AXIS_ROTATIONS = rotation.from_matrix(
    np.array(
        [
            matrix
            for order in itertools.permutations(range(3))
            for signs in itertools.product((1.0, -1.0), repeat=3)
            if np.linalg.det(matrix := np.eye(3)[list(order)] * signs) > 0
        ]
    )
)
_COLLINEAR = np.cos(np.radians(10))


def average(rotations: np.ndarray) -> np.ndarray:
    """The mean rotation along the first axis: the eigenvector nearest to all, blind to signs."""
    q = rotations.astype(np.float64)
    products = np.einsum("f...i,f...j->...ij", q, q)
    return np.linalg.eigh(products)[1][..., -1]


def neutral_posture(
    skeleton: Skeleton, positions: np.ndarray, aligned: np.ndarray, *, calm: np.ndarray, hinges: dict[str, np.ndarray]
) -> np.ndarray:
    """Global rotations (J, 4) of a person who stands, from frames turned to face +Z, of which `calm` stand best.

    Joints between left and right are squared up with the body, so that a turned head leaves no trace; feet are taken
    where they stand flat; the trunk is put upright. On rigs whose joints have their axes along the bones, performers'
    own T-poses show head and collar bones on the body's axes, so there they are put.
    """
    base = average(aligned[calm])
    sideways = _sideways_axes(skeleton, base, hinges)
    roles = {joint: role for role, joint in skeleton.roles.items()}
    for j in range(skeleton.joint_count):
        side, _, part = roles.get(j, "").partition("_")
        frames = _flat(skeleton, positions, side) if part in ("foot", "toes") else calm
        if j in sideways:
            base[j] = average(_squared_up(aligned[frames, j], sideways[j]))
        elif part == "toes":
            parent = skeleton.parents[j]
            own = quaternion.multiply(quaternion.inverse(aligned[frames, parent]), aligned[frames, j])
            base[j] = quaternion.multiply(base[parent], average(own))
    base = _trunk_upright(skeleton, base)
    return _plumb(skeleton, base) if _has_aligned_axes(skeleton) else base


def _plumb(skeleton: Skeleton, base: np.ndarray) -> np.ndarray:
    """Collar bones and head with their own axes on those of the body, and a neck that leans no more than necks do."""
    for side in SIDES:
        if f"{side}_shoulder" in skeleton.roles:
            j = skeleton.roles[f"{side}_shoulder"]
            base[j] = _on_axes(base[j])
    neck = skeleton.roles.get("neck", skeleton.roles["head"])
    plumb = _on_axes(base[skeleton.parents[neck]])
    for j in (j for j in skeleton.chain(skeleton.roles["head"]) if j >= neck):
        plumb = _on_axes(quaternion.multiply(plumb, skeleton.rotations[j]))
        lean = quaternion.angle(base[j], plumb)
        most = 0.0 if j == skeleton.roles["head"] else _NECK
        base[j] = quaternion.slerp(plumb, base[j], min(1.0, most / lean) if lean > 0 else 0.0)
    return base


def _has_aligned_axes(skeleton: Skeleton) -> bool:
    """Whether the limbs' bones lie along their joints' own axes, as motion solvers build them."""
    children = [skeleton.roles[f"{side}_{part}"] for side in SIDES for pair in _NEXT.values() for part in pair]
    return bool(np.abs(quaternion.unit(skeleton.offsets[children])).max(axis=-1).min() > _ALONG)


def _on_axes(q: np.ndarray) -> np.ndarray:
    """The nearest of the 24 rotations that put a joint's own axes on those of the body."""
    return _AXIS_ROTATIONS[np.argmin(quaternion.angle(_AXIS_ROTATIONS, np.broadcast_to(q, _AXIS_ROTATIONS.shape)))]


def find_hinges(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> dict[str, np.ndarray]:
    """For each upper limb that bends, the hinge in its own space; on an own axis where the bone lies along one."""
    found = {}
    for role in HINGE_AXES:
        side, _, part = role.partition("_")
        joint, middle, last = (skeleton.roles[r] for r in (role, *(f"{side}_{p}" for p in _NEXT[part])))
        upper = quaternion.unit(positions[:, middle] - positions[:, joint])
        lower = quaternion.unit(positions[:, last] - positions[:, middle])
        back = quaternion.inverse(rotations[:, joint])
        axes = quaternion.rotate(back, quaternion.cross(upper, lower))
        sizes = np.linalg.norm(axes, axis=-1)
        # a bend that is small or wavers says little of its axis
        steadiness = np.linalg.norm(axes.sum(axis=0)) / sizes.sum() if sizes.any() else 0.0
        if sizes.mean() * steadiness**2 < _LEAST_BEND or steadiness < _STEADY:
            continue
        mean, bone = quaternion.unit(axes.sum(axis=0)), quaternion.rotate(back[0], upper[0])
        # capture is off by up to 30 degrees where rigs put the hinge on an own axis of the joint
        found[role] = nearest_axis(mean) if np.abs(bone).max() > _ALONG else mean
    return found


def nearest_axis(v: np.ndarray) -> np.ndarray:
    """The coordinate axis, with sign, that lies nearest to a direction."""
    k = int(np.argmax(np.abs(v)))
    return np.sign(v[k]) * np.eye(3)[k]


def twisted(q: np.ndarray, hinge: np.ndarray, *, role: str, bone: np.ndarray) -> np.ndarray:
    """q turned about its bone until the hinge lies as in a T-pose with palms down and knees ahead."""
    wanted, now = HINGE_AXES[role], quaternion.rotate(q, hinge)
    turn = np.arctan2(
        np.dot(quaternion.cross(now, wanted), bone), np.dot(now, wanted) - np.dot(now, bone) * np.dot(wanted, bone)
    )
    return quaternion.multiply(rotation.from_axis_angle(bone, turn), q)


def straight_joints(skeleton: Skeleton) -> frozenset[str]:
    """Lower limbs and hands that the rest pose puts in line with the bone before: there it defines no twist at all."""
    roles = skeleton.roles
    found = []
    for side in SIDES:
        for upper, lower, last in (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot")):
            start, middle, stop = (roles[f"{side}_{part}"] for part in (upper, lower, last))
            if skeleton.parents[middle] != start or skeleton.parents[stop] != middle:
                continue
            before = quaternion.unit(skeleton.offsets[middle])
            after = quaternion.unit(quaternion.rotate(skeleton.rotations[middle], skeleton.offsets[stop]))
            if np.dot(before, after) > _COLLINEAR:
                found += [f"{side}_{lower}"] + ([f"{side}_hand"] if last == "hand" else [])
    return frozenset(found)


def _squared_up(q: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Rotations with their own axis put on the body's left by the shortest turn."""
    return quaternion.multiply(
        quaternion.between(quaternion.rotate(q, axis), np.broadcast_to(LEFT, q[..., 1:].shape)), q
    )


def _sideways_axes(skeleton: Skeleton, base: np.ndarray, hinges: dict[str, np.ndarray]) -> dict[int, np.ndarray]:
    """For joints between left and right and for feet, the axis of their own space that points to the body's left.

    Hips have it from the legs that hang on them, the chest from the shoulders, the neck and head from the chest by way
    of the rest pose, feet from the knees' hinge likewise; the joints of the spine from how they are held.
    """
    roles, parents = skeleton.roles, skeleton.parents
    axes: dict[int, np.ndarray] = {}
    for part in ("upper_leg", "shoulder" if "left_shoulder" in roles and "right_shoulder" in roles else "upper_arm"):
        left, right = roles[f"left_{part}"], roles[f"right_{part}"]
        if parents[left] == parents[right]:
            across = skeleton.offsets[left].astype(np.float64) - skeleton.offsets[right]
            axes[int(parents[left])] = quaternion.unit(
                across, quaternion.rotate(quaternion.inverse(base[parents[left]]), LEFT)
            )
    chest = max(axes) if len(axes) == 2 else None
    for j in (j for j in skeleton.chain(roles["head"]) if j > roles["hips"]):
        if chest is not None and j > chest and int(parents[j]) in axes:
            axes[j] = quaternion.rotate(quaternion.inverse(skeleton.rotations[j]), axes[int(parents[j])])
        elif j not in axes:
            own = quaternion.rotate(quaternion.inverse(base[j]), LEFT)
            near = nearest_axis(own)
            axes[j] = near if near @ own > np.cos(np.radians(20)) else own
    for side in SIDES:
        hinge, foot = hinges.get(f"{side}_upper_leg"), roles[f"{side}_foot"]
        if hinge is not None and f"{side}_lower_leg" in straight_joints(skeleton):
            for j in (roles[f"{side}_lower_leg"], foot):
                hinge = quaternion.rotate(quaternion.inverse(skeleton.rotations[j]), hinge)
            axes[foot] = hinge
    return axes


def _flat(skeleton: Skeleton, positions: np.ndarray, side: str) -> np.ndarray:
    """Frames in which the foot stands flat: of the quarter in which it moves least, the middle ones by its slope."""
    joints = [skeleton.roles[r] for r in (f"{side}_foot", f"{side}_toes") if r in skeleton.roles]
    if len(positions) < 3 or len(joints) < 2:
        return np.arange(len(positions))
    speed = np.linalg.norm(np.gradient(positions[:, joints], axis=0), axis=-1).max(axis=-1)
    still = np.argsort(speed, kind="stable")[: max(3, len(speed) // 4)]
    by_slope = still[np.argsort(positions[still, joints[0], 1] - positions[still, joints[1], 1], kind="stable")]
    middle, half = len(still) // 2, len(still) // 10
    return by_slope[middle - half : middle + half + 1]


def _trunk_upright(skeleton: Skeleton, base: np.ndarray) -> np.ndarray:
    """The trunk tipped back or forward until the neck is above the hips; neck and head stay level as they were."""
    roles = skeleton.roles
    top = roles.get("neck", roles["head"])
    positions, _ = forward(skeleton, skeleton.offsets.astype(np.float64), local_rotations(skeleton, base))
    up = positions[top] - positions[roles["hips"]]
    tip = rotation.from_axis_angle(LEFT, -np.arctan2(up[2], up[1]))
    trunk = [j for j in skeleton.chain(top)[:-1] if j >= roles["hips"]]
    trunk += [roles[f"{side}_shoulder"] for side in SIDES if f"{side}_shoulder" in roles]
    base[trunk] = quaternion.multiply(tip, base[trunk])
    return base
