"""Legs: how deep the shanks and feet of the two legs pass into one another, taken as capsules."""

from collections.abc import Sequence

import numpy as np

from kinematch.character.constants import FOOT_RADIUS, SHANK_RADIUS
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.skeleton import Skeleton

MAX_OVERLAP = 0.01  # m of an adult, whose legs are ADULT_LEG long
ADULT_LEG = 0.9  # m
PARTS = (("lower_leg", "foot"), ("foot", "toes"))
MIN_SQUARE = 1e-12  # m^2, of a segment that has a direction


def measure_overlaps(skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
    """Metres (F,) of an adult by which a shank or foot is inside one of the other leg, at global positions (F, J, 3).

    Zero for a skeleton without the roles of two legs.
    """
    roles = skeleton.roles
    if any(f"{side}_{role}" not in roles for side in ("left", "right") for part in PARTS for role in part):
        return np.zeros(len(positions))
    leg = leg_length(skeleton)
    if leg <= 0:
        return np.zeros(len(positions))
    positions = positions.astype(np.float64)

    def ends(side: str, part: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
        return positions[:, roles[f"{side}_{part[0]}"]], positions[:, roles[f"{side}_{part[1]}"]]

    deepest = np.zeros(len(positions))
    for left, left_radius in zip(PARTS, (SHANK_RADIUS, FOOT_RADIUS)):
        for right, right_radius in zip(PARTS, (SHANK_RADIUS, FOOT_RADIUS)):
            apart = measure_distances(*ends("left", left), *ends("right", right)) / leg
            deepest = np.maximum(deepest, left_radius + right_radius - apart)
    return deepest * ADULT_LEG


def measure_overlap_share(skeleton: Skeleton, motions: Sequence[np.ndarray]) -> float:
    """The share of the frames of motions (F, J, 3) in which legs are more than MAX_OVERLAP inside one another."""
    return float((np.concatenate([measure_overlaps(skeleton, own) for own in motions]) > MAX_OVERLAP).mean())


def measure_distances(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Shortest distances (F,) between the segments a-b and c-d (Ericson, Real-Time Collision Detection 5.1.9)."""
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    uw, vw = _dot(u, w), _dot(v, w)
    square = uu * vv - uv * uv
    s = np.where(square > MIN_SQUARE**2, (uv * vw - uw * vv) / np.maximum(square, MIN_SQUARE**2), 0.0).clip(0, 1)
    t = ((uv * s + vw) / np.maximum(vv, MIN_SQUARE)).clip(0, 1)
    s = ((uv * t - uw) / np.maximum(uu, MIN_SQUARE)).clip(0, 1)
    return np.linalg.norm(w + u * s[:, None] - v * t[:, None], axis=-1)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)
