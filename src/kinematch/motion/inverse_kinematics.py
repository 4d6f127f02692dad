"""Two-joint inverse kinematics of arms and legs in closed form, for a batch of characters (digital humans 3.6)."""

import itertools

import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.tpose_neutral import HINGE_AXES

CLEARLY = 0.7  # sine of the bend angle from which the pose alone says which way the limb bends
SOFTNESS = 0.03  # of the limb's length: near full stretch a limb resists, so that the elbow does not snap
NARROWEST = np.radians(20)  # between the two bones of a limb; knees and elbows of people do not fold further
SAME_LINE = 1e-12  # 1 + cosine below which directions are opposite: rounding decides about the shortest turn


def solve_two_joints(
    global_positions: np.ndarray,
    global_rotations: np.ndarray,
    parents: np.ndarray,
    *,
    chain: tuple[int, int, int],
    targets: np.ndarray,
    hinge: np.ndarray,
    target_rotations: np.ndarray | None = None,
    weights: np.ndarray | float = 1.0,
    softness: float = SOFTNESS,
) -> np.ndarray:
    """Local rotations (N, 3, 4) of the chain's joints (upper, middle, end) that bring the end joint to its target.

    Takes a global pose, (N, J, 3) and (N, J, 4), of joints with these parents (J,), and targets (N, 3). Joints between
    those of the chain (twist bones) keep their local rotation. The end joint gets its target rotation (N, 4), in the
    world; without one it keeps its local rotation, so that a hand follows the forearm. `weights` (N,) from 0 to 1
    interpolate the three local rotations from those of the pose. Targets that are not finite leave the pose as it is.
    `hinge` and `softness` are those of bend_limb.
    """
    _check_chain(parents, chain)
    joints, count = list(chain), len(global_positions)
    rotations = np.asarray(global_rotations, np.float64)
    targets = np.broadcast_to(np.asarray(targets, np.float64), (count, 3))
    ends = None if target_rotations is None else np.broadcast_to(np.asarray(target_rotations, np.float64), (count, 4))
    usable = np.isfinite(targets).all(axis=-1) & (True if ends is None else np.isfinite(ends).all(axis=-1))
    bent = bend_limb(
        np.asarray(global_positions, np.float64)[:, joints],
        rotations[:, joints],
        np.where(usable[:, None], targets, 0.0),
        hinge=hinge,
        softness=softness,
    )
    if ends is not None:
        bent[:, 2] = np.where(usable[:, None], quaternion.normalize(np.where(usable[:, None], ends, 0.0)), bent[:, 2])
    weights = np.clip(np.where(usable, np.nan_to_num(np.asarray(weights, np.float64)), 0.0), 0.0, 1.0)
    before = _localize(rotations, parents, joints, rotations[:, joints])
    after = _localize(rotations, parents, joints, bent)
    return quaternion.slerp(before, after, np.broadcast_to(weights[:, None], (count, 3))).astype(global_rotations.dtype)


def bend_limb(
    positions: np.ndarray,
    rotations: np.ndarray,
    targets: np.ndarray,
    *,
    hinge: np.ndarray,
    softness: float = SOFTNESS,
) -> np.ndarray:
    """Global rotations (N, 3, 4) of a limb's three joints, bent so that the last lies at its target (N, 3).

    From their global positions (N, 3, 3) and rotations (N, 3, 4). First the middle joint is bent about the axis about
    which the pose bends it, until the end is as far from the upper joint as the target is; then the limb as a whole
    takes the shortest turn to the target, which adds no twist. The end joint turns along with the middle one.

    `hinge` is an axis (3,) or (N, 3) in the upper joint's space about which the middle joint naturally bends, positive
    turns flexing it: it decides for limbs that are straight or bent backwards. Targets out of reach are pointed at;
    from (1 - softness) of full stretch the end falls short of its target, so that it straightens ever more slowly.
    """
    upper, middle, end = (positions[:, k] for k in range(3))
    u, v = middle - upper, end - middle
    a, b = quaternion.length(u), quaternion.length(v)
    aim = targets - upper
    distance = _limit_reach(quaternion.length(aim), a + b, softness)
    axis = _bend_axis(u, v, quaternion.rotate(rotations[:, 0], hinge))
    flex = _flex_about(axis, u, v, distance)
    # the axis is not always at right angles to both bones, so turning about it alone may not reach every distance
    flex = quaternion.multiply(_flex_in_plane(u, quaternion.rotate(flex, v), axis, distance), flex)
    limb = u + quaternion.rotate(flex, v)
    swing = _shortest_turn(limb, aim, axis)
    lower = quaternion.multiply(swing, flex)
    turns = np.stack([swing, lower, lower], axis=1)
    return quaternion.normalize(quaternion.multiply(turns, rotations))


def find_hinge(skeleton: Skeleton, role: str) -> np.ndarray:
    """The axis (3,) in the joint's own space about which the elbow or knee below an upper arm or leg flexes.

    As the reference T-pose has it: elbows bring hands forward, knees bring feet back.
    """
    if role not in HINGE_AXES:
        raise KinematchError(unknown("upper limb", role, HINGE_AXES))
    if role not in skeleton.roles or skeleton.tpose is None:
        raise KinematchError(f"no hinge for {role}: the skeleton has no {'T-pose' if role in skeleton.roles else role}")
    reference = kinematics.tpose(skeleton)[1][skeleton.roles[role]].astype(np.float64)
    return quaternion.rotate(quaternion.inverse(reference), HINGE_AXES[role])


def _limit_reach(distance: np.ndarray, longest: np.ndarray, softness: float) -> np.ndarray:
    """A distance that never passes the longest, approaching it exponentially over the last share."""
    room = softness * longest
    start = longest - room
    safe = np.where(room > 0, room, 1.0)
    beyond = np.maximum(distance - start, 0.0)
    return np.where(distance <= start, distance, start + room * (1 - np.exp(-beyond / safe)))


def _bend_axis(u: np.ndarray, v: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """The pose's own bend axis where it bends clearly, the hinge where it is straight or bends backwards."""
    bend, hinge = np.cross(u, v), quaternion.unit(hinge)
    clearly = CLEARLY * quaternion.length(u) * quaternion.length(v)
    along = np.sum(bend * hinge, axis=-1, keepdims=True)
    share = np.clip(along / np.where(clearly > 0, clearly, 1.0), 0.0, 1.0)
    return quaternion.unit(share * quaternion.unit(bend) + (1 - share) * hinge, hinge)


def _flex_about(axis: np.ndarray, u: np.ndarray, v: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The turn R about the axis with |u + R v| = distance; of the two solutions, the one that flexes the joint.

    u . R v = (d^2 - a^2 - b^2) / 2 is a cosine in the angle of R; its argument is clipped where no angle will do.
    """
    along = np.sum(v * axis, axis=-1)
    p = v - axis * along[:, None]
    ahead, aside = np.sum(u * p, axis=-1), np.sum(u * np.cross(axis, p), axis=-1)
    size = np.hypot(ahead, aside)
    wanted = _wanted_product(u, v, distance) - along * np.sum(u * axis, axis=-1)
    cosine = np.clip(wanted / np.where(size > 0, size, 1.0), -1.0, 1.0)
    return rotation.from_axis_angle(axis, np.where(size > 0, np.arctan2(aside, ahead) + np.arccos(cosine), 0.0))


def _flex_in_plane(u: np.ndarray, v: np.ndarray, axis: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The turn that changes the angle between u and v until |u + v| = distance, by the law of cosines."""
    normal = np.cross(u, v)
    size, product = quaternion.length(normal)[:, 0], np.sum(u * v, axis=-1)
    both = (quaternion.length(u) * quaternion.length(v))[:, 0]
    cosine = np.clip(_wanted_product(u, v, distance) / np.where(both > 0, both, 1.0), -1.0, 1.0)
    turn = np.where(both > 0, np.arccos(cosine) - np.arctan2(size, product), 0.0)
    return rotation.from_axis_angle(quaternion.unit(np.where(size[:, None] > 0, normal, axis)), turn)


def _wanted_product(u: np.ndarray, v: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """u . v of bones whose ends are a distance apart."""
    return (distance[:, 0] ** 2 - np.sum(u * u, axis=-1) - np.sum(v * v, axis=-1)) / 2


def _shortest_turn(a: np.ndarray, b: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The shortest turn from the direction of a to that of b; for opposite ones half a turn about the axis.

    There is no turn from or to a vector without length.
    """
    a, b = quaternion.unit(a), quaternion.unit(b)
    w = 1 + np.sum(a * b, axis=-1, keepdims=True)
    across = axis - a * np.sum(axis * a, axis=-1, keepdims=True)
    half = np.concatenate([np.zeros_like(w), across], axis=-1)
    turn = np.concatenate([w, np.cross(a, b)], axis=-1)
    return quaternion.normalize(np.where(w < SAME_LINE, half, turn))


def _localize(rotations: np.ndarray, parents: np.ndarray, joints: list[int], wanted: np.ndarray) -> np.ndarray:
    """Local rotations (N, 3, 4) that give the chain's joints their wanted global ones; joints between stay as posed."""
    local = np.empty_like(wanted)
    for k, joint in enumerate(joints):
        parent = parents[joint]
        above = rotations[:, parent] if parent >= 0 else quaternion.identity(wanted.shape[:1])
        if k:  # the parent turns with the chain's joint above it
            turn = quaternion.multiply(wanted[:, k - 1], quaternion.inverse(rotations[:, joints[k - 1]]))
            above = quaternion.multiply(turn, above)
        local[:, k] = quaternion.multiply(quaternion.inverse(above), wanted[:, k])
    return local


def _check_chain(parents: np.ndarray, chain: tuple[int, int, int]) -> None:
    if any(not 0 <= joint < len(parents) for joint in chain):
        raise KinematchError(f"chain {tuple(chain)} names joints that do not exist; there are {len(parents)}")
    for above, below in itertools.pairwise(chain):
        joint = below
        while joint > above:
            joint = int(parents[joint])
        if joint != above or above == below:
            raise KinematchError(f"joint {below} is not below joint {above}; a chain is (upper, middle, end)")
