"""Observer: one user before one camera; each frame of landmarks becomes a direction of the hips in the users' space."""

from dataclasses import dataclass

import numpy as np

from kinematch.avatar.trackers import HANDS, HEAD, Trackers
from kinematch.camera.alignment import Alignment
from kinematch.camera.direction import HIP_WIDTH, find_deviation, find_direction, measure_width
from kinematch.camera.history import TimedRows
from kinematch.camera.landmarks import Landmarks, find_mirror
from kinematch.camera.lengths import UsualLengths, find_bones, find_stretch, measure_bones
from kinematch.camera.projection import FIELD_OF_VIEW, MIN_VISIBILITY, locate_bodies
from kinematch.camera.time_offset import SPAN_SECONDS, TimeOffset
from kinematch.errors import KinematchError
from kinematch.math import quaternion

NOSE_OFFSET = np.array([0.0, 0.04, 0.115])  # m from the head joint, in its axes
UPRIGHT_SHARE = 0.95  # share of the standing height above which a user stands
SWAP_RATIO = 0.6  # by which the wrists must fit better when exchanged
MIN_ALIGNED_FRAMES = 12  # frames before which an alignment is not used
OFFSET_INTERVAL = 10  # frames between looks at the time offset
POINTS = ("nose", "left_wrist", "right_wrist")
HIPS, ANKLES = ("left_hip", "right_hip"), ("left_ankle", "right_ankle")
SHOULDERS = ("left_shoulder", "right_shoulder")


@dataclass(frozen=True)
class Sighting:
    """What one picture says of one user."""

    time: float  # s, when it was taken, on the clock of the trackers
    yaw: float  # rad, of the hips
    deviation: float  # rad; infinite if the hips were not seen
    visibility: float  # of the hips
    residual: float  # m by which nose and wrists of camera and trackers differ
    swapped: bool  # left and right were taken for each other
    shoulder_yaw: float  # rad, of the shoulders
    shoulder_deviation: float  # rad, of that as a direction of the shoulders; infinite if they were not seen


class Observer:
    """Aligns the landmarks of one user with the tracked joints, and estimates where the hips face."""

    def __init__(
        self, head_height: float, *, field_of_view: float = FIELD_OF_VIEW, pitch: float | None = None,
        offset: float | None = None,
    ):  # fmt: skip
        if not 0.2 < field_of_view < 2.8:
            raise KinematchError(f"a field of view of {np.degrees(field_of_view):.0f} degrees, expected 12 to 160")
        self.alignment = Alignment(pitch=pitch)
        self.offset = TimeOffset() if offset is None else TimeOffset(offset)
        self.sighting: Sighting | None = None  # of the last picture, where it says anything
        self.body: np.ndarray | None = None  # (K, 3) m, its landmarks in camera space
        self.visibility = np.zeros(0)  # (K,) of them
        self.hips, self.ankles = np.zeros(0, int), np.zeros(0, int)  # (2,) which of them are the left and right one's
        self._head_height, self._field_of_view = head_height, field_of_view
        self._history = TimedRows(10)  # nose and wrists, and the head's height
        self._valid = np.zeros(3, bool)
        self._seen: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._count = 0
        self._names: tuple[str, ...] = ()
        self._shoulders, self._bones = np.zeros(0, int), np.zeros((0, 2), int)
        self._widths, self._lengths = UsualLengths(), UsualLengths()

    def track(self, joints: Trackers, user: int) -> None:
        """Remember where a user's joints are now."""
        rows = [HEAD, *HANDS]
        points = joints.positions[user, rows].copy()
        points[0] += quaternion.rotate(joints.rotations[user, HEAD], NOSE_OFFSET)
        self._valid = joints.valid[user, rows]
        self._history.append(joints.times[user], np.append(points.ravel(), joints.positions[user, HEAD, 1]))

    def look(self, frame: Landmarks) -> Sighting | None:
        """The observation of a frame; None where too little of a person is visible."""
        self.sighting = self.body = None
        time = float(frame.times[0]) - self.offset.seconds
        place = locate_bodies(frame, self._field_of_view)[0]
        if np.isnan(place[0]) or not len(self._history.times):
            return None
        body, visibility = frame.places[0] + place, frame.visibility[0]
        row = self._history.at(time)
        targets = row[:9].reshape(3, 3)
        points = self._know(frame.names)
        swapped = self._find_swap(body[points], targets, visibility[points])
        if swapped:
            body, visibility = body[self._mirror], visibility[self._mirror]
        self.body, self.visibility = body, visibility
        weights = np.where((visibility[points] > MIN_VISIBILITY) & self._valid, visibility[points], 0.0)
        self._watch_height(body, visibility, row)
        self.alignment.watch(body[points], targets, weights)
        self._remember(float(frame.times[0]), body[points], weights)
        self.sighting = self._judge(frame, time, body, visibility, targets, weights, swapped)
        return self.sighting

    def _know(self, names: tuple[str, ...]) -> np.ndarray:
        """Indices of nose and wrists; those of other landmarks are found as well when the names change."""
        if names is not self._names:
            self._names, self._mirror, self._bones = names, find_mirror(names), find_bones(names)
            self._points, self.hips, self.ankles, self._shoulders = (
                np.array([names.index(name) for name in group if name in names], int)
                for group in (POINTS, HIPS, ANKLES, SHOULDERS)
            )
        return self._points

    def _find_swap(self, points: np.ndarray, targets: np.ndarray, visibility: np.ndarray) -> bool:
        """Whether the wrists fit clearly better with left and right exchanged."""
        if (
            self.alignment.frames < MIN_ALIGNED_FRAMES
            or not self._valid[1:].all()
            or visibility[1:].min() < MIN_VISIBILITY
        ):
            return False
        # the nose belongs to neither side, so a shift of the whole body does not count
        world = self.alignment.pose.to_world(points)
        shift = targets.mean(axis=0) - world.mean(axis=0)
        own = np.linalg.norm(world[1:] + shift - targets[1:], axis=-1).sum()
        other = np.linalg.norm(world[[2, 1]] + shift - targets[1:], axis=-1).sum()
        return bool(other < SWAP_RATIO * own)

    def _watch_height(self, body: np.ndarray, visibility: np.ndarray, row: np.ndarray) -> None:
        """Scale from how high the nose is above the feet, and pitch from bodies that stand."""
        ankles, hips, nose = self.ankles, self.hips, self._points[0]
        if visibility[ankles].min() < 0.4 or visibility[nose] < MIN_VISIBILITY:
            return
        if row[9] > UPRIGHT_SHARE * self._head_height:
            self.alignment.watch_standing(body[hips].mean(axis=0) - body[ankles].mean(axis=0))
        heights = self.alignment.pose.level(body)[:, 1] / self.alignment.pose.scale
        self.alignment.watch_height(float(heights[nose] - heights[visibility > MIN_VISIBILITY].min()), float(row[1]))

    def _remember(self, time: float, points: np.ndarray, weights: np.ndarray) -> None:
        self._seen.append((time, self.alignment.pose.scale * points, weights))
        self._count += 1
        while self._seen[0][0] < time - SPAN_SECONDS or self._seen[0][0] > time:
            del self._seen[0]
        if self._count % OFFSET_INTERVAL == 0:
            times, places, w = (np.array(part) for part in zip(*self._seen))
            self.offset.update(times, places, w, self._history.times, self._history.rows[:, :9].reshape(-1, 3, 3))

    def _judge(
        self, frame: Landmarks, time: float, body: np.ndarray, visibility: np.ndarray, targets: np.ndarray,
        weights: np.ndarray, swapped: bool,
    ) -> Sighting | None:  # fmt: skip
        stretch = self._measure(body, visibility)
        if self.alignment.frames < MIN_ALIGNED_FRAMES:
            return None
        points, pose = self._points, self.alignment.pose
        used = weights > 0
        gaps = self.alignment.find_residuals(body[points], targets)
        residual = float(gaps[used].mean()) if used.any() else 1.0
        distance = float(np.linalg.norm(body[self.hips].mean(axis=0))) * pose.scale
        found = []
        for pair, width in zip((self.hips, self._shoulders), self._widths.medians):
            left, right = body[pair]
            usual = float(np.clip(width, 0.5 * HIP_WIDTH, 3 * HIP_WIDTH))
            deviation = find_deviation(
                left, right, pose, visibility=float(visibility[pair].min()), distance=distance, residual=residual,
                width=usual, stretch=pose.scale * stretch,
            )  # fmt: skip
            found.append((find_direction(left, right, pose, width=usual, distance=distance), deviation))
        if len(found) < 2:
            found.append((0.0, np.inf))
        (yaw, deviation), shoulders = found
        return Sighting(time, yaw, deviation, float(visibility[self.hips].min()), residual, swapped, *shoulders)

    def _measure(self, body: np.ndarray, visibility: np.ndarray) -> float:
        """How far (in m of the estimator) bones differ from their usual lengths, which are learned meanwhile."""
        pairs = [pair for pair in (self.hips, self._shoulders) if len(pair) == 2]
        self._widths.learn(np.array([measure_width(body[a], body[b], self.alignment.pose) for a, b in pairs]))
        lengths = measure_bones(body, self._bones)
        self._lengths.learn(lengths)
        return find_stretch(lengths, self._lengths.medians, self._bones, visibility)
