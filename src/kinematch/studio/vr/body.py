"""Bodies of a user: one as the user sees it, near the headset, and one as others see it, with calmer feet."""

import threading
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from kinematch.avatar.avatar import Avatar, Fit
from kinematch.avatar.calibration import Calibration
from kinematch.avatar.levels import tag_heights
from kinematch.avatar.orientation import Direction
from kinematch.avatar.trackers import HEAD, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.camera.fusion import CameraFusion
from kinematch.character.describe import Motion, describe_motion, open_motion
from kinematch.database.feature_database import FeatureDatabase
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton
from kinematch.search import Matcher, WideMatcher
from kinematch.search.space import search_space
from kinematch.studio.session.avatar_mesh import OwnCharacter, fit_skeleton
from kinematch.studio.vr.samples import compile_kernels

OWN_ACCURACY, SEEN_ACCURACY = 0.1, 0.3  # m, position accuracy of one's own body and of those of others (thesis 5.2)
DT = 1 / 90  # s


class Echo:
    """Copies the last report about another body of the same user."""

    def __init__(self, estimator: CameraFusion):
        self._estimator = estimator

    def reset(self, count: int, **measures: np.ndarray | None) -> None:
        """There is nothing to forget."""

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        return self._estimator.direction


@dataclass(frozen=True, eq=False)
class Outfit:
    """What a user's bodies are made of; making one takes a while, so no thread that steps does it."""

    motion: Motion
    name: str  # of the motion
    worn: OwnCharacter | None
    fit: Fit
    version: int  # counts the outfits of a user
    own: Avatar
    seen: Avatar
    fusion: CameraFusion  # where both face

    @property
    def skeleton(self) -> Skeleton:
        """Fitted to the user."""
        return self.own.skeleton

    @property
    def calibration(self) -> Calibration:
        return self.own.calibration

    @property
    def scale(self) -> float:
        """By which the worn character's file is scaled."""
        if self.worn is None:
            return 1.0
        return float(np.linalg.norm(self.skeleton.offsets[1:]) / np.linalg.norm(self.worn.skeleton.offsets[1:]))

    def adjust(self, calibration: Calibration) -> None:
        """Take a calibration of the same height; the bodies move on."""
        for body in (self.own, self.seen):
            body.calibration = replace(calibration, scale=body.calibration.scale)


def make_outfit(
    motion: Any,
    name: str,
    *,
    worn: OwnCharacter | None = None,
    calibration: Calibration,
    fit: Fit = "avatar",
    version: int = 0,
) -> Outfit:
    """Bodies that are ready to be stepped: what the first step compiles is compiled here.

    `motion`: a database, a model or a motion source. Both bodies share the source that a model makes.
    """
    opened = tag_heights(open_motion(motion))
    skeleton = None if worn is None else fit_skeleton(worn, describe_motion(opened).skeleton)[0]
    if type(opened) not in _compiled:  # models have kernels of their own
        compile_kernels()
        Avatar(opened, calibration=calibration).step(_stand(calibration), DT)
        _compiled.add(type(opened))
    fusion = CameraFusion()
    own, seen = (
        Avatar(
            opened, skeleton=skeleton, calibration=calibration, fit=fit, accuracy=accuracy, estimator=estimator,
            matcher=_find_matcher,
        )
        for accuracy, estimator in ((OWN_ACCURACY, fusion), (SEEN_ACCURACY, Echo(fusion)))
    )  # fmt: skip
    return Outfit(motion, name, worn, fit, version, own, seen, fusion)


_compiled: set[type] = set()
_making = threading.Lock()
_matchers: WeakKeyDictionary[FeatureDatabase, Matcher] = WeakKeyDictionary()


def _find_matcher(database: Database) -> Matcher:
    """One search for all bodies of a database: the room steps them one after another."""
    features = database.features
    with _making:  # users that enter together wait for one search, instead of making one each
        if features not in _matchers:
            _matchers[features] = WideMatcher(search_space(database))
        return _matchers[features]


def _stand(calibration: Calibration) -> Trackers:
    """The devices of a user who stands with arms that hang down."""
    height = calibration.height
    positions, valid = np.zeros((1, len(POINTS), 3)), np.zeros((1, len(POINTS)), bool)
    positions[0, HEAD, 1] = calibration.head_height
    positions[0, [LEFT_HAND, RIGHT_HAND]] = [[0.14 * height, 0.45 * height, 0.0], [-0.14 * height, 0.45 * height, 0.0]]
    valid[:, [HEAD, LEFT_HAND, RIGHT_HAND]] = True
    still = np.zeros((1, len(POINTS), 3))
    joints = Trackers(np.zeros(1), positions, quaternion.identity((1, len(POINTS))), still, still, valid)
    return calibration.place_devices(joints)
