"""Two-joint inverse kinematics in closed form, keeping the limb's own bend direction (digital humans 3.6)."""

import numpy as np

from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle


def reach(
    upper: np.ndarray, middle: np.ndarray, end: np.ndarray, target: np.ndarray, *, extension: float
) -> tuple[np.ndarray, np.ndarray]:
    """World turns (N, 4) of the upper and of the lower bone that bring the end (N, 3) to the target.

    The upper joint's turn applies to the whole limb, the lower one's after it to what hangs on the middle joint. Limbs
    never stretch beyond `extension` of their length: the target is drawn in.
    """
    a, b = (np.linalg.norm(v, axis=-1) for v in (middle - upper, end - middle))
    wanted = target - upper
    distance = np.clip(np.linalg.norm(wanted, axis=-1), np.abs(a - b) + 1e-4, extension * (a + b))
    now = np.linalg.norm(end - upper, axis=-1)
    # law of cosines: the angle at the middle joint for a distance between the ends
    bent = np.arccos(np.clip((a**2 + b**2 - distance**2) / (2 * a * b), -1, 1))
    was = np.arccos(np.clip((a**2 + b**2 - now**2) / (2 * a * b), -1, 1))
    axis = np.cross(middle - upper, end - middle)
    straight = np.linalg.norm(axis, axis=-1, keepdims=True) < 1e-6 * (a * b)[:, None]
    axis = np.where(straight, np.array([1.0, 0, 0]), axis)  # a straight limb has no bend of its own; never in a knee
    lower = from_axis_angle(axis, was - bent)
    new_end = middle + quaternion.rotate(lower, end - middle)
    aim = quaternion.between(new_end - upper, wanted)
    return aim, quaternion.multiply(aim, lower)
