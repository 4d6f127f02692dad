"""ReachLayer: a hand reaches for a point in the world, on top of whatever the character is doing."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinematch.character.pose import Pose
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion
from kinematch.math.spring import spring
from kinematch.motion.inverse_kinematics import find_hinge, solve_two_joints
from kinematch.motion.skeleton import Skeleton

HANDS = ("left_hand", "right_hand")
REACH = (1.0, 1.2)  # arm lengths from the shoulder: up to the first it reaches fully, beyond the second not at all
SIDE = np.radians(35)  # by which the middle of the comfortable directions points outwards from straight ahead
CONE = (np.radians(85), np.radians(115))  # from that middle: up to the first it reaches fully, beyond the second not
MAX_DISTANCE = 1e3  # m from the root; in place of targets farther away, and of those that are no place at all
TARGET_SPEED = 5.0  # m/s; a target that moves faster has jumped, and the hand glides to its new place


class Hands(NamedTuple):
    """The state of N hands between steps."""

    weights: np.ndarray  # (N, 2) how much each reaches, 0 to 1, and the rate per second
    targets: np.ndarray  # (N, 3) m in the root's axes, the last within reach; NaN before the first
    offsets: np.ndarray  # (N, 6) m and m/s, from the target to the point that the hand is led to


class ReachLayer:
    """A layer that moves one arm so that the hand reaches a point in the world, while the body goes on as it does.

    Set `targets`, (3,) or (N, 3) in metres in the world, and `weights`, one or (N,) from 0 to 1, at any time; a target
    of NaN lets the arm go. The arm eases in and out with `halflife` (s): when a target appears or disappears, when it
    comes within reach or leaves it, and when it passes behind the body; it glides from one target to the next. The hand
    keeps its angle to the forearm. `reset` forgets what the arms did: call it after restoring the state of a crowd.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        hand: str = "left_hand",
        targets: ArrayLike = np.nan,
        weights: ArrayLike = 1.0,
        *,
        halflife: float = 0.15,
    ):
        """`skeleton` is the crowd's; `hand` is "left_hand" or "right_hand"."""
        if hand not in HANDS:
            raise KinematchError(unknown("hand", str(hand), HANDS))
        if not 0 <= halflife < np.inf:
            raise KinematchError(f"a half-life of {halflife} s, expected 0 or more")
        side = hand.removesuffix("_hand")
        roles = [f"{side}_upper_arm", f"{side}_lower_arm", hand]
        missing = [role for role in roles if role not in skeleton.roles]
        if missing:
            raise KinematchError(
                f"the skeleton has no {', '.join(missing)}; a hand reaches with three joints of an arm"
            )
        upper, middle, end = (skeleton.roles[role] for role in roles)
        self.chain, self.parents = (upper, middle, end), np.array(skeleton.parents)
        self.hinge = find_hinge(skeleton, roles[0])
        self.targets, self.weights, self.halflife = targets, weights, halflife
        outward = SIDE if side == "left" else -SIDE  # +X is the character's left
        self._ahead = np.array([np.sin(outward), 0.0, np.cos(outward)])
        self._hands: Hands | None = None

    def reset(self) -> None:
        """Forget what the arms did: they begin to reach again with the next step."""
        self._hands = None

    def apply(self, pose: Pose, dt: float) -> Sequence[int]:
        count = len(pose.rotations)
        targets = self.find_points(pose)
        weights = np.clip(np.nan_to_num(_expand("weights", self.weights, (count,))), 0.0, 1.0)
        roots, turns = pose.global_positions[:, 0].astype(np.float64), pose.global_rotations[:, 0].astype(np.float64)
        before = self._hands
        if before is None or len(before.weights) != count:
            before = Hands(np.zeros((count, 2)), np.full((count, 3), np.nan), np.zeros((count, 6)))
        usable: np.ndarray = np.all(np.abs(targets - roots) < MAX_DISTANCE, axis=-1)  # neither NaN nor infinite
        local = quaternion.rotate(quaternion.inverse(turns), np.where(usable[:, None], targets - roots, MAX_DISTANCE))
        self._hands = self._move_hands(before, local, weights, pose, dt)
        points = roots + quaternion.rotate(turns, self._hands.targets + self._hands.offsets[:, :3])
        shares = np.clip(self._hands.weights[:, 0], 0.0, 1.0)
        moved = np.flatnonzero((shares > 0) & np.isfinite(points).all(axis=-1))
        if not len(moved):
            return []
        pose.rotations[moved[:, None], list(self.chain)] = solve_two_joints(
            pose.global_positions[moved], pose.global_rotations[moved], self.parents,
            chain=self.chain, targets=points[moved], hinge=self.hinge, weights=shares[moved],
        )  # fmt: skip
        return self.chain

    def find_points(self, pose: Pose) -> np.ndarray:
        """(N, 3) m in the world, where hands are to be; NaN for nowhere."""
        return _expand("targets", self.targets, (len(pose.rotations), 3))

    def _move_hands(self, hands: Hands, targets: np.ndarray, weights: np.ndarray, pose: Pose, dt: float) -> Hands:
        """Ease weights and offsets on by dt towards targets (N, 3) in the root's axes and weights (N,)."""
        ease = self._measure_ease(targets, pose)
        given, known = ease > 0, np.isfinite(hands.targets).all(axis=-1)
        # a hand at rest begins at its new target; one that reaches glides there; what is out of reach is not followed
        steps = np.where((given & known)[:, None], hands.targets - targets, 0.0)
        jumped = np.linalg.norm(steps, axis=-1) > TARGET_SPEED * max(dt, 1e-3)
        offsets = hands.offsets.copy()
        offsets[:, :3] += np.where(jumped[:, None], steps, 0.0)
        offsets[hands.weights[:, 0] <= 0] = 0.0
        places, rates = spring(offsets[:, :3], offsets[:, 3:], 0.0, halflife=self.halflife, dt=dt)
        targets = np.where(given[:, None], targets, hands.targets)
        goals = weights * ease
        shares, speeds = spring(hands.weights[:, 0], hands.weights[:, 1], goals, halflife=self.halflife, dt=dt)
        asleep = (goals == 0) & (shares < 1e-3)  # below a millimetre at arm's length
        shares, speeds = np.where(asleep, 0.0, shares), np.where(asleep, 0.0, speeds)
        return Hands(np.stack([shares, speeds], axis=-1), targets, np.concatenate([places, rates], axis=-1))

    def _measure_ease(self, targets: np.ndarray, pose: Pose) -> np.ndarray:
        """How well arms (N,) can reach targets (N, 3) in the root's axes: 1 within reach, 0 too far or behind."""
        upper, middle, end = (pose.global_positions[:, joint].astype(np.float64) for joint in self.chain)
        length = np.linalg.norm(middle - upper, axis=-1) + np.linalg.norm(end - middle, axis=-1)
        back = quaternion.inverse(pose.global_rotations[:, 0].astype(np.float64))
        away = targets - quaternion.rotate(back, upper - pose.global_positions[:, 0])
        distance = np.linalg.norm(away, axis=-1)
        angle = np.arccos(np.clip((away @ self._ahead) / np.maximum(distance, 1e-9), -1.0, 1.0))
        return _fade(distance / length, *REACH) * _fade(angle, *CONE)


def _fade(values: np.ndarray, full: float, none: float) -> np.ndarray:
    """1 up to `full`, 0 from `none` on, smooth between."""
    t = np.clip((none - values) / (none - full), 0.0, 1.0)
    return t * t * (3 - 2 * t)


def _expand(name: str, given: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(np.asarray(given, np.float64), shape)
    except (TypeError, ValueError):
        raise KinematchError(f"reach: {name} of shape {np.shape(given)}, expected {shape} or {shape[1:]}") from None
