"""Direction: where hips or shoulders face by their two landmarks, and how far off that may be."""

import math

import numpy as np

from kinematch.camera.pose import CameraPose

DEPTH_ERROR = 0.008  # m of a landmark along the line of sight, when all fits
LATERAL_SHARE = 0.43  # of that across the line of sight, for a body 3 m away
STRETCH_FACTOR = 1.2  # of what bones are longer or shorter than usual: an error of their ends
WIDTH_FACTOR = 1.0  # of what this very pair is wider or narrower than usual
RESIDUAL_FACTOR = 0.03  # of what nose and wrists are off by: a blurred picture blurs everything
HIP_WIDTH = 0.2  # m between the hip landmarks of an adult
PARTLY_INVENTED_VISIBILITY = 0.5  # visibility below which a landmark is partly invented
INVENTED_VISIBILITY = 0.15  # visibility below which it is invented altogether
MIN_UNCERTAINTY = math.radians(0.5)
FIT_STEPS, MAX_FIT_STEP = 3, 0.5  # of the fit of a direction to a width; rad


def find_direction(
    left: np.ndarray, right: np.ndarray, pose: CameraPose, *, width: float | None = None, distance: float = 3.0
) -> float:
    """Yaw (rad) in the world of a pair of landmarks (3,) in camera space: up x (right - left).

    With the `width` (m) that the pair usually has, both landmarks are moved until it fits, mostly along the line of
    sight, where they are least certain; `distance` (m) of the body.
    """
    x, _, z = pose.level(right - left).tolist()
    yaw = math.atan2(z, -x)
    if width is None:
        return yaw + pose.yaw
    trust = (
        LATERAL_SHARE * max(distance / 3, 0.5)
    ) ** -2  # of positions across the line of sight, relative to those along it
    for _ in range(FIT_STEPS):  # Gauss-Newton: x = -width cos(yaw), z = width sin(yaw)
        c, s = width * math.cos(yaw), width * math.sin(yaw)
        slope = (x + c) * s * trust + (z - s) * c
        yaw += min(max(slope / (s * s * trust + c * c), -MAX_FIT_STEP), MAX_FIT_STEP)
    return yaw + pose.yaw


def measure_width(left: np.ndarray, right: np.ndarray, pose: CameraPose) -> float:
    """Distance (m) of a pair of landmarks (3,) along the ground."""
    x, _, z = pose.level(right - left).tolist()
    return math.hypot(x, z)


def find_deviation(
    left: np.ndarray, right: np.ndarray, pose: CameraPose, *, visibility: float, distance: float, residual: float,
    width: float = HIP_WIDTH, stretch: float = 0.0,
) -> float:  # fmt: skip
    """Standard deviation (rad) of that direction; infinite where the pair is not seen.

    `visibility` of the less visible one, `distance` (m) of the body, `residual` (m) of nose and wrists in this frame,
    `width` (m) that the pair usually has, `stretch` (m) of all bones in this frame.
    """
    if visibility < INVENTED_VISIBILITY:
        return np.inf
    x, _, z = pose.level(right - left).tolist()
    length = math.hypot(x, z)
    across, along = (x / length, z / length) if length > 1e-6 else (1.0, 0.0)
    signs = (STRETCH_FACTOR * stretch, WIDTH_FACTOR * (length - width), RESIDUAL_FACTOR * residual)
    error = math.hypot(DEPTH_ERROR, *signs)
    # an error along the line of sight turns an axis that lies across it, and the other way round
    lateral = along * LATERAL_SHARE * max(distance / 3, 0.5)
    angle = math.sqrt(2) * math.hypot(across, lateral) * error / max(length, width / 2)
    angle *= 1 + max(0.0, PARTLY_INVENTED_VISIBILITY - visibility) / PARTLY_INVENTED_VISIBILITY
    return math.hypot(angle, pose.deviation, MIN_UNCERTAINTY)
