"""What drives the bodies that are compared: the headset, the network, the camera alone, both fused, or the truth."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinematch.avatar.orientation import Direction, DirectionEstimator, Headset, make_estimator
from kinematch.avatar.trackers import Trackers
from kinematch.camera.direction import find_direction
from kinematch.camera.feet import FootFusion
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.landmarks import Landmarks
from kinematch.evaluate.vr.methods import TrueDirection
from kinematch.evaluate.vr.users import Cast
from kinematch.math.angles import wrap_angle

HEADSET, NETWORK, CAMERA, FUSED, FEET, TRUE = "headset", "network", "camera", "fused", "fused, feet", "true"
HALFLIFE = 0.1  # s, by which the source work smooths the direction of the hips


class CameraAlone:
    """The direction that the camera saw last, smoothed and as late as it is, as the source work feeds it; the headset's
    until there is one. The alignment is ours."""

    def __init__(self, count: int):
        self._fusion = CameraFusion(Headset(count), count=count)

    def reset(self, count: int, **measures: Any) -> None:
        self._fusion.reset(count, **measures)
        self._yaws = np.full(count, np.nan)

    def see(self, landmarks: Landmarks, user: int = 0) -> None:
        """Landmarks of a user's camera."""
        self._fusion.see(landmarks, user)

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        self._fusion.estimate(joints, dt)
        share = 1 - 0.5 ** (dt / HALFLIFE)
        for user, observer in enumerate(self._fusion.observers):
            if observer.sighting is not None and observer.body is not None:
                left, right = observer.body[observer.hips]
                before, new = self._yaws[user], find_direction(left, right, observer.alignment.pose)
                step = wrap_angle(np.asarray(new - before))
                self._yaws[user] = new if np.isnan(before) else before + share * step
        known = ~np.isnan(self._yaws)
        yaws = np.where(known, self._yaws, self._fusion.base.yaws)
        return Direction(wrap_angle(yaws), np.full(len(yaws), np.radians(9)))


ESTIMATORS: Mapping[str, Callable[[Cast], DirectionEstimator]] = {
    HEADSET: lambda cast: Headset(len(cast.users)),
    NETWORK: lambda cast: make_estimator(count=len(cast.users)),
    CAMERA: lambda cast: CameraAlone(len(cast.users)),
    FUSED: lambda cast: CameraFusion(count=len(cast.users)),
    FEET: lambda cast: FootFusion(),
    TRUE: TrueDirection,
}
SEEING = (CAMERA, FUSED, FEET)  # those that need a camera


def show_landmarks(estimator: DirectionEstimator, landmarks: Sequence[Landmarks]) -> None:
    """Give all users' landmarks to an estimator that takes them; each frame counts when its time has come."""
    if isinstance(estimator, CameraAlone | CameraFusion):
        for user, one in enumerate(landmarks):
            estimator.see(one, user)
