"""Direction: where the hips face by their two landmarks, and how far off that may be."""

import numpy as np

from kinematch.camera.alignment import CameraPose

ERROR = 0.01  # m of a hip landmark along the line of sight, when all fits
LATERAL = 0.4  # of that across the line of sight, for a body 3 m away
OF_RESIDUAL = 0.3  # of what nose and wrists are off by: a blurred picture blurs the hips as well
OF_WIDTH = 0.8  # of what the hips are wider or narrower than usual: they do not stretch
HIP_WIDTH = 0.2  # m between the hip landmarks of an adult
HIDDEN = 0.5  # visibility below which a landmark is partly invented
UNSEEN = 0.15  # visibility below which it is invented altogether
LEAST = np.radians(1)


def find_direction(left: np.ndarray, right: np.ndarray, pose: CameraPose) -> float:
    """Yaw (rad) in the world of hips with landmarks (3,) in camera space: up x (right - left)."""
    x, _, z = pose.level(right - left)
    return float(np.arctan2(z, -x)) + pose.yaw


def measure_width(left: np.ndarray, right: np.ndarray, pose: CameraPose) -> float:
    """Distance (m) of the hip landmarks (3,) along the ground."""
    x, _, z = pose.level(right - left)
    return float(np.hypot(x, z))


def find_deviation(
    left: np.ndarray, right: np.ndarray, pose: CameraPose, *, visibility: float, distance: float, residual: float,
    width: float = HIP_WIDTH,
) -> float:  # fmt: skip
    """Standard deviation (rad) of that direction; infinite where the hips are not seen.

    `visibility` of the less visible hip, `distance` (m) of the body, `residual` (m) of nose and wrists in this frame,
    `width` (m) that the hips usually have.
    """
    if visibility < UNSEEN:
        return np.inf
    x, _, z = pose.level(right - left)
    length = float(np.hypot(x, z))
    across, along = (x / length, z / length) if length > 1e-6 else (1.0, 0.0)
    error = np.sqrt(ERROR**2 + (OF_RESIDUAL * residual) ** 2 + (OF_WIDTH * (length - width)) ** 2)
    # an error along the line of sight turns an axis that lies across it, and the other way round
    lateral = along * LATERAL * max(distance / 3, 0.5)
    angle = np.sqrt(2 * (across**2 + lateral**2)) * error / max(length, width / 2)
    angle *= 1 + max(0.0, HIDDEN - visibility) / HIDDEN
    return float(np.sqrt(angle**2 + pose.deviation**2 + LEAST**2))
