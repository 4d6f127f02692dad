"""Refinement: yaw, position, pitch and scale of a camera together, by Gauss-Newton on points that trackers see as well.

An estimator knows well where in the picture a point is, and badly how far away: errors along the line of sight grow
with the distance. A fit that takes all errors for alike puts a camera that is 5 m away 10 cm from its place.
"""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.camera.pose import CameraPose
from kinematch.math.angles import rotate_about_y

LATERAL_DEVIATION = 0.015  # m across the line of sight, for a body 3 m away
DEPTH_DEVIATION, DEPTH_DEVIATION_BY_DISTANCE = 0.03, 0.006  # m along it, and m for each m of distance
MIN_ERROR_SHARE = 0.6  # share of the error at 3 m that stays at any distance
OUTLIER_DEVIATIONS = 2.0  # standard deviations at which a point counts half
CORRELATED_FRAMES = 5.0  # frames that share an error
MAX_SCALE_STEP = 0.3  # of the logarithm of the scale


@dataclass(frozen=True)
class Prior:
    """What else is known of a number, and its standard deviation."""

    value: float
    deviation: float


def refine_pose(
    pose: CameraPose, places: np.ndarray, targets: np.ndarray, weights: np.ndarray, *, pitch: Prior, scale: Prior,
    steps: int = 1,
) -> CameraPose:  # fmt: skip
    """A pose that takes places (M, 3) in camera space nearer to targets (M, 3) in the world; weights (M,), zero for
    points that were not seen, and priors of pitch (rad) and scale."""
    seen = weights > 0
    places, targets, weights = places[seen], targets[seen], weights[seen] / CORRELATED_FRAMES
    distances = np.linalg.norm(places, axis=-1)
    rays = places / np.maximum(distances, 1e-6)[:, None]
    for _ in range(steps):
        residuals, slopes = _differentiate(pose, places, targets)
        far = pose.scale * distances
        across = LATERAL_DEVIATION * np.maximum(far / 3, MIN_ERROR_SHARE)
        along = np.hypot(DEPTH_DEVIATION, DEPTH_DEVIATION_BY_DISTANCE * far)
        lines = rotate_about_y(pose.level(rays), pose.yaw) / pose.scale
        residuals, slopes = (_whiten(values, lines, across, along) for values in (residuals[..., None], slopes))
        squares = (residuals[..., 0] ** 2).sum(axis=-1) / 3
        counts = weights / (1 + squares / OUTLIER_DEVIATIONS**2)  # Cauchy's weights
        weighted = (slopes * counts[:, None, None]).reshape(-1, 6)
        curvature, slope = weighted.T @ slopes.reshape(-1, 6), weighted.T @ residuals.ravel()
        for row, prior, value in ((4, pitch, pose.pitch), (5, scale, np.log(pose.scale / scale.value))):
            curvature[row, row] += 1 / prior.deviation**2
            slope[row] += (value - (prior.value if row == 4 else 0.0)) / prior.deviation**2
        covariance = np.linalg.inv(curvature + 1e-6 * np.eye(6))
        step = -covariance @ slope
        misfit = max(1.0, float(np.sqrt(counts @ squares / max(counts.sum(), 1e-9))))
        pose = replace(
            pose, yaw=pose.yaw + float(step[0]), position=pose.position + step[1:4], pitch=pose.pitch + float(step[4]),
            scale=pose.scale * float(np.exp(np.clip(step[5], -MAX_SCALE_STEP, MAX_SCALE_STEP))),
            deviation=min(misfit * float(np.sqrt(covariance[0, 0])), np.pi),
        )  # fmt: skip
    return pose


def _differentiate(pose: CameraPose, places: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals (M, 3) in m, and their derivatives (M, 3, 6) by yaw, position, pitch and logarithm of the scale."""
    level = pose.level(places)
    world = rotate_about_y(level, pose.yaw)
    tilted = np.stack([np.zeros(len(places)), -level[:, 2], level[:, 1]], axis=-1)
    slopes = np.zeros((len(places), 3, 6))
    slopes[:, 0, 0], slopes[:, 2, 0] = world[:, 2], -world[:, 0]
    slopes[:, [0, 1, 2], [1, 2, 3]] = 1.0
    slopes[:, :, 4], slopes[:, :, 5] = rotate_about_y(tilted, pose.yaw), world
    return world + pose.position - targets, slopes


def _whiten(values: np.ndarray, lines: np.ndarray, across: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Vectors (M, 3, C) in standard deviations, which differ along lines of sight (M, 3) and across them."""
    shares = (lines[:, :, None] * values).sum(axis=1, keepdims=True)
    return values / across[:, None, None] + lines[:, :, None] * shares * (1 / along - 1 / across)[:, None, None]
