"""The point of a moving device that moves least: the wrist behind a controller that the hand turns about."""

import numpy as np

from kinematch.math import quaternion

MIN_TURN_SPEED = 1.0  # rad/s; slower turns say little about where their centre is
MIN_SAMPLES = 20  # samples that turn
WEIGHTING_ROUNDS = 5  # of weighting by residuals
MAX_RESIDUAL_SPEED = 0.02  # m/s of motion left over that still counts as rest
MIN_AXIS_RATIO = 0.15  # how much turning about the least used axis there must be, against the most used one


def find_pivot(
    rotations: np.ndarray, velocities: np.ndarray, angular_velocities: np.ndarray
) -> tuple[np.ndarray, float] | None:
    """The point (3,) m in the device's axes that moves least over N samples, and its speed against the device's.

    Solves v + w x (R c) = 0 in the least squares, samples in which the point moves counting less each round. None when
    the device turned too little, or about one axis alone, which leaves the point free along it.
    """
    turning = np.linalg.norm(angular_velocities, axis=-1) > MIN_TURN_SPEED
    if turning.sum() < MIN_SAMPLES:
        return None
    back = quaternion.inverse(rotations[turning])
    v = quaternion.rotate(back, velocities[turning])
    w = quaternion.rotate(back, angular_velocities[turning])
    spread = np.linalg.eigvalsh(w.T @ w)
    if spread[1] < MIN_AXIS_RATIO**2 * spread[2]:
        return None
    weights, point, left, moments = np.ones(len(w)), np.zeros(3), v, quaternion.cross(w, v)
    for _ in range(
        WEIGHTING_ROUNDS
    ):  # the normal equations of the cross product: sum of |w|^2 c - w (w . c) = sum of w x v
        normal = (weights @ (w * w)).sum() * np.eye(3) - (w * weights[:, None]).T @ w
        point = np.linalg.solve(normal, weights @ moments)
        left = np.linalg.norm(v + quaternion.cross(w, point), axis=-1)
        weights = 1 / (left + MAX_RESIDUAL_SPEED)
    return point, float(np.median(left) / max(np.median(np.linalg.norm(v, axis=-1)), MAX_RESIDUAL_SPEED))
