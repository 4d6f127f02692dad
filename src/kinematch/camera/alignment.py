"""Alignment: where the camera stands in the space of the trackers, from a nose and two wrists that both see."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle

WINDOW = 240  # frames that are aligned together: 12 s at 20 frames a second
CONVERGED = 60  # frames after which the pose is only followed slowly: it is a camera on a table
HALFLIFE = 40.0  # frames, then
SETTLE = 3  # frames from one fit to the next, then
OUTLIER = 0.12  # m of residual at which a point counts half
MOVED = 0.35  # m of residual of most points, at which the camera has been moved and all starts over
PITCH_DOUBT = np.radians(2)  # of a pitch told by how people stand: they lean
ANY_PITCH, STEEPEST = np.radians(15), np.radians(80)  # of a camera of which nothing is known; and of any
FEW = 20  # frames in which movement says little
HEIGHT_DOUBT, ANY_SCALE = 0.02, 0.1  # shares by which a scale told by heights is off, and one that nothing tells
CORRELATED = 5.0  # frames that share an error
NOISE = 0.03  # m of a point, at least


@dataclass(frozen=True, eq=False)
class CameraPose:
    """Where a camera is, and how far to trust that."""

    yaw: float = 0.0  # rad, where it looks: from +Z towards +X
    position: np.ndarray | None = None  # (3,) m; None: not known yet
    pitch: float = 0.0  # rad, downwards
    scale: float = 1.0  # m in the world per m of a landmark
    deviation: float = np.pi  # rad, standard deviation of the yaw
    residual: float = np.nan  # m, root mean square of how far points are off

    def level(self, places: np.ndarray) -> np.ndarray:
        """Camera-space places (..., 3), scaled and with the pitch taken out."""
        c, s = self.scale * np.cos(self.pitch), self.scale * np.sin(self.pitch)
        x, y, z = places[..., 0], places[..., 1], places[..., 2]
        return np.stack([self.scale * x, c * y - s * z, s * y + c * z], axis=-1)

    def to_world(self, places: np.ndarray) -> np.ndarray:
        """Camera-space places (..., 3) in the world."""
        position = np.zeros(3) if self.position is None else self.position
        return rotate_about_y(self.level(places), self.yaw) + position


def fit_yaw(places: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The yaw and translation (3,) that take level places (M, 3) to targets (M, 3), by weighted least squares."""
    w = (weights / weights.sum())[:, None]
    middle, goal = (w * places).sum(axis=0), (w * targets).sum(axis=0)
    a, b = places - middle, targets - goal
    across = (w[:, 0] * (b[:, 0] * a[:, 2] - b[:, 2] * a[:, 0])).sum()
    along = (w[:, 0] * (b[:, 0] * a[:, 0] + b[:, 2] * a[:, 2])).sum()
    yaw = float(np.arctan2(across, along))
    return yaw, goal - rotate_about_y(middle, yaw)


def fit_pitch(
    pose: CameraPose, places: np.ndarray, targets: np.ndarray, weights: np.ndarray, *, expected: float, doubt: float
) -> float:
    """The pitch (rad) at which heights fit best: a nose that walks away must neither sink nor rise.

    `expected` and `doubt` (rad): what is known besides, which decides for somebody who stays at one distance.
    """
    w = weights / weights.sum()
    level = pose.level(places)
    depths, gaps = level[:, 2] - w @ level[:, 2], (targets - level)[:, 1]
    # turning by d lowers a point at depth z by z d; errors of depth would flatten the slope
    spread = max(w @ (depths * depths) - NOISE**2, 0.0)
    known = (weights > 0).sum() / CORRELATED * spread / NOISE**2
    fitted = pose.pitch - (w @ (depths * (gaps - w @ gaps))) / max(spread, NOISE**2)
    return float((known * fitted + expected / doubt**2) / (known + 1 / doubt**2))


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
        self.frames = 0  # that were used so far
        self._misfits = 0
        self._places = np.zeros((WINDOW, 3, 3))
        self._targets = np.zeros((WINDOW, 3, 3))
        self._weights = np.zeros((WINDOW, 3))
        self._expected = 0.0, ANY_PITCH  # rad, pitch by how people stand, and its doubt
        self._ups: list[np.ndarray] = []
        self._height_scale = scale or 1.0  # by heights alone
        self._heights: list[float] = []  # true by seen, of noses above the floor

    @property
    def converged(self) -> bool:
        return self.frames >= CONVERGED

    def watch_standing(self, up: np.ndarray) -> None:
        """A frame in which somebody stands, and points along `up` (3,) in camera space."""
        if self._given[0] is None and not self.converged:
            self._ups.append(up)
            self._expected = find_pitch(np.array(self._ups)), PITCH_DOUBT
            if self.frames <= FEW:
                self.pose = replace(self.pose, pitch=self._expected[0])

    def watch_height(self, seen: float, true: float) -> None:
        """A frame in which the nose is `seen` above the lowest landmark, and truly so high above the floor (m)."""
        if self._given[1] is None and seen > 0.3:
            self._heights.append(true / seen)
            del self._heights[:-WINDOW]
            if len(self._heights) % 8 == 0 or not self.converged:
                self._height_scale = float(np.clip(np.median(self._heights), 0.5, 2.0))
                if not self.converged:
                    self.pose = replace(self.pose, scale=self._height_scale)

    def watch(self, places: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        """A frame: nose and wrists (3, 3) in camera space and in the world, and weights (3,), zero if not seen."""
        if not (weights > 0).any():
            return
        row = self.frames % WINDOW
        self._places[row], self._targets[row], self._weights[row] = places, targets, weights
        self.frames += 1
        if self.converged and self.frames % SETTLE:
            self._notice_move(self.find_residuals(places, targets), weights)
            return
        count = min(self.frames, WINDOW)
        a, b = self._places[:count].reshape(-1, 3), self._targets[:count].reshape(-1, 3)
        w = self._weights[:count].ravel()
        if self.frames > 10:  # a pose to compare with
            gaps = self.find_residuals(a, b)
            self._notice_move(gaps.reshape(count, 3)[row], weights)
            if self.frames == 0:
                return
            w = w / (1 + (gaps / OUTLIER) ** 2)  # Cauchy's weights
        self._settle(a, b, w)

    def find_residuals(self, places: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """(...) m between places and targets (..., 3)."""
        return np.linalg.norm(self.pose.to_world(places) - targets, axis=-1)

    def _notice_move(self, gaps: np.ndarray, weights: np.ndarray) -> None:
        wrong = np.median(gaps[weights > 0]) > MOVED
        self._misfits = self._misfits + 1 if wrong else max(0, self._misfits - 2)
        if self._misfits > CONVERGED:
            self.start_over()

    def _settle(self, a: np.ndarray, b: np.ndarray, w: np.ndarray) -> None:
        if self._given[0] is None and self.frames > FEW:
            expected, doubt = self._expected
            pitch = fit_pitch(self.pose, a, b, w, expected=expected, doubt=doubt)
            self.pose = replace(self.pose, pitch=float(np.clip(pitch, -STEEPEST, STEEPEST)))
        level = self.pose.level(a)
        yaw, position = fit_yaw(level, b, w)
        gaps = np.linalg.norm((rotate_about_y(level, yaw) + position - b) * [1, 0, 1], axis=-1)
        share = w / w.sum()
        residual = float(np.sqrt(share @ gaps**2))
        spread = float(np.sqrt(share @ ((level - share @ level) ** 2 * [1, 0, 1]).sum(axis=-1)))
        count = (w > 0).sum() / (3 * CORRELATED)
        deviation = max(residual, NOISE) / np.sqrt(2 * max(count, 0.2)) / max(spread, 0.05)
        if self._given[1] is None and self.frames > FEW:
            # a scale is as well known as a yaw: what is an angle there is a share here
            turned = rotate_about_y(level - share @ level, yaw)
            along = share @ (turned * (b - share @ b) * [1, 0, 1]).sum(axis=-1)
            fitted = self.pose.scale * along / max(spread**2 - residual**2 / 2, 0.5 * spread**2)
            doubt = HEIGHT_DOUBT if self._heights else ANY_SCALE
            scale = self._height_scale + doubt**2 / (doubt**2 + deviation**2) * (fitted - self._height_scale)
            self.pose = replace(self.pose, scale=float(np.clip(scale, 0.5, 2.0)))
        if self.converged and self.pose.position is not None:
            new = 1 - 0.5 ** (SETTLE / HALFLIFE)
            yaw = self.pose.yaw + new * float(wrap_angle(np.asarray(yaw - self.pose.yaw)))
            position = self.pose.position + new * (position - self.pose.position)
        self.pose = replace(
            self.pose, yaw=yaw, position=position, deviation=min(deviation, np.pi), residual=residual
        )  # fmt: skip
