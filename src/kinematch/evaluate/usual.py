"""Usual: posture of the upper body and height of the head in a set, by speed, and a character's distance from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import maximum_filter1d

from kinematch.evaluate.following import steady_speeds
from kinematch.evaluate.mix import EDGES
from kinematch.motion.skeleton import Skeleton

HIGH = 99.0  # percentile of the source's distances from its median pose
PASSING_SECONDS = 0.5  # from a change of band, within which either may be shown
LOW_BODY = 0.75  # of the source's median height at that speed
MIN_SECONDS = 1.0  # of motion in a band of speeds that has a median of its own; else that of all frames counts
LEGS = ("left_upper_leg", "right_upper_leg")


@dataclass(frozen=True, eq=False)
class Usual:
    """Of the source, in bands of root speed (B)."""

    top: int  # joint that is usually the highest
    heights: np.ndarray  # (B,) m, its median height above the ground
    joints: np.ndarray  # (U,) of the upper body
    places: np.ndarray  # (B, U, 3) m, medians from the hips in the root's axes
    limits: np.ndarray  # (B, U) m, 99th percentile of the distances from them


def find_usual(skeleton: Skeleton, motions: Sequence[np.ndarray], yaws: Sequence[np.ndarray], rate: float) -> Usual:
    """From the source's own global positions (F, J, 3) and facings (F,)."""
    joints = list_upper_body(skeleton)
    hips = skeleton.roles.get("hips", 0)
    heights = np.concatenate([own[:, :, 1] - own[:, :1, 1] for own in motions])
    places = np.concatenate([find_places(own, yaw, joints, hips) for own, yaw in zip(motions, yaws)])
    bands = np.concatenate([find_bands(own, rate) for own in motions])
    top = int(np.argmax(np.median(heights, axis=0)))
    made = []
    for band in range(len(EDGES) + 1):
        own = bands == band
        own = own if own.sum() >= MIN_SECONDS * rate else np.ones(len(bands), bool)
        middle = np.median(places[own], axis=0)
        apart = np.linalg.norm(places[own] - middle, axis=-1)
        made.append((np.median(heights[own, top]), middle, np.percentile(apart, HIGH, axis=0)))
    return Usual(top, np.array([one[0] for one in made]), joints, *(np.stack([one[k] for one in made]) for k in (1, 2)))


def list_upper_body(skeleton: Skeleton) -> np.ndarray:
    """Joints (U,) below the hips that are no part of a leg; all but the root where there are no legs."""
    legs = {skeleton.roles[role] for role in LEGS if role in skeleton.roles}
    hips, parents = skeleton.roles.get("hips", 0), skeleton.parents.tolist()
    below, of_leg = [False] * len(parents), [False] * len(parents)
    for joint, parent in enumerate(parents):
        below[joint] = parent >= 0 and (parent == hips or below[parent])
        of_leg[joint] = joint in legs or (parent >= 0 and of_leg[parent])
    return np.flatnonzero(np.array(below) & ~np.array(of_leg))


def find_places(positions: np.ndarray, yaws: np.ndarray, joints: np.ndarray, hips: int) -> np.ndarray:
    """Places (F, U, 3) of joints from the hips, in the root's axes."""
    apart = positions[:, joints].astype(np.float64) - positions[:, [hips]]
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    return np.stack([c * apart[..., 0] - s * apart[..., 2], apart[..., 1], s * apart[..., 0] + c * apart[..., 2]], -1)


def find_bands(positions: np.ndarray, rate: float) -> np.ndarray:
    """The band (F,) of speeds of the root at each frame."""
    return np.searchsorted(EDGES, steady_speeds(positions[:, 0].astype(np.float64), rate), side="right")


def is_low(usual: Usual, positions: np.ndarray, rate: float) -> np.ndarray:
    """Frames (F,) whose body is much lower than usual at that speed, above the ground that the root is on."""
    heights = positions[:, usual.top, 1] - positions[:, 0, 1]
    return heights < LOW_BODY * usual.heights[find_bands(positions, rate)]


def is_far(usual: Usual, skeleton: Skeleton, positions: np.ndarray, yaws: np.ndarray, rate: float) -> np.ndarray:
    """Which joint-frames (F, U) of the upper body are farther from the median than all but 1 % of the source.

    While the speed changes, what is usual just before or after is usual too.
    """
    bands = find_bands(positions, rate)
    places = find_places(positions, yaws, usual.joints, skeleton.roles.get("hips", 0))
    far = np.ones(places.shape[:2], bool)
    for band in np.unique(bands):
        near = maximum_filter1d((bands == band).astype(np.uint8), 2 * round(PASSING_SECONDS * rate) + 1) > 0
        apart = np.linalg.norm(places[near] - usual.places[band], axis=-1)
        far[near] &= apart > usual.limits[band]
    return far


def has_hand_up(skeleton: Skeleton, positions: np.ndarray) -> np.ndarray | None:
    """Frames (F,) with a hand above its shoulder; None for a skeleton without arms."""
    up = np.zeros(len(positions), bool)
    for side in ("left", "right"):
        if not {f"{side}_hand", f"{side}_upper_arm"} <= set(skeleton.roles):
            return None
        hand, shoulder = skeleton.roles[f"{side}_hand"], skeleton.roles[f"{side}_upper_arm"]
        up |= positions[:, hand, 1] > positions[:, shoulder, 1]
    return up
