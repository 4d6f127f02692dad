"""Experiments of the camera work: what drives the body, with its alignment of single frames and MMVR's network."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.avatar.orientation import Direction, DirectionEstimator, Headset, make_estimator
from kinematch.avatar.trackers import HANDS, HEAD, Trackers
from kinematch.camera.direction import find_direction
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.pose import CameraPose
from kinematch.camera.simulate import FACE_OFFSETS
from kinematch.character.describe import open_motion
from kinematch.evaluate.camera.evaluation import watch_cast
from kinematch.evaluate.camera.measures import TURNS, find_spikes
from kinematch.evaluate.camera.methods import HALFLIFE
from kinematch.evaluate.camera.places import place_camera
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.vr.measures import WARM_UP, find_hips_errors
from kinematch.evaluate.vr.methods import ESTIMATORS as NETWORKS
from kinematch.evaluate.vr.methods import FIFTY, TrueDirection, make_avatar
from kinematch.evaluate.vr.performance import Performance, perform
from kinematch.evaluate.vr.users import Cast
from kinematch.math import quaternion
from kinematch.math.angles import wrap_angle

POINTS = ("nose", "left_wrist", "right_wrist")
ACCURACY = 0.3  # m
PLACE, ROOM = "front", 1.5  # where the camera stands; m that built-in users go from where they start
DRIVERS = ("network", "camera", "truth", "recurrent", "fused")
# as charts name them
SHOWN = {
    "network": "network", "camera": "camera", "truth": "truth", "recurrent": "our network", "fused": "our fusion",
}  # fmt: skip
PRINTED = {"network": 28.9, "camera": 16.7, "truth": 13.3}  # degrees, figures 2 and 3


class SingleFrameCamera:
    """The work's own alignment: of each picture by itself, with the pitch known, and the hips that it sees, smoothed.

    Yaw and place come from nose and wrists by least squares; nothing is remembered but the smoothed direction.
    """

    def __init__(self, pitches: Sequence[float]):
        self._pitches, self._headset = pitches, Headset(len(pitches))
        self.reset(len(pitches))

    def reset(self, count: int, **measures: Any) -> None:
        self._headset.reset(count)
        self._landmarks: list[Landmarks | None] = [None] * count
        self._used = np.full(count, -1)  # the picture that was read last
        self._seen, self._yaws = np.full((2, count), np.nan)  # its direction, and the smoothed one
        self._clock = 0.0

    def see(self, landmarks: Landmarks, user: int = 0) -> None:
        """All pictures of a user's camera; each counts once its time has come."""
        self._landmarks[user] = landmarks

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        base, share = self._headset.estimate(joints, dt).yaws, 1 - 0.5 ** (dt / HALFLIFE)
        for user, landmarks in enumerate(self._landmarks):
            if landmarks is None:
                continue
            latest = int(np.searchsorted(landmarks.times, self._clock, side="right")) - 1
            if latest > self._used[user]:
                self._used[user], found = latest, self._read(landmarks, latest, joints, user)
                self._seen[user] = self._seen[user] if found is None else found
            before = self._yaws[user] if np.isfinite(self._yaws[user]) else self._seen[user]
            self._yaws[user] = before + share * wrap_angle(np.asarray(self._seen[user] - before))
        self._clock += dt
        yaws = np.where(np.isnan(self._yaws), base, self._yaws)
        return Direction(wrap_angle(yaws), np.full(len(yaws), np.radians(9)))

    def _read(self, landmarks: Landmarks, picture: int, joints: Trackers, user: int) -> float | None:
        """The hips' direction by one picture, whatever is hidden in it; None without a person in it."""
        needed = landmarks.find((*POINTS, "left_hip", "right_hip"))
        if not landmarks.seen[picture]:
            return None
        places = landmarks.places[picture, needed]
        nose = joints.positions[user, HEAD] + quaternion.rotate(
            joints.rotations[user, HEAD], np.array(FACE_OFFSETS["nose"])
        )
        truth = np.stack([nose, *(joints.positions[user, hand] for hand in HANDS)])
        level = CameraPose(pitch=self._pitches[user])
        yaw = align_yaw(level.level(places[:3]), truth)
        return find_direction(places[3], places[4], CameraPose(yaw=yaw, pitch=self._pitches[user]))


def align_yaw(seen: np.ndarray, truth: np.ndarray) -> float:
    """The turn about +Y (rad) that brings points (K, 3) nearest to others on the ground (Kabsch in two dimensions)."""
    a, b = ((points - points.mean(axis=0))[:, [0, 2]] for points in (seen, truth))
    # +Y takes +Z to +X: x' = c x + s z, z' = c z - s x
    return float(np.arctan2((a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1]).sum(), (a * b).sum()))


def measure_camera(material: Material) -> Result:
    """Figures 2 and 3: errors of the shown hips by what drives the body."""
    casts, data = cast_before_camera(material)
    opened = open_motion(material.locomotion.what)
    landmarks = [watch_cast(cast, PLACE, seed=material.seed) for cast in casts]
    shown: dict[str, list[Performance]] = {}
    for number, driver in enumerate(DRIVERS):
        material.progress(f"camera: {driver}", number, len(DRIVERS))
        shown[driver] = []
        for cast, own in zip(casts, landmarks):
            estimator = make_driver(driver, cast)
            avatar = make_avatar(cast, opened, estimator=estimator, accuracy=ACCURACY)
            if isinstance(estimator, SingleFrameCamera | CameraFusion):
                for user, one in enumerate(own):
                    estimator.see(one, user)
            shown[driver] += perform(cast, avatar)[0]
    values: dict[str, float] = {}
    for driver, performances in shown.items():
        values |= measure_hips(driver, performances)
    values["turning_ratio"] = values["camera_turning"] / values["network_turning"]
    worst = int(np.argmax([np.abs(find_hips_errors(each)).mean() for each in shown["network"]]))
    lines = {SHOWN[driver]: trace_errors(shown[driver][worst]) for driver in ("network", "camera", "fused")}
    truth = {"truth": trace_errors(shown["truth"][worst])}
    bars = {
        "Fletcher et al.": [PRINTED.get(driver, np.nan) for driver in DRIVERS],
        "here": [values[driver] for driver in DRIVERS],
    }
    charts = (
        Chart("camera", "Mean error of the shown hips", "", "degrees", groups=list(SHOWN.values()), bars=bars),
        Chart("camera-figure2", "Figure 2: one user, by what drives the body", "s", "degrees", lines),
        Chart("camera-figure3", "Figure 3: driven by the truth", "s", "degrees", truth),
    )
    note = "landmarks are simulated, with the noise and delay that docs/camera.md describes"
    return Result(values, data, False, "kinematch evaluate camera", charts, notes=(note,))


def cast_before_camera(material: Material) -> tuple[list[Cast], str]:
    """Recorded people, or built-in ones who stay in a room, with simulated cameras in front."""
    if material.files and (material.clips or material.takes):
        return material.casts.what, f"{material.locomotion.data}; {material.casts.data}, before simulated cameras"
    options = {"longest": material.effort.user_seconds, "seed": material.seed}
    cast = material.make_built_in_cast(room=ROOM, **options)
    return [cast], f"{material.locomotion.data}; {len(cast.users)} built-in walkers in a room, before simulated cameras"


def make_driver(driver: str, cast: Cast) -> DirectionEstimator:
    count = len(cast.users)
    if driver == "camera":
        return SingleFrameCamera([place_camera(user, PLACE).pitch for user in cast.users])
    if driver == "truth":
        return TrueDirection(cast)
    if driver == "fused":
        return CameraFusion(count=count)
    return make_estimator(NETWORKS[FIFTY] if driver == "network" else "recurrent", count)


def measure_hips(driver: str, performances: Sequence[Performance]) -> dict[str, float]:
    """Mean error of the shown hips in degrees, while turning, and the share of the time in long spikes, in %."""
    errors, turning, long = [], [], []
    for one in performances:
        start, own = round(WARM_UP * one.user.rate), np.abs(find_hips_errors(one))
        spikes = np.zeros(len(own), bool)
        for spike in find_spikes(own, one.user.rate):
            spikes[spike] = True
        errors.append(own[start:])
        turning.append((np.abs(np.gradient(one.user.yaws, 1 / one.user.rate)) > TURNS)[start:])
        long.append(spikes[start:])
    all_errors, turns, all_long = (np.concatenate(part) for part in (errors, turning, long))
    return {
        driver: float(all_errors.mean()), f"{driver}_long": float(100 * all_long.mean()),
        f"{driver}_turning": float(all_errors[turns].mean()) if turns.any() else float("nan"),
    }  # fmt: skip


def trace_errors(one: Performance) -> tuple[list[float], list[float]]:
    errors = np.abs(find_hips_errors(one))[::6]  # ten a second
    return (6 * np.arange(len(errors)) / one.user.rate).tolist(), errors.tolist()


EXPERIMENTS = (Experiment("camera", "What drives the body before a camera", measure_camera),)
