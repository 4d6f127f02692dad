"""The rows of the comparison: a dragged statue, bodies that follow the headset or a network, and the true direction."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinematch.avatar.avatar import SETTINGS, Avatar
from kinematch.avatar.orientation import Direction, DirectionEstimator, Headset, make_estimator
from kinematch.avatar.trackers import Trackers
from kinematch.character.crowd import Ask
from kinematch.character.describe import Motion
from kinematch.character.pose import Pose
from kinematch.character.settings import Settings
from kinematch.control.command import move
from kinematch.evaluate.vr.performance import Method
from kinematch.evaluate.vr.users import Cast
from kinematch.motion.skeleton import Skeleton

OURS, DRAGGED, HEADSET, TRUE = "ours", "dragged", "headset", "true direction"
ONE, FIFTY = "paper, r = 1", "paper, r = 50"
Maker = Callable[[Cast, Motion, float], Method]  # users, what plays, position accuracy in m


class TrueDirection:
    """An estimator that knows the true direction, so only the errors of motion matching remain."""

    def __init__(self, cast: Cast):
        length = max(len(user.yaws) for user in cast.users)
        self._yaws = np.stack([np.pad(user.yaws, (0, length - len(user.yaws)), mode="edge") for user in cast.users])
        self._frame = 0

    def reset(self, count: int, **measures: Any) -> None:
        self._frame = 0

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        yaws = self._yaws[:, min(self._frame, self._yaws.shape[1] - 1)]
        self._frame += 1
        return Direction(yaws, np.zeros(len(yaws)))


class Dragged:
    """A standing body that is dragged along below the head and turns with it, as in many applications (MMVR fig. 4)."""

    def __init__(self, cast: Cast, motion: Motion):
        still = Settings(foot_lock=False, clamp_distance=0.0, adjustment_halflife=0.0, turn_halflife=0.0)
        self._avatar = make_avatar(cast, motion, estimator=Headset(), settings=still)

    @property
    def skeleton(self) -> Skeleton:
        return self._avatar.skeleton

    @property
    def root_positions(self) -> np.ndarray:
        return self._avatar.root_positions

    @property
    def body_yaws(self) -> np.ndarray:
        return self._avatar.body_yaws

    def step(self, devices: Trackers, dt: float) -> Pose:
        """Place the root below the head, and play an idle."""
        trajectory = self._avatar.read_trackers(devices, dt)
        crowd = self._avatar.crowd
        crowd.teleport(trajectory.positions[:, 1], self._avatar.controller.yaws)
        return crowd.step(move(np.zeros((crowd.count, 3))), dt)


def make_avatar(
    cast: Cast, motion: Motion, *, estimator: DirectionEstimator | None, settings: Settings = SETTINGS,
    accuracy: float = 0.1, asks: Sequence[Ask] = (),
) -> Avatar:  # fmt: skip
    """Avatars with the users' own skeletons."""
    return Avatar(
        motion, count=len(cast.users), skeleton=cast.skeleton, calibration=cast.calibration, fit="none",
        accuracy=accuracy, estimator=estimator, settings=settings, asks=asks,
    )  # fmt: skip


def _drive_by(method: str) -> Maker:
    """Avatars that use one method's direction estimates."""

    def make(cast: Cast, motion: Motion, accuracy: float) -> Method:
        estimator = make_estimator(ESTIMATORS[method], len(cast.users))
        return make_avatar(cast, motion, estimator=estimator, accuracy=accuracy)

    return make


ESTIMATORS = {HEADSET: "headset", ONE: "paper-r1-adamw", FIFTY: "paper-r50-adamw", OURS: "recurrent"}  # by method
METHODS: Mapping[str, Maker] = {
    DRAGGED: lambda cast, motion, accuracy: Dragged(cast, motion),
    HEADSET: _drive_by(HEADSET),
    ONE: _drive_by(ONE),
    FIFTY: _drive_by(FIFTY),
    OURS: _drive_by(OURS),
    TRUE: lambda cast, motion, accuracy: make_avatar(cast, motion, estimator=TrueDirection(cast), accuracy=accuracy),
}
