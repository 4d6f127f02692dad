"""Time offset: how late a camera's landmarks are, by when the same points move quickly for camera and trackers."""

import numpy as np

DEFAULT_OFFSET = 0.1  # s, usual for a webcam and its pose estimator
MIN_OFFSET, MAX_OFFSET, OFFSET_STEP = -0.1, 0.4, 0.01  # s of the offsets that are tried
SPAN_SECONDS = 8.0  # s of movement that are compared
MIN_SECONDS = 2.0  # s of it that say anything
MIN_SPEED_DEVIATION = 0.12  # m/s by which speeds must vary
MAX_SPEED = 8.0  # m/s; beyond it an estimator jumped
MIN_CORRELATION = 0.6  # that the best offset must reach
UPDATE_SHARE = 0.25  # of a new finding that is taken over


def find_speeds(times: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds (F - 2, P) of points (F, P, 3) over two frames each, and their times."""
    spans = np.maximum(times[2:] - times[:-2], 1e-3)
    return times[1:-1], np.linalg.norm(places[2:] - places[:-2], axis=-1) / spans[:, None]


def correlate_offsets(
    camera_times: np.ndarray, camera: np.ndarray, times: np.ndarray, speeds: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Offsets tried (L,) s, and how well speeds (F, P) of camera points fit those of trackers (T, P) at each."""
    offsets = np.arange(MIN_OFFSET, MAX_OFFSET + OFFSET_STEP / 2, OFFSET_STEP)
    grid = np.arange(times[0], times[-1], OFFSET_STEP)
    total = np.maximum(weights.sum(axis=0), 1e-9)
    mean = (weights * camera).sum(axis=0) / total
    own = (camera - mean) * weights
    scores, norms = np.zeros(len(offsets)), np.zeros(len(offsets))
    size = 0.0
    for point in range(camera.shape[1]):
        even = np.interp(grid, times, speeds[:, point])
        rows = np.clip(
            np.round((camera_times - offsets[:, None] - times[0]) / OFFSET_STEP).astype(int), 0, len(grid) - 1
        )
        theirs = even[rows]  # (L, F)
        theirs = theirs - (weights[:, point] * theirs).sum(axis=1, keepdims=True) / total[point]
        scores += theirs @ own[:, point]
        norms += (weights[:, point] * theirs**2).sum(axis=1)
        size += (own[:, point] * (camera[:, point] - mean[point])).sum()
    return offsets, scores / np.sqrt(np.maximum(norms * size, 1e-12))


def refine_peak(offsets: np.ndarray, scores: np.ndarray) -> float:
    """The top of the parabola through the best offset and its neighbours."""
    best = int(np.clip(np.argmax(scores), 1, len(scores) - 2))
    before, at, after = scores[best - 1 : best + 2]
    bend = before - 2 * at + after
    return float(offsets[best] + (np.clip(0.5 * (before - after) / bend, -1, 1) * OFFSET_STEP if bend < 0 else 0.0))


class TimeOffset:
    """Follows the offset of one camera."""

    def __init__(self, start: float = DEFAULT_OFFSET):
        self.seconds = start
        self.score = 0.0  # correlation of the last finding
        self.findings = 0

    def update(
        self, camera_times: np.ndarray, places: np.ndarray, weights: np.ndarray, times: np.ndarray, targets: np.ndarray
    ) -> None:
        """Compare points (F, P, 3) of the camera, seen with weights (F, P), with those of trackers (T, P, 3)."""
        if len(camera_times) < 5 or len(times) < 5 or camera_times[-1] - camera_times[0] < MIN_SECONDS:
            return
        camera_times, camera = find_speeds(camera_times, places)
        weights = np.minimum(np.minimum(weights[:-2], weights[1:-1]), weights[2:])
        inside = (camera_times - MAX_OFFSET > times[0]) & (camera_times - MIN_OFFSET < times[-1])
        weights = weights * inside[:, None] * (camera < MAX_SPEED)
        times, speeds = find_speeds(times, targets)
        if weights.sum() < 10 or speeds.std(axis=0).max() < MIN_SPEED_DEVIATION:
            return
        offsets, scores = correlate_offsets(camera_times, camera, times, speeds, weights)
        self.score = float(scores.max())
        if self.score > MIN_CORRELATION and 0 < int(np.argmax(scores)) < len(scores) - 1:
            self.findings += 1
            share = max(UPDATE_SHARE, 1 / (1 + self.findings))  # the usual offset counts as a finding
            self.seconds += share * (refine_peak(offsets, scores) - self.seconds)
