"""Foot contacts: when a joint stands on the floor, and how well the source itself keeps it there."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import difference, quaternion, smoothing
from kinematch.math.quaternion import Array
from kinematch.motion import kinematics
from kinematch.motion.clean.mirror import mirror_pairs
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.four_legs import four_feet, has_four_legs
from kinematch.motion.skeleton import Skeleton

FINE = 59.0  # fps: below, the three frames that a runner's foot stands are too few to detect it


@dataclass(frozen=True)
class ContactQuality:
    """The skate of a clip: what planted joints do that should not move."""

    mean_speed: float  # m/s, of planted joints along the ground
    high_speed: float  # m/s, 95th percentile
    mean_drift: float  # m, from the first to the last frame of a stance
    high_drift: float  # m, 95th percentile
    stances: int
    planted: float  # share of the time with at least one joint planted


def contact_joints(skeleton: Skeleton, joints: Iterable[str] | None = None) -> list[int]:
    """The joints named, or the toes, or without toes the feet; left before right. Four-legged rigs have four."""
    if joints is not None:
        return [skeleton.joint(name) for name in joints]
    if has_four_legs(skeleton):
        return four_feet(skeleton)
    for part in ("toes", "foot"):
        sides = [f"{side}_{part}" for side in ("left", "right")]
        if all(role in skeleton.roles for role in sides):
            return [skeleton.roles[role] for role in sides]
    raise KinematchError("no joint has the role of toes or foot: name the contact joints")


def find_contacts(
    clip: Clip,
    joints: Iterable[str] | None = None,
    *,
    speed_on: float = 0.3,
    speed_off: float = 0.6,
    height_on: float = 0.07,
    height_off: float = 0.10,
    radius: float = 0.1,
) -> Array:
    """Whether each contact joint is planted (F, K): slow (m/s) and low (m), with hysteresis, then a median filter.

    After thesis 3.1.1, whose radius is 6 frames at 60 fps; a stance shorter than the radius in seconds is dropped.
    Speeds of planted toes stay below 0.1 m/s walking and 0.3 m/s sprinting. Heights count from where the joint itself
    stands in this clip, since joints lie above the sole and mocap floors are uneven; they keep a raised, resting foot
    from being planted. For stairs and boxes set the heights to infinity.
    """
    chosen = contact_joints(clip.skeleton, joints)
    positions = kinematics.global_pose(clip)[0][:, chosen].astype(np.float64)
    finer = int(np.ceil(FINE / max(clip.frame_rate, 1))) if clip.frame_count > 1 else 1  # a slide show stays one
    if finer > 1:
        from scipy.interpolate import CubicSpline  # here, since it is slow to import

        times = np.arange(finer * (clip.frame_count - 1) + 1) / finer
        positions = CubicSpline(np.arange(clip.frame_count), positions, axis=0)(times)
    rate = finer * clip.frame_rate
    speeds = joint_speeds(positions, rate)
    heights = positions[..., 1] - _standing_heights(clip.skeleton, chosen, positions[..., 1])
    down = (speeds < speed_on) & (heights < height_on)
    up = (speeds > speed_off) | (heights > height_off)
    return smoothing.median(switch_with_hysteresis(down, up), radius=radius, frame_rate=rate)[::finer]


def contact_quality(clip: Clip, contacts: Array, joints: Iterable[str] | None = None) -> ContactQuality:
    """How far and fast planted joints slide; all zero when none is ever planted."""
    chosen = contact_joints(clip.skeleton, joints)
    positions = kinematics.global_pose(clip)[0][:, chosen].astype(np.float64) * [1, 0, 1]
    speeds = joint_speeds(positions, clip.frame_rate)[contacts]
    drifts = [
        float(np.linalg.norm(positions[stop - 1, k] - positions[start, k]))
        for k in range(len(chosen))
        for start, stop in true_ranges(contacts[:, k])
    ]
    if not drifts:
        return ContactQuality(0.0, 0.0, 0.0, 0.0, 0, 0.0)
    return ContactQuality(
        mean_speed=float(speeds.mean()),
        high_speed=float(np.quantile(speeds, 0.95)),
        mean_drift=float(np.mean(drifts)),
        high_drift=float(np.quantile(drifts, 0.95)),
        stances=len(drifts),
        planted=float(contacts.any(axis=1).mean()),
    )


def joint_speeds(positions: Array, frame_rate: float) -> Array:
    """Speeds (F, K) of points (F, K, 3); above 30 fps over about a tenth of a second, so that every rate sees alike."""
    smooth = smoothing.savitzky_golay(positions, seconds=0.1, frame_rate=frame_rate)
    return quaternion.length(difference.central(smooth, 1 / frame_rate))[..., 0]


def _standing_heights(skeleton: Skeleton, joints: list[int], heights: Array) -> Array:
    """Height (K,) of each joint while planted: its low tenth, or its counterpart's when that stands lower.

    The counterpart helps a foot that is kept up all the time. Sprinters plant a foot for a quarter of it.
    """
    low = np.quantile(heights, 0.1, axis=0)
    other = mirror_pairs(skeleton)
    return np.array([min(low[k], low[joints.index(other[j])] if other[j] in joints else low[k])
                     for k, j in enumerate(joints)])  # fmt: skip


def switch_with_hysteresis(on: Array, off: Array) -> Array:
    """Set by on, cleared by off, otherwise as in the frame before; unset at the start (F, K)."""
    frames = np.arange(len(on))[:, None]
    last_event = np.maximum.accumulate(np.where(on | off, frames, 0), axis=0)
    return np.take_along_axis(on, last_event, axis=0)
