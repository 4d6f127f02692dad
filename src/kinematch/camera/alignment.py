"""Alignment: the camera's pose in the space of the trackers, from a nose and two wrists seen by both."""

from dataclasses import replace
from statistics import median

import numpy as np

from kinematch.camera.pose import CameraPose
from kinematch.camera.refinement import Prior, refine_pose
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle

WINDOW_FRAMES = 240  # frames that are aligned together: 12 s at 20 frames a second
CONVERGED_FRAMES = 100  # frames after which the pose is filtered slowly: a camera on a table
HALFLIFE_FRAMES = 40.0  # frames, then
FIT_INTERVAL = 3  # frames from one fit to the next, once there are some
FIT_STEPS = 2  # of a fit before convergence
OUTLIER_METRES = 0.12  # m of residual at which a point counts half while little is known
MOVED_METRES = 0.35  # m of residual of most points, at which the camera has been moved
RESTART_FRAMES = 60  # frames with such residuals after which alignment starts over
STANCE_PITCH_DEVIATION = np.radians(2)  # of a pitch from standing people: they lean
UNKNOWN_PITCH_DEVIATION, MAX_PITCH = np.radians(15), np.radians(80)  # of an unknown camera; limit for all cameras
MIN_FRAMES = 20  # frames before which movement is too little to fit
# relative deviations of a scale from heights, and of an unknown one
HEIGHT_SCALE_DEVIATION, UNKNOWN_SCALE_DEVIATION = 0.03, 0.1
CORRELATED_FRAMES = 5.0  # frames that share an error
MIN_POINT_DEVIATION = 0.03  # m of a point, at least
GIVEN_DEVIATION = 1e-5  # of given values


def fit_yaw(places: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The yaw and translation (3,) that take level places (M, 3) to targets (M, 3), by weighted least squares."""
    w = (weights / weights.sum())[:, None]
    middle, goal = (w * places).sum(axis=0), (w * targets).sum(axis=0)
    a, b = places - middle, targets - goal
    across = (w[:, 0] * (b[:, 0] * a[:, 2] - b[:, 2] * a[:, 0])).sum()
    along = (w[:, 0] * (b[:, 0] * a[:, 0] + b[:, 2] * a[:, 2])).sum()
    yaw = float(np.arctan2(across, along))
    return yaw, goal - rotate_about_y(middle, yaw)


def find_pitch(ups: np.ndarray) -> float:
    """The pitch (rad) of a camera that sees standing bodies point along ups (M, 3) from ankles to shoulders."""
    up = np.median(quaternion.unit(ups), axis=0)
    return float(np.arctan2(-up[2], up[1]))


class Alignment:
    """Finds the pose of one camera, frame by frame."""

    def __init__(self, *, pitch: float | None = None, scale: float | None = None):
        """`pitch` (rad, downwards) and `scale`, where they are known."""
        self._given = pitch, scale
        self.start_over()

    def start_over(self) -> None:
        """Forget everything; the camera was moved."""
        pitch, scale = self._given
        self.pose = CameraPose(pitch=pitch or 0.0, scale=scale or 1.0)
        self.frames = 0  # used so far
        self._misfits = 0
        self._places = np.zeros((WINDOW_FRAMES, 3, 3))
        self._targets = np.zeros((WINDOW_FRAMES, 3, 3))
        self._weights = np.zeros((WINDOW_FRAMES, 3))
        self._expected = 0.0, UNKNOWN_PITCH_DEVIATION  # rad, pitch from standing people, and its standard deviation
        self._ups: list[np.ndarray] = []
        self._height_scale = scale or 1.0  # by heights alone
        self._heights: list[float] = []  # true by seen, of noses above the floor

    @property
    def converged(self) -> bool:
        return self.frames >= CONVERGED_FRAMES

    def watch_standing(self, up: np.ndarray) -> None:
        """A frame with a standing user, who points along `up` (3,) in camera space."""
        if self._given[0] is None and not self.converged:
            self._ups.append(up)
            if len(self._ups) % 8 == 0 or self.frames <= MIN_FRAMES:
                self._expected = find_pitch(np.array(self._ups)), STANCE_PITCH_DEVIATION
            if self.frames <= MIN_FRAMES:
                self.pose = replace(self.pose, pitch=self._expected[0])

    def watch_height(self, seen: float, true: float) -> None:
        """A frame in which the nose is `seen` above the lowest landmark, and at a true height above the floor (m)."""
        if self._given[1] is None and seen > 0.3:
            self._heights.append(true / seen)
            del self._heights[:-WINDOW_FRAMES]
            if len(self._heights) % 8 == 0 or self.frames <= MIN_FRAMES:
                self._height_scale = float(np.clip(np.median(self._heights), 0.5, 2.0))
                if self.frames <= MIN_FRAMES:
                    self.pose = replace(self.pose, scale=self._height_scale)

    def watch(self, places: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        """A frame: nose and wrists (3, 3) in camera space and in the world, and weights (3,), zero if not seen."""
        if not (weights > 0).any():
            return
        row = self.frames % WINDOW_FRAMES
        self._places[row], self._targets[row], self._weights[row] = places, targets, weights
        self.frames += 1
        if self.frames > MIN_FRAMES and self.frames % FIT_INTERVAL:
            self._notice_move(self.find_residuals(places, targets), weights)
            return
        count = min(self.frames, WINDOW_FRAMES)
        a, b = self._places[:count].reshape(-1, 3), self._targets[:count].reshape(-1, 3)
        w = self._weights[:count].ravel()
        if self.frames > 10:  # a pose to compare with
            gaps = self.find_residuals(a, b)
            self._notice_move(gaps.reshape(count, 3)[row], weights)
            if self.frames == 0:
                return
            if self.frames > MIN_FRAMES:
                self._refine(a, b, w)
                return
            w = w / (1 + (gaps / OUTLIER_METRES) ** 2)  # Cauchy's weights
        self._start(a, b, w)

    def find_residuals(self, places: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """(...) m between places and targets (..., 3)."""
        return np.linalg.norm(self.pose.to_world(places) - targets, axis=-1)

    def _notice_move(self, gaps: np.ndarray, weights: np.ndarray) -> None:
        wrong = median(gaps[weights > 0].tolist()) > MOVED_METRES
        self._misfits = self._misfits + 1 if wrong else max(0, self._misfits - 2)
        if self._misfits > RESTART_FRAMES:
            self.start_over()

    def _start(self, a: np.ndarray, b: np.ndarray, w: np.ndarray) -> None:
        """Yaw and position in closed form, with pitch and scale from standing people."""
        level = self.pose.level(a)
        yaw, position = fit_yaw(level, b, w)
        share = w / w.sum()
        spread = float(np.sqrt(share @ ((level - share @ level) ** 2 * [1, 0, 1]).sum(axis=-1)))
        self.pose = replace(self.pose, yaw=yaw, position=position)
        residual = self._measure_residual(a, b, w)
        count = (w > 0).sum() / (3 * CORRELATED_FRAMES)
        deviation = max(residual, MIN_POINT_DEVIATION) / np.sqrt(2 * max(count, 0.2)) / max(spread, 0.05)
        self.pose = replace(self.pose, deviation=min(deviation, np.pi), residual=residual)

    def _refine(self, a: np.ndarray, b: np.ndarray, w: np.ndarray) -> None:
        """The whole pose; one that has converged is only followed slowly."""
        before, (pitch, scale) = self.pose, self._given
        doubt = HEIGHT_SCALE_DEVIATION if self._heights else UNKNOWN_SCALE_DEVIATION
        found = refine_pose(
            before, a, b, w, steps=1 if self.converged else FIT_STEPS,
            pitch=Prior(*self._expected) if pitch is None else Prior(pitch, GIVEN_DEVIATION),
            scale=Prior(self._height_scale, doubt) if scale is None else Prior(scale, GIVEN_DEVIATION),
        )  # fmt: skip
        assert before.position is not None
        assert found.position is not None
        new = 1 - 0.5 ** (FIT_INTERVAL / HALFLIFE_FRAMES) if self.converged else 1.0
        self.pose = replace(
            found, yaw=before.yaw + new * float(wrap_angle(np.asarray(found.yaw - before.yaw))),
            position=before.position + new * (found.position - before.position),
            pitch=float(np.clip(before.pitch + new * (found.pitch - before.pitch), -MAX_PITCH, MAX_PITCH)),
            scale=float(np.clip(before.scale + new * (found.scale - before.scale), 0.5, 2.0)),
        )  # fmt: skip
        self.pose = replace(self.pose, residual=self._measure_residual(a, b, w))

    def _measure_residual(self, a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
        """Root mean square (m) along the ground of points that count."""
        w = w / (1 + (self.find_residuals(a, b) / OUTLIER_METRES) ** 2)
        gaps = np.linalg.norm((self.pose.to_world(a) - b) * [1, 0, 1], axis=-1)
        return float(np.sqrt(w @ gaps**2 / w.sum()))
