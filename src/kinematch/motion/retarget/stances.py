"""Stances of a retargeted clip: how far feet are shifted so that they stand still and on the floor while planted.

Poses are retargeted one by one, which keeps planted feet planted but for two things: a foot that stands wider than the
source's swings sideways when it turns, and floors of recordings are uneven. A clip is known as a whole, so both are
taken out of each stance. A foot that has left the floor keeps what it had in its stance at first, or it would be swept
aside in the frame in which it rises, and comes down as its next stance has it. A live character has a foot lock for
this (character.stages.feet).
"""

from itertools import pairwise

import numpy as np

from kinematch.motion import kernels
from kinematch.motion.clip import true_ranges
from kinematch.motion.retarget.body import Corrections
from kinematch.motion.retarget.measures import aim_feet, measure_soles
from kinematch.motion.retarget.plan import RetargetPlan

SOFT_SOLE = 0.004  # m above the floor up to which a planted sole stays as it is
RELEASE = 0.6  # of the source's leg, that a foot travels from its stance until it is wherever its pose has it
MAX_STANCE_HEIGHT = 0.15  # of the source's leg, from the floor to its toe joint: a higher foot stands on an object


def find_shifts(
    plan: RetargetPlan, fixes: Corrections, source: tuple[np.ndarray, np.ndarray],
    target: tuple[np.ndarray, np.ndarray], contacts: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Shifts (F, K, 3) m of where feet stand, from local poses of source and uncorrected target and contacts (F, K)."""
    scale = float(plan.scale[0])
    places, turns = kernels.forward_kinematics(*(np.array(a, np.float64) for a in source), plan.source_parents)
    shown = kernels.forward_kinematics(*(np.array(a, np.float64) for a in target), plan.target_parents)
    own, balls = aim_feet(fixes, places, turns, scale=scale)
    height = places[:, 0, 1] if fixes.rooted[0] else np.zeros(len(places))  # of the floor
    heights = balls[..., 1] + measure_soles(fixes, *shown) - scale * height[:, None]
    shifts = np.zeros_like(balls)
    for k in range(len(fixes.legs)):
        ranges = true_ranges(contacts[:, k])
        aside = balls[:, k] - scale * own[:, k]
        means = np.array([aside[start:stop].mean(axis=0) for start, stop in ranges])
        for (start, stop), mean in zip(ranges, means):
            shifts[start:stop, k] = mean - aside[start:stop]
            wrong = np.clip(heights[start:stop, k], 0.0, SOFT_SOLE) - heights[start:stop, k]
            low = own[start:stop, k, 1] < height[start:stop] + MAX_STANCE_HEIGHT * fixes.source_lengths[k]
            shifts[start:stop, k, 1] = np.where(low, wrong, 0.0)
        steps = own[:, k] / (RELEASE * fixes.source_lengths[k])
        _fill_between(shifts[:, k], ranges, means, aside, steps)
    return shifts


def _fill_between(
    shifts: np.ndarray, ranges: list[tuple[int, int]], means: np.ndarray, aside: np.ndarray, steps: np.ndarray
) -> None:
    """Fill shifts (F, 3) of frames without a stance, smoothly from the stance before to the next.

    `aside` (F, 3) is where poses have the foot and `means` (S, 3) where stances do, both from the scaled place;
    `steps` (F, 3) are places of the source's foot, 1 for a way over which it is released.
    """

    def leave(frames: slice, stance: int, edge: int) -> np.ndarray:
        """Shifts of frames as if the stance went on; it fades with the foot's distance from the edge."""
        hold = 1.0 - _smooth(np.minimum(np.linalg.norm(steps[frames] - steps[edge], axis=-1, keepdims=True), 1.0))
        held = hold * (means[stance] - aside[frames])
        held[:, 1] = shifts[edge, 1]  # the floor is no less uneven for a foot that is above it
        return held

    if not ranges:
        return
    before, after = slice(0, ranges[0][0]), slice(ranges[-1][1], len(shifts))
    shifts[before], shifts[after] = leave(before, 0, ranges[0][0]), leave(after, -1, ranges[-1][1] - 1)
    for stance, ((_, stop), (start, _)) in enumerate(pairwise(ranges)):
        air = slice(stop, start)
        t = _smooth((np.arange(stop, start) - (stop - 1)) / (start - stop + 1))[:, None]
        shifts[air] = (1 - t) * leave(air, stance, stop - 1) + t * leave(air, stance + 1, start)


def _smooth(t: np.ndarray) -> np.ndarray:
    return t * t * (3 - 2 * t)
