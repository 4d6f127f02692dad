"""Measures of retargeted poses: where feet stand, how low their soles are, how far arms are out of the body."""

import numpy as np

from kinematch.math import quaternion
from kinematch.motion.retarget.body import Corrections

UP = np.array([0.0, 1.0, 0.0])


def aim_feet(
    fixes: Corrections, places: np.ndarray, turns: np.ndarray, *, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where the source's feet stand (N, K, 3), and where the target's should."""
    feet = fixes.source_legs[:, 1]
    own = places[:, feet] + quaternion.rotate(turns[:, feet], fixes.source_balls)
    # along the foot's own side, which a planted foot keeps, as far as that is the body's side too
    ways = quaternion.unit(quaternion.rotate(turns[:, feet], fixes.sides) * [1, 0, 1])
    across = quaternion.unit(quaternion.rotate(turns[:, fixes.hips], fixes.hip_side) * [1, 0, 1])
    shares = np.maximum(np.sum(ways * across, axis=-1, keepdims=True), 0.0)
    aside = fixes.widths[:, None] * shares * ways + fixes.aheads[:, None] * np.cross(ways, UP)
    return own, scale * own + fixes.lifts[:, None] * UP + aside


def measure_soles(fixes: Corrections, places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Height (N, K) of the lowest point of each of the target's feet above the point that it stands on."""
    joints, feet = fixes.sole_joints, fixes.legs[:, 2]
    heights = (places[:, joints] + quaternion.rotate(turns[:, joints], fixes.sole_offsets))[..., 1]
    balls = (places[:, feet] + quaternion.rotate(turns[:, feet], fixes.balls))[..., 1]
    legs = range(len(fixes.legs))
    return np.stack([heights[:, fixes.sole_legs == k].min(axis=1) - balls[:, k] for k in legs], axis=1)


def measure_gaps(
    fixes: Corrections, which: int, pose: tuple[np.ndarray, np.ndarray], point: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """How far (N,) a point of an arm is outside of the trunk and of the head, and the way (N, 3) out of each.

    Of the source, 0, or the target, 1; from its global pose.
    """
    places, turns = pose
    low, high, head = fixes.trunks[which]
    axis = places[:, high] - places[:, low]
    square = np.sum(axis * axis, axis=-1)
    t = np.sum((point - places[:, low]) * axis, axis=-1) / np.where(square > 0, square, 1.0)
    nearest = places[:, low] + np.clip(t, 0.0, 1.0)[:, None] * axis
    centre = places[:, head] + quaternion.rotate(turns[:, head], fixes.head_centres[which])
    parts = (nearest, fixes.trunk_radii[which]), (centre, fixes.head_radii[which])
    away = [(point - middle, radius + fixes.arm_radii[which]) for middle, radius in parts]
    return [(quaternion.length(one)[:, 0] - radius, quaternion.unit(one)) for one, radius in away]
