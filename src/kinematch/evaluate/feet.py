"""Feet: how far and fast they slide while on the floor, sink into it, or hang above it, from toe heights alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.motion.clip import true_ranges

BAND = 0.01  # m above its resting height, up to which a toe is on the floor
MIN_STANCE_SECONDS = 0.1  # s; what passes the floor more quickly swings
RESTING = 0.25  # quantile of a toe's heights in the source: stances fill more than half of the time
SLOW = 1.5  # m/s of the root, below which no gait leaves the floor


@dataclass(frozen=True, eq=False)
class Floor:
    """Where the toes of a skeleton rest."""

    joints: np.ndarray  # (K,)
    rest: np.ndarray  # (K,) m


@dataclass(frozen=True, eq=False)
class FootMeasures:
    """Measures of one motion, to be pooled."""

    speeds: np.ndarray  # (n,) m/s along the ground, of toes in contact
    drifts: np.ndarray  # (s,) m, farthest from where each stance began
    contact: np.ndarray  # (T, K) bool
    depths: np.ndarray  # (T * K,) m below the resting height, zero above it
    gaps: np.ndarray  # (n,) m of the lower toe above its resting height, while slow


def floor_of(motions: Sequence[np.ndarray], joints: np.ndarray) -> Floor:
    """From the source's own global positions (F, J, 3)."""
    heights = np.concatenate([positions[:, joints, 1] for positions in motions])
    return Floor(np.asarray(joints), np.quantile(heights, RESTING, axis=0))


def feet(positions: np.ndarray, rate: float, floor: Floor, ground: np.ndarray | None = None) -> FootMeasures:
    """Of global positions (T, J, 3); ground (T, K) is the terrain's height below each toe."""
    toes = positions[:, floor.joints].astype(np.float64)
    heights = toes[..., 1] - floor.rest - (0.0 if ground is None else ground)
    contact = in_contact(heights, rate)
    velocity = np.gradient(toes[..., [0, 2]], 1 / rate, axis=0) if len(toes) > 1 else np.zeros_like(toes[..., [0, 2]])
    speeds = np.linalg.norm(velocity, axis=-1)
    drifts = [
        np.linalg.norm(toes[a:b, k][:, [0, 2]] - toes[a, k][[0, 2]], axis=-1).max()
        for k in range(toes.shape[1])
        for a, b in true_ranges(contact[:, k])
    ]
    root = np.linalg.norm(np.gradient(positions[:, 0].astype(np.float64), 1 / rate, axis=0), axis=-1)
    return FootMeasures(
        speeds[contact],
        np.array(drifts, np.float64),
        contact,
        np.maximum(-heights, 0).ravel(),
        np.maximum(heights.min(axis=1), 0)[root < SLOW],
    )


def in_contact(heights: np.ndarray, rate: float) -> np.ndarray:
    """Whether toes (T, K) at heights above rest stand: low for a while, whatever any label or lock says."""
    low = heights < BAND
    for k in range(low.shape[1]):
        for start, stop in true_ranges(low[:, k]):
            if stop - start < MIN_STANCE_SECONDS * rate:
                low[start:stop, k] = False
    return low
