"""LookLayer: head and trunk turn towards a point in the world, on top of whatever the character is doing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import wrap_angle
from kinematch.math.spring import spring
from kinematch.motion.kinematics import tpose
from kinematch.motion.skeleton import Skeleton

SHARES = {"spine": 0.15, "chest": 0.15, "upper_chest": 0.15, "neck": 0.25, "head": 0.3}  # of the turn, by role
MAX_LOOK_ANGLES = np.radians([85.0, 40.0])  # to the sides, and up or down; what is farther is looked at as far as that
BEHIND = np.radians(150.0)  # to the sides, beyond which a character does not look
MAX_DISTANCE = 1e3  # m; nothing farther away is looked at
MIN_LOOK_DISTANCE = 0.1  # m from the head


class LookLayer:
    """A layer that turns head and trunk so that the character looks at a point in the world.

    Set `targets`, (3,) or (N, 3) in metres in the world, and `weights`, one or (N,) from 0 to 1, at any time; NaN lets
    the head go. It eases in and out, and from one target to the next, with `halflife` (s). Given where a command leads,
    the look leads turns: a head is faster than a body. `reset` forgets where it looked.
    """

    def __init__(
        self, skeleton: Skeleton, targets: ArrayLike = np.nan, weights: ArrayLike = 1.0, *, halflife: float = 0.12
    ):
        """`skeleton` is the crowd's."""
        if not 0 <= halflife < np.inf:
            raise KinematchError(f"a half-life of {halflife} s, expected 0 or more")
        roles = {role: skeleton.roles[role] for role in SHARES if role in skeleton.roles}
        if "head" not in roles:
            raise KinematchError("the skeleton has no head; a look turns the joints from the spine to the head")
        self.joints = [roles[role] for role in roles]  # from the spine upwards
        total = sum(SHARES[role] for role in roles)
        self._shares = np.cumsum([SHARES[role] / total for role in roles])
        self._parents = np.array(skeleton.parents)
        ahead = quaternion.inverse(tpose(skeleton)[1][roles["head"]])
        self._ahead = quaternion.rotate(ahead, np.array([0.0, 0.0, 1.0]))  # of the face, in the head's own axes
        self.targets, self.weights, self.halflife = targets, weights, halflife
        self._turns: np.ndarray | None = None  # (N, 4) rad and rad/s: yaw and pitch that are added

    def reset(self) -> None:
        """Forget where it looked: the next step begins with the animated head."""
        self._turns = None

    def apply(self, pose: Pose, dt: float) -> Sequence[int]:
        count = len(pose.rotations)
        targets = _expand("targets", self.targets, (count, 3))
        weights = np.clip(np.nan_to_num(_expand("weights", self.weights, (count,))), 0.0, 1.0)
        places, turns = pose.global_positions.astype(np.float64), pose.global_rotations.astype(np.float64)
        back = quaternion.inverse(turns[:, 0])
        head = self.joints[-1]
        gaze = _to_angles(quaternion.rotate(back, quaternion.rotate(turns[:, head], self._ahead)))
        away = targets - places[:, head]
        distance = np.linalg.norm(away, axis=-1)
        seen = (distance > MIN_LOOK_DISTANCE) & (distance < MAX_DISTANCE)  # NaN is neither
        wanted = _to_angles(quaternion.rotate(back, np.where(seen[:, None], away, [0.0, 0.0, 1.0])))
        seen &= np.abs(wanted[:, 0]) < BEHIND
        wanted = np.clip(wanted, -MAX_LOOK_ANGLES, MAX_LOOK_ANGLES) - gaze
        wanted[:, 0] = wrap_angle(wanted[:, 0])
        goal = np.where(seen[:, None], wanted * weights[:, None], 0.0)
        before = self._turns
        if before is None or len(before) != count:
            before = np.zeros((count, 4))
        # the goal moves with the animated head: the spring smooths what is added, not the animation
        added, rates = spring(before[:, :2], before[:, 2:], goal, halflife=self.halflife, dt=dt)
        self._turns = np.concatenate([added, rates], axis=-1)
        moved = np.flatnonzero(np.abs(added).max(axis=-1) > 1e-5)
        if not len(moved):
            return []
        self._turn_joints(pose, moved, turns[moved], gaze[moved, 0], added[moved])
        return self.joints

    def _turn_joints(
        self, pose: Pose, moved: np.ndarray, turns: np.ndarray, yaws: np.ndarray, added: np.ndarray
    ) -> None:
        """Each joint takes its share: up or down about the axis through the ears, then about the vertical."""
        root, back = turns[:, 0], quaternion.inverse(turns[:, 0])
        share_before = 0.0
        for joint, share in zip(self.joints, self._shares.tolist()):
            parent = _turn(yaws, share_before * added)
            own = _turn(yaws, share * added)
            parent_rotation = quaternion.multiply(root, quaternion.multiply(parent, back))
            own_rotation = quaternion.multiply(root, quaternion.multiply(own, back))
            above = quaternion.multiply(parent_rotation, turns[:, self._parents[joint]])
            here = quaternion.multiply(own_rotation, turns[:, joint])
            pose.rotations[moved, joint] = quaternion.normalize(quaternion.multiply(quaternion.inverse(above), here))
            share_before = share


def _turn(yaws: np.ndarray, added: np.ndarray) -> np.ndarray:
    """The rotation (M, 4) that adds yaw and pitch (M, 2) to a direction of such a yaw, in the axes of the root."""
    side = np.stack([-np.cos(yaws), 0.0 * yaws, np.sin(yaws)], axis=-1)
    lift = rotation.from_rotation_vector(side * added[:, 1:])
    return quaternion.multiply(rotation.from_rotation_vector(added[:, :1] * [0.0, 1.0, 0.0]), lift)


def _to_angles(directions: np.ndarray) -> np.ndarray:
    """(M, 2) rad: yaw to the left and pitch upwards of directions (M, 3)."""
    yaw = np.arctan2(directions[:, 0], directions[:, 2])
    return np.stack([yaw, np.arctan2(directions[:, 1], np.hypot(directions[:, 0], directions[:, 2]))], axis=-1)


def _expand(name: str, given: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(np.asarray(given, np.float64), shape)
    except (TypeError, ValueError):
        raise KinematchError(f"look: {name} of shape {np.shape(given)}, expected {shape} or {shape[1:]}") from None
