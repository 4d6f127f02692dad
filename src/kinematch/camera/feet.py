"""Feet: where a camera sees the user's own feet, as features of the query, so that the avatar steps with them."""

import numpy as np

from kinematch.avatar.orientation import Direction
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.observer import Observer
from kinematch.camera.one_euro import OneEuro
from kinematch.database.features import Feature
from kinematch.database.storage import Database
from kinematch.math.angles import rotate_about_y
from kinematch.search import Matches, WideMatcher
from kinematch.search.matcher import IGNORE
from kinematch.search.space import search_space

SIDES = ("left", "right")
SEEN = 0.5  # visibility of feet that are followed
SHARE = 0.7  # of the query that the user's feet decide; the rest are those of the pose that plays
OLDEST = 0.4  # s after which a sighting says nothing of the feet any more
SLOWEST, BETA = 2.0, 4.0  # Hz, and Hz per m/s: feet move quickly


class FootFusion(CameraFusion):
    """A fusion of one user's trackers and camera that follows the feet besides."""

    def reset(self, count: int, **measures) -> None:
        """Forget everything; `count` is one."""
        super().reset(count, **measures)
        self._smoothers = OneEuro(slowest=SLOWEST, beta=BETA), OneEuro(slowest=SLOWEST, beta=BETA)
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
        if self._feet is not None and now - self._feet[0] < OLDEST:
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
        if observer.visibility[ankles].min() < SEEN:
            self._feet = None
            return
        world = observer.alignment.pose.to_world(observer.body)
        hips, ankles = world[observer.hips].mean(axis=0) * [1, 0, 1], world[ankles]
        relative = self._smoothers[0].smooth(time, ankles - hips)
        smoothed = self._smoothers[1].smooth(time, ankles)
        velocities = np.zeros((2, 3))
        if self._feet is not None and 0 < time - self._feet[0] < OLDEST:
            velocities = (smoothed - self._last) / (time - self._feet[0])
        self._last, self._feet = smoothed, (time, relative, velocities)


class FootMatcher:
    """A search whose queries have the feet of the user instead of those of the playing pose, where they are seen.

    Give it to an avatar of one user: `Avatar(..., estimator=fusion, matcher=lambda one: FootMatcher(one, fusion))`.
    """

    def __init__(self, database: Database, fusion: FootFusion, *, share: float = SHARE, scale: float = 1.0):
        """`scale`: m of the user's body for a metre of the database's."""
        self._inner, self._fusion, self._share, self._scale = WideMatcher(search_space(database)), fusion, share, scale
        self.space = self._inner.space
        features, columns = database.features, database.features.schema.columns
        self._offset, self._unit = features.offset, features.scale
        self._columns = {
            (kind, side): columns[Feature(kind, f"{side}_foot").name]
            for kind in ("position", "velocity") for side in SIDES
            if Feature(kind, f"{side}_foot").name in columns
        }  # fmt: skip

    @property
    def weights(self) -> np.ndarray:
        return self._inner.weights

    def set_weights(self, weights: np.ndarray) -> None:
        """Pass on other weights."""
        self._inner.set_weights(weights)

    def find(
        self, queries: np.ndarray, current: np.ndarray | None = None, *, filter: str = "", stay_bias: float = 0.0,
        ignore: int = IGNORE,
    ) -> Matches:  # fmt: skip
        """The best frames for queries with the user's own feet."""
        return self._inner.find(self.put_feet(queries), current, filter=filter, stay_bias=stay_bias, ignore=ignore)

    def put_feet(self, queries: np.ndarray) -> np.ndarray:
        """Normalised queries (N, D), with the feet where they are seen."""
        if self._fusion.query is None:
            return queries
        changed = np.array(queries, np.float32)
        for (kind, side), columns in self._columns.items():
            wanted = self._fusion.query[kind == "velocity"][SIDES.index(side)] / self._scale
            own = (wanted - self._offset[columns]) / self._unit[columns]
            changed[:, columns] += self._share * (own - changed[:, columns])
        return changed
