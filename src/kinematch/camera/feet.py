"""Feet: where a camera sees the user's own feet, as features of the query, so that the avatar steps with them."""

from typing import Any

import numpy as np

from kinematch.avatar.orientation import Direction
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.observer import Observer
from kinematch.camera.one_euro import OneEuro
from kinematch.database.features import Feature
from kinematch.database.schema import FeatureSchema
from kinematch.math.angles import rotate_about_y

SIDES, KINDS = ("left", "right"), ("position", "velocity")
MIN_VISIBILITY = 0.5  # visibility of feet that are followed
FEET_QUERY_SHARE = 0.7  # of the query that the user's feet decide; the rest are those of the pose that plays
MAX_AGE_SECONDS = 0.4  # s after which seen feet are too old to use
MIN_CUTOFF_HZ, CUTOFF_BY_SPEED = 2.0, 4.0  # Hz, and Hz per m/s: feet move quickly


class FootFusion(CameraFusion):
    """A fusion of one user's trackers and camera that also follows the feet."""

    def reset(self, count: int, **measures: Any) -> None:
        """Forget everything; `count` is one."""
        super().reset(count, **measures)
        self._smoothers = (
            OneEuro(slowest=MIN_CUTOFF_HZ, beta=CUTOFF_BY_SPEED),
            OneEuro(slowest=MIN_CUTOFF_HZ, beta=CUTOFF_BY_SPEED),
        )
        self._feet: tuple[float, np.ndarray, np.ndarray] | None = None  # time (s), places and velocities (2, 3)
        self._last = np.zeros((2, 3))  # m, in the world
        self.query: tuple[np.ndarray, np.ndarray] | None = None  # places and velocities (2, 3) in the body's axes, now

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """Directions as those of CameraFusion; `query` has the feet."""
        before = self.observers[0].sighting
        direction = super().estimate(joints, dt)
        observer, now = self.observers[0], float(joints.times[0])
        if observer.sighting is not None and observer.sighting is not before:
            self._watch(observer)
        self.query = None
        if self._feet is not None and now - self._feet[0] < MAX_AGE_SECONDS:
            time, places, velocities = self._feet
            ahead = places + (now - time) * (velocities - joints.velocities[0, HEAD] * [1, 0, 1])
            yaw = direction.yaws[0]
            self.query = rotate_about_y(ahead, -yaw), rotate_about_y(velocities, -yaw)
        return direction

    def _watch(self, observer: Observer) -> None:
        """Feet in a frame, from the middle of the hips on the ground."""
        assert observer.sighting is not None
        assert observer.body is not None
        time, ankles = observer.sighting.time, observer.ankles
        if observer.visibility[ankles].min() < MIN_VISIBILITY:
            self._feet = None
            return
        world = observer.alignment.pose.to_world(observer.body)
        hips, ankles = world[observer.hips].mean(axis=0) * [1, 0, 1], world[ankles]
        relative = self._smoothers[0].smooth(time, ankles - hips)
        smoothed = self._smoothers[1].smooth(time, ankles)
        velocities = np.zeros((2, 3))
        if self._feet is not None and 0 < time - self._feet[0] < MAX_AGE_SECONDS:
            velocities = (smoothed - self._last) / (time - self._feet[0])
        self._last, self._feet = smoothed, (time, relative, velocities)


class FeetInQueries:
    """Queries with the feet of the user instead of those of the playing pose, where a camera sees them.

    Give it to an avatar of one user: `Avatar(..., estimator=fusion, asks=[FeetInQueries(fusion)])`.
    """

    def __init__(self, fusion: FootFusion, *, share: float = FEET_QUERY_SHARE, scale: float = 1.0):
        """`scale`: m of the user's body for a metre of the motion's."""
        self._fusion, self._share, self._scale = fusion, share, scale

    def __call__(self, queries: np.ndarray, characters: np.ndarray, schema: FeatureSchema) -> np.ndarray:
        """Physical queries (M, D) with the feet where they are seen."""
        if self._fusion.query is None:
            return queries
        changed = np.array(queries, np.float32)
        for kind, values in zip(KINDS, self._fusion.query):
            for side, wanted in zip(SIDES, values / self._scale):
                columns = schema.columns.get(Feature(kind, f"{side}_foot").name)
                if columns is not None:
                    changed[:, columns] += self._share * (wanted - changed[:, columns])
        return changed
