"""Smoothness: accelerations and jerks of every joint in the world, against those of the source clips."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.motion.clip import true_ranges
from kinematch.motion.skeleton import Skeleton

HIGH = 99.9  # percentile of the source
POP = 1.5  # times the source's maximum
JUMP_SECONDS = 0.25  # s after a jump that belong to it
APART = 0.1  # s between two pops that count as two


@dataclass(frozen=True, eq=False)
class Limits:
    """Of each joint in the source."""

    joints: np.ndarray  # (M,) that count: not the root, nor other invisible ones
    accelerations: np.ndarray  # (J,) m/s^2, the 99.9th percentile
    largest: np.ndarray  # (J,) m/s^2
    jerks: np.ndarray  # (J,) m/s^3, the 99.9th percentile


def accelerations(positions: np.ndarray, rate: float) -> np.ndarray:
    """Sizes (T, J) of the second differences of global positions (T, J, 3), zero at both ends."""
    p = positions.astype(np.float64)
    out = np.zeros(p.shape[:2])
    if len(p) > 2:
        out[1:-1] = np.linalg.norm(p[2:] - 2 * p[1:-1] + p[:-2], axis=-1) * rate**2
    return out


def jerks(positions: np.ndarray, rate: float) -> np.ndarray:
    """Sizes (T, J) of central third differences, zero at the ends; narrower ones depend on where between two frames
    a jump falls."""
    p = positions.astype(np.float64)
    out = np.zeros(p.shape[:2])
    if len(p) > 4:
        out[2:-2] = np.linalg.norm(p[4:] - 2 * p[3:-1] + 2 * p[1:-3] - p[:-4], axis=-1) * 0.5 * rate**3
    return out


def find_body_joints(skeleton: Skeleton) -> np.ndarray:
    """Joints (M,) of the body below its root: with the hips' role, the hips and what hangs on them.

    Controls that animators leave beside the body, such as the targets of knees and elbows, are invisible, and
    hardly move in some clips."""
    hips = skeleton.roles.get("hips", 0)
    body = np.zeros(skeleton.joint_count, bool)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        body[joint] = joint == hips or (parent >= 0 and body[parent])
    body[0] = False
    return np.flatnonzero(body)


def limits_of(
    motions: Sequence[np.ndarray],
    rate: float,
    weights: Sequence[np.ndarray] | None = None,
    joints: np.ndarray | None = None,
    parents: np.ndarray | None = None,
) -> Limits:
    """Of the source's global positions (F, J, 3), clip by clip; frames count by their weights (F,), or all alike.

    With `parents` a joint's limits of acceleration are no lower than those of the joint that carries it: hands that an
    animator holds stiff before a bouncing chest accelerate less than the chest, and would be rough wherever arms move.
    """
    second = np.concatenate([accelerations(positions, rate) for positions in motions])
    third = np.concatenate([jerks(positions, rate) for positions in motions])
    counted = np.arange(1, second.shape[1]) if joints is None else joints
    if weights is None:
        high = [np.percentile(values, HIGH, axis=0) for values in (second, third)]
    else:
        high = [_weighted_percentile(values, np.concatenate(weights)) for values in (second, third)]
    made = [high[0], second.max(axis=0)]
    if parents is not None:
        for joint in counted.tolist():  # parents come first
            if parents[joint] in counted:
                for own in made:
                    own[joint] = max(own[joint], own[parents[joint]])
    return Limits(counted, made[0], made[1], high[1])


def _weighted_percentile(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The value (J,) of each column (F, J) above which no more than what is left of HIGH weighs."""
    order = np.argsort(values, axis=0)
    below = np.cumsum(weights[order], axis=0)
    first = np.argmax(below >= HIGH / 100 * below[-1], axis=0)
    columns = np.arange(values.shape[1])
    return values[order[first, columns], columns]


def exceeding(positions: np.ndarray, rate: float, limits: Limits) -> np.ndarray:
    """Which joint-frames (T, M) lie above the source's 99.9th percentile."""
    return accelerations(positions[:, limits.joints], rate) > limits.accelerations[limits.joints]


def excess(positions: np.ndarray, rate: float, limits: Limits) -> np.ndarray:
    """Accelerations (T, M) as multiples of the source's largest of that joint."""
    return accelerations(positions[:, limits.joints], rate) / limits.largest[limits.joints]


def pops(excess: np.ndarray, rate: float) -> list[tuple[int, int]]:
    """Stretches of frames in which some joint is above 1.5 times its largest in the source; near ones count as one."""
    found: list[tuple[int, int]] = []
    for start, stop in true_ranges(np.any(excess > POP, axis=1)):
        if found and start - found[-1][1] < APART * rate:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return found


def peaks_at(moments: np.ndarray, values: np.ndarray, rate: float) -> np.ndarray:
    """The largest of values (T, J) in the quarter second from each moment (M,) on, one step before it included."""
    window = round(JUMP_SECONDS * rate)
    return np.array([values[max(0, m - 1) : m + window].max() for m in moments], np.float64)
