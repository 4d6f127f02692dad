"""UpperBody: the layer that puts head and wrists exactly where they are tracked."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, POINTS, Trackers
from kinematch.avatar.upper_body.kernels.constants import RAMP_SECONDS
from kinematch.avatar.upper_body.kernels.solve import solve_bodies, solve_legs
from kinematch.avatar.upper_body.kernels.tracking import take_points
from kinematch.avatar.upper_body.plan import make_plan
from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.motion.clean.root import with_root
from kinematch.motion.skeleton import Skeleton

NO_FINGERS = np.zeros((0, len(HANDS), FINGER_JOINTS, 3))


class Tracked(NamedTuple):
    """Input of the solver for N users, in the order of POINTS."""

    positions: np.ndarray  # (N, 7, 3) m; the last known ones of a point that is lost
    rotations: np.ndarray  # (N, 7, 4) since the T-pose
    valid: np.ndarray  # (N, 7) bool
    shares: np.ndarray  # (N, 7) of the animated pose that each point has taken over, 0 to 1
    fingers: np.ndarray  # (N, 2, 25, 3) m
    finger_valid: np.ndarray  # (N, 2) bool
    finger_shares: np.ndarray  # (N, 2)


class SolverState(NamedTuple):
    """What the solver remembers of N users from step to step."""

    yaws: np.ndarray  # (N,) rad of the chest against the hips; NaN before the first step
    necks: np.ndarray  # (N, 4) turn of the head against the hips that the neck follows
    follows: np.ndarray  # (N, 3) m that the pelvis goes after the head, along the ground
    postures: np.ndarray  # (N, 3) m that it stays behind the head, for a trunk that leans
    uprights: np.ndarray  # (N, 3) rad, by which trunks stand up that are animated too bent
    leans: np.ndarray  # (N, 3) m, by which the head's place above the pelvis is corrected
    poles: np.ndarray  # (N, 2, 3) on which side of the arm each elbow is, in the chest's axes; zero before
    knees: np.ndarray  # (N, 2, 3) the same of knees, in the pelvis' axes
    arms: np.ndarray  # (N, M, 4) local turns of the arms' joints when they were last tracked
    fingers: np.ndarray  # (N, F, 4) and of fingers
    pelvises: np.ndarray  # (N, 3) m, where they were placed in this step


class LocalPose(NamedTuple):
    """The arrays of a pose that the solver reads and writes."""

    positions: np.ndarray
    rotations: np.ndarray
    global_positions: np.ndarray
    global_rotations: np.ndarray


class UpperBody:
    """A layer that puts head and wrists exactly where they are tracked, and bends the body between them.

    Set `joints`, the tracked joints of N users in the avatar's own size and space, before each step. The spine bends
    between hips and head; where it would bend too far, the pelvis follows, and knees bend so that the feet stay where
    the animation has them. A point that is lost hands its part of the body back to the animation within `RAMP`
    seconds, and takes it again. Fingers follow `joints.fingers` where the skeleton has them.

    `leans` (N,) rad is how far each trunk leans from upright.
    """

    def __init__(self, skeleton: Skeleton, count: int = 1):
        """`skeleton` is the crowd's; one without a ground root gets the same that a crowd gives it."""
        self.plan, self.count = make_plan(skeleton if "root" in skeleton.roles else with_root(skeleton)), count
        self._changed = np.concatenate([self.plan.changed, self.plan.fingers[:, 0]])
        self.joints: Trackers | None = None
        self.reset()

    def reset(self) -> None:
        """Forget the past of the bodies: the next step follows the trackers at once."""
        count, points = self.count, len(POINTS)
        self.leans = np.zeros(count)
        turn = [1.0, 0.0, 0.0, 0.0]
        self._tracked = Tracked(
            np.zeros((count, points, 3)), np.tile(turn, (count, points, 1)), np.zeros((count, points), bool),
            np.zeros((count, points)), np.zeros((count, 2, FINGER_JOINTS, 3)), np.zeros((count, 2), bool),
            np.zeros((count, 2)),
        )  # fmt: skip
        self._weights = np.full((count, points + 2), np.nan)  # of points and hands' fingers, linear in time
        self._memory = SolverState(
            yaws=np.full(count, np.nan), necks=np.tile(turn, (count, 1)),
            follows=np.zeros((count, 3)), postures=np.zeros((count, 3)), uprights=np.zeros((count, 3)),
            leans=np.zeros((count, 3)), poles=np.zeros((count, 2, 3)), knees=np.zeros((count, 2, 3)),
            arms=np.tile(turn, (count, len(self.plan.arm_joints), 1)),
            fingers=np.tile(turn, (count, len(self.plan.fingers), 1)), pelvises=np.zeros((count, 3)),
        )  # fmt: skip

    def apply(self, pose: Pose, dt: float) -> Sequence[int] | np.ndarray:
        if self.joints is None:
            return []
        if len(self.joints) != self.count or len(pose.rotations) != self.count:
            raise KinematchError(
                f"upper body: trackers of {len(self.joints)} users and {len(pose.rotations)} characters, expected "
                f"{self.count} of both"
            )
        self._take_trackers(self.joints, dt)
        solve_bodies(self.plan, _take_arrays(pose), self._tracked, self._memory, self.leans, dt)
        return self._changed

    def finish(self, pose: Pose, dt: float) -> Sequence[int] | np.ndarray:
        """The feet are planted: the pelvis goes below the head, and knees bend between them."""
        if self.joints is None:
            return []
        solve_legs(self.plan, _take_arrays(pose), self._tracked, self._memory, dt)
        return self._changed

    def _take_trackers(self, joints: Trackers, dt: float) -> None:
        """Move on which points have taken over, and remember where they were last seen."""
        fingers = joints.fingers if joints.fingers is not None and len(self.plan.fingers) else NO_FINGERS
        take_points(
            joints.positions, joints.rotations, joints.valid, fingers, self._weights, dt / RAMP_SECONDS, self._tracked
        )


def _take_arrays(pose: Pose) -> LocalPose:
    return LocalPose(pose.positions, pose.rotations, pose.global_positions, pose.global_rotations)
