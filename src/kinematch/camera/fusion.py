"""Fusion: body directions of N users from a network on their trackers, corrected by what cameras see of their hips."""

from functools import partial

import numpy as np

from kinematch.avatar.orientation import Direction, DirectionEstimator, make_estimator
from kinematch.avatar.orientation.estimator import HEAD_HEIGHT, check_count, check_measures
from kinematch.avatar.trackers import Trackers
from kinematch.camera.circular_filter import CircularFilter
from kinematch.camera.history import TimedRows
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.observer import Observer, Sighting
from kinematch.camera.projection import FIELD_OF_VIEW
from kinematch.errors import KinematchError
from kinematch.math.angles import wrap_angle

DEVIATION_BY_ERROR = 1.25  # standard deviation by mean absolute error, of a normal distribution
NETWORK_ERROR_FACTOR = 2.4  # times the error that the network expects: of people whom it never saw it knows less
# times a frame's deviation of shoulders, which are seen more clearly than hips
SHOULDER_ERROR_FACTOR = 0.6
MAX_AGE_SECONDS = 1.0  # s after which a picture is too old to say anything


class CameraFusion:
    """An estimator of body directions that also takes landmarks: give it to `Avatar(..., estimator=...)`, and call
    `see` whenever a camera has a new frame. With no camera it is the estimator that it is made of."""

    def __init__(
        self,
        estimator: DirectionEstimator | None = None,
        *,
        count: int = 1,
        field_of_view: float = FIELD_OF_VIEW,
        pitch: float | None = None,
        offset: float | None = None,
    ):
        """`field_of_view` (rad) across the picture; `pitch` (rad, downwards) of the cameras and time `offset` (s) of
        their landmarks, where known."""
        self.estimator = make_estimator(count=count) if estimator is None else estimator
        self._observe = partial(Observer, field_of_view=field_of_view, pitch=pitch, offset=offset)
        self.reset(count)

    def reset(
        self, count: int, *, head_heights: np.ndarray | None = None, arm_lengths: np.ndarray | None = None
    ) -> None:
        """Forget everything and serve this many users, with their measures."""
        self.estimator.reset(count, head_heights=head_heights, arm_lengths=arm_lengths)
        heights = check_measures(head_heights, HEAD_HEIGHT, count, "head heights")
        self.observers = [self._observe(float(height)) for height in heights]
        self.filters = [CircularFilter() for _ in range(count)]
        self.base = Direction(np.zeros(count), np.zeros(count))  # what the trackers alone say
        self.direction = self.base  # what was estimated last
        self._yaws = [TimedRows(2) for _ in range(count)]  # sine and cosine
        self._waiting: list[list[Landmarks]] = [[] for _ in range(count)]
        self._watched = np.zeros(count, bool)  # by a camera: all others cost nothing

    def see(self, landmarks: Landmarks, user: int = 0) -> None:
        """New frames of a user's camera, on the clock of the trackers; each counts once its time has come."""
        if not 0 <= user < len(self.observers):
            raise KinematchError(f"user {user}, expected 0 to {len(self.observers) - 1}")
        self._watched[user] = True
        self._waiting[user] += [landmarks.take(slice(n, n + 1)) for n in range(len(landmarks))]

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """Directions now, from joints and from what cameras have seen since the last call."""
        check_count(joints, len(self.observers))
        self.base = self.estimator.estimate(joints, dt)
        yaws, uncertainties = self.base.yaws.copy(), self.base.uncertainties.copy()
        for user in np.flatnonzero(self._watched).tolist():
            observer, own = self.observers[user], self.filters[user]
            spread = NETWORK_ERROR_FACTOR * float(uncertainties[user])
            observer.track(joints, user)
            self._yaws[user].append(joints.times[user], np.array([np.sin(yaws[user]), np.cos(yaws[user])]))
            waiting, now = self._waiting[user], float(joints.times[user])
            while waiting and waiting[0].times[0] <= now:
                sighting = observer.look(waiting.pop(0))
                if sighting is not None:
                    self._correct(user, sighting, now, spread)
            error, deviation = own.predict(now, spread)
            yaws[user] = wrap_angle(yaws[user] - error)
            uncertainties[user] = min(uncertainties[user], deviation / DEVIATION_BY_ERROR)
        self.direction = Direction(yaws, uncertainties)
        return self.direction

    def _correct(self, user: int, sighting: Sighting, now: float, spread: float) -> None:
        """Compare a sighting with what the trackers said at that moment."""
        if now - sighting.time > MAX_AGE_SECONDS:
            return
        said = np.arctan2(*self._yaws[user].at(sighting.time))
        self.filters[user].observe(
            (float(said - sighting.yaw), float(said - sighting.shoulder_yaw)), min(sighting.time, now), spread=spread,
            observed_spreads=(sighting.deviation, SHOULDER_ERROR_FACTOR * sighting.shoulder_deviation),
        )  # fmt: skip
