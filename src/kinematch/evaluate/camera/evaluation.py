"""One evaluation of camera fusion: every source of the body's direction, for several places of the camera."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinematch.camera.feet import FeetInQueries, FootFusion
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.simulate import Noise, simulate_camera
from kinematch.character.describe import Motion, open_motion
from kinematch.evaluate.camera.measures import CameraPoseError, find_seen, measure_source
from kinematch.evaluate.camera.methods import ESTIMATORS, FEET, SEEING, TRUE, show_landmarks
from kinematch.evaluate.camera.places import PLACES, place_camera
from kinematch.evaluate.vr.methods import make_avatar
from kinematch.evaluate.vr.performance import Performance, perform
from kinematch.evaluate.vr.users import Cast
from kinematch.math.angles import wrap_angle

ACCURACY = 0.1  # m, of one's own avatar
SETTLED = 5.0  # s after which the camera's pose is judged
ORDINARY = 0.5  # m that a head moves in that time, at least
Progress = Callable[[str, int, int], None]
Row = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class CameraEvaluation:
    casts: tuple[Cast, ...]
    rows: Mapping[tuple[str, str], Row]  # by place and source
    alignments: Mapping[str, tuple[CameraPoseError, ...]]  # by place, of users who moved
    performances: Mapping[tuple[str, str], tuple[Performance, ...]]


def evaluate_camera(
    motion: Any, casts: Sequence[Cast], *, places: Sequence[str] = tuple(PLACES), noise: Noise | None = None,
    seed: int = 0, progress: Progress | None = None,
) -> CameraEvaluation:  # fmt: skip
    """Put all sources to all users before cameras at all places; `motion`: a database, a model or a motion source."""
    tell, opened = progress or (lambda what, done, total: None), open_motion(motion)
    rows: dict[tuple[str, str], Row] = {}
    shown: dict[tuple[str, str], tuple[Performance, ...]] = {}
    alignments: dict[str, tuple[CameraPoseError, ...]] = {}
    blind: dict[str, tuple[Performance, ...]] = {}
    for number, place in enumerate(places):
        landmarks = [watch_cast(cast, place, noise=noise, seed=seed) for cast in casts]
        seen = [find_seen(user, one) for cast, own in zip(casts, landmarks) for user, one in zip(cast.users, own)]
        for source in ESTIMATORS:
            tell(f"{place}, {source}", number, len(places))
            if source not in SEEING and source in blind:
                made = blind[source]
            else:
                made = run_source(source, opened, casts, landmarks)
            if source not in SEEING:
                blind[source] = made
            shown[place, source] = made
        truth = shown[place, TRUE]
        for source in ESTIMATORS:
            rows[place, source] = measure_source(shown[place, source], seen, truth)
        found = [measure_alignments(cast, own, place) for cast, own in zip(casts, landmarks)]
        alignments[place] = tuple(one for group in found for one in group)
    return CameraEvaluation(tuple(casts), rows, alignments, shown)


def watch_cast(cast: Cast, place: str, *, noise: Noise | None = None, seed: int = 0) -> list[Landmarks]:
    """What cameras at a place see of users."""
    return [
        simulate_camera(
            user.clip, place_camera(user, place), np.random.default_rng([seed, number]), noise=noise,
            head_rotations=user.joints.rotations[:, 0],
        )
        for number, user in enumerate(cast.users)
    ]  # fmt: skip


def run_source(
    source: str, motion: Motion, casts: Sequence[Cast], landmarks: Sequence[Sequence[Landmarks]]
) -> tuple[Performance, ...]:
    """What avatars do whose directions come from a source."""
    made: list[Performance] = []
    pairs: list[tuple[Cast, Sequence[Landmarks]]] = list(zip(casts, landmarks))
    if source == FEET:  # which follow one user each
        pairs = [(replace(cast, users=(user,)), (one,)) for cast, own in pairs for user, one in zip(cast.users, own)]
    for cast, own in pairs:
        estimator = ESTIMATORS[source](cast)
        asks = [FeetInQueries(estimator)] if isinstance(estimator, FootFusion) else []
        avatar = make_avatar(cast, motion, estimator=estimator, accuracy=ACCURACY, asks=asks)
        show_landmarks(estimator, own)
        made += perform(cast, avatar)[0]
    return tuple(made)


def measure_alignments(cast: Cast, landmarks: Sequence[Landmarks], place: str) -> list[CameraPoseError]:
    """How far the cameras' poses and time offsets are off after some seconds, of users who moved about."""
    found = []
    for user, own in zip(cast.users, landmarks):
        joints = cast.calibration.locate_joints(user.devices)
        count = min(len(joints), round(SETTLED * user.rate))
        if np.linalg.norm(np.ptp(joints.positions[:count, 0], axis=0)) < ORDINARY:
            continue
        fusion, camera = CameraFusion(), place_camera(user, place)
        fusion.reset(1, head_heights=np.array([cast.calibration.head_height]))
        fusion.see(own)
        for frame in range(count):
            fusion.estimate(joints.take(slice(frame, frame + 1)), 1 / user.rate)
        observer = fusion.observers[0]
        pose = observer.alignment.pose
        gap = np.inf if pose.position is None else float(np.linalg.norm(pose.position - np.array(camera.position)))
        yaw = float(np.degrees(np.abs(wrap_angle(np.asarray(pose.yaw - camera.yaw)))))
        late = abs(observer.offset.seconds - camera.lag)
        found.append(CameraPoseError(user.name, yaw, 100 * gap, 1000 * late))
    return found
