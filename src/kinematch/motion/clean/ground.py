"""The height of the ground below a body, from its stances, and a root at this height."""

from collections.abc import Iterable

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_joints, find_contacts
from kinematch.motion.clean.floor import lowest_points
from kinematch.motion.clip import Clip, true_ranges

MIN_STEP = 0.08  # m: lower steps are unevenness of the floor, or of the capture
SMOOTHING_SECONDS = 0.25  # over which the height goes from one step to the next


def find_ground(clip: Clip, joints: Iterable[str] | None = None) -> Array:
    """Height (F,) in metres of the ground under a body, above the lowest that it stands on.

    A planted foot gives the height. While two stand on unlike heights, and in flight, it goes over from the height
    before to the one after.
    """
    chosen = contact_joints(clip.skeleton, joints)
    contacts = find_contacts(clip, joints, height_on=np.inf, height_off=np.inf)
    heights = kinematics.global_pose(clip)[0][:, chosen, 1].astype(np.float64)
    levels = np.full(heights.shape, np.nan)
    stances = [[(a, b, np.median(heights[a:b, k])) for a, b in true_ranges(contacts[:, k])] for k in range(len(chosen))]
    floor = min((height for own in stances for _, _, height in own), default=0.0)
    for k, own in enumerate(stances):
        lowest = min((height for _, _, height in own), default=0.0)
        if lowest - floor >= MIN_STEP:
            lowest = floor  # this foot never stands on the lowest floor
        for start, stop, height in own:
            levels[start:stop, k] = height - lowest if height - lowest >= MIN_STEP else 0.0
    some = ~np.isnan(levels)
    low, high = np.where(some, levels, np.inf).min(axis=1), np.where(some, levels, -np.inf).max(axis=1)
    known = np.flatnonzero(some.any(axis=1) & (high - low < MIN_STEP))
    if not len(known) or not high[known].any():
        return np.zeros(clip.frame_count)
    ground = np.interp(np.arange(clip.frame_count), known, high[known])
    return _ease(ground, clip.frame_rate)


def _ease(ground: Array, frame_rate: float) -> Array:
    """Averaged twice: heights that are equal stay as they are, and changes begin and end without a jolt."""
    width = max(1, round(SMOOTHING_SECONDS / 2 * frame_rate))
    kernel = np.ones(width) / width
    for _ in range(2):
        padded = np.pad(ground, (width // 2, width - 1 - width // 2), mode="edge")
        ground = np.convolve(padded, kernel, mode="valid")
    return ground


def find_lowest_floor(clip: Clip, ground: Array, joints: Iterable[str] | None = None) -> float:
    """Height in metres of the lowest floor that a body stands on, given the height (F,) of the ground above it."""
    planted = find_contacts(clip, joints, height_on=np.inf, height_off=np.inf).any(axis=1)
    above = lowest_points(clip, joints) - ground
    return float(np.median(above[planted] if planted.any() else above))


def lower_to_ground(clip: Clip, ground: Array) -> Clip:
    """The body of a clip with a ground root, brought to the root's floor: on it wherever it stands."""
    positions = np.array(clip.positions)
    positions[:, clip.skeleton.children(0), 1] -= ground[:, None]
    return clip.with_(positions=positions)


def raise_root(clip: Clip, ground: Array) -> Clip:
    """The root at the height of the ground, and the body with it."""
    positions = np.array(clip.positions)
    positions[:, 0, 1] += ground
    return clip.with_(positions=positions)
