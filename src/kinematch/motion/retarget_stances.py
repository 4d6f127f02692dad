"""Stances of a retargeted clip: how far feet are shifted so that they stand still and on the floor while planted.

Poses are retargeted one by one, which keeps planted feet planted but for two things: a foot that stands wider than the
source's swings sideways when it turns, and floors of recordings are uneven. A clip is known as a whole, so both are
taken out of each stance, and fade from one stance to the next while the foot is in the air. A live character has a foot
lock for this (character.stages.feet).
"""

from itertools import pairwise

import numpy as np

from kinematch.motion import kernels
from kinematch.motion.clip import true_ranges
from kinematch.motion.retarget_body import Corrections
from kinematch.motion.retarget_correct import aim_feet, measure_soles
from kinematch.motion.retarget_plan import RetargetPlan

SOFT_SOLE = 0.004  # m above the floor up to which a planted sole stays as it is
HIGHEST = 0.15  # of the source's leg, from the floor to its toe joint: a foot that is higher stands on something else


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
        for start, stop in ranges:
            shifts[start:stop, k] = aside[start:stop].mean(axis=0) - aside[start:stop]
            wrong = np.clip(heights[start:stop, k], 0.0, SOFT_SOLE) - heights[start:stop, k]
            low = own[start:stop, k, 1] < height[start:stop] + HIGHEST * fixes.source_lengths[k]
            shifts[start:stop, k, 1] = np.where(low, wrong, 0.0)
        _fade_between(shifts[:, k], ranges)
    return shifts


def _fade_between(shifts: np.ndarray, ranges: list[tuple[int, int]]) -> None:
    """Fill frames (F, 3) between stances with a smooth way from one to the next; before and after, the nearest."""
    if not ranges:
        return
    shifts[: ranges[0][0]], shifts[ranges[-1][1] :] = shifts[ranges[0][0]], shifts[ranges[-1][1] - 1]
    for (_, stop), (start, _) in pairwise(ranges):
        t = (np.arange(stop, start) - (stop - 1)) / (start - stop + 1)
        t = (t * t * (3 - 2 * t))[:, None]
        shifts[stop:start] = (1 - t) * shifts[stop - 1] + t * shifts[start]
