"""Flights: times with both feet off the ground, classified as jumps or strides of a run.

A stride takes off with one foot and lands on the other, and the strides before and after it are like it. What takes
off or lands with both feet, or with the same foot, is a jump, as is a stride that flies longer or higher than a run.
"""

from dataclasses import dataclass

import numpy as np

from kinematch.math import smoothing
from kinematch.math.quaternion import Array
from kinematch.motion.clean.floor import lowest_points
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.kinematics import end_positions, global_pose
from kinematch.motion.labels.posture import SIDES

FREE_FALL = 5.5  # m/s^2 downward of the hips, of an adult, smoothed: nothing supports them
MIN_CLEARANCE = 0.04  # leg lengths that both soles are above the ground
MIN_FLIGHT_SECONDS = 0.13
GROUND_SECONDS = 0.6  # on either side, within which the lowest point seen is the ground
CONTACT_SECONDS = 0.1  # before a flight and after it, in which a foot pushes off or lands
FOOT_STEP = 0.02  # leg lengths by which one sole is above the other while the other foot alone is down
HOP_SECONDS = 0.2  # longer flights may end on an object
JUMP_CLEARANCE = 0.1  # leg lengths; after landing, feet are raised off their heels by less
RISE = 0.16  # leg lengths that hips rise from the dip before a jump; runners bob by 0.12 at most
STRIDE_SECONDS, STRIDE_CLEARANCE = 0.3, 0.25  # s and leg lengths: upper bounds for strides of a run
CYCLE_SECONDS, ALIKE = 0.9, 1.5  # s between flights of one gait, and how many times as long one may be as the other


@dataclass(frozen=True)
class Flight:
    start: int  # frames [start, stop)
    stop: int
    changes_feet: bool  # takes off with one foot and lands on the other
    clearance: float  # leg lengths that the lower sole is above the ground at most
    lands: bool  # comes down again, at once
    rise: float  # leg lengths from the hips' lowest point before to their highest


def find_jumps(clip: Clip, leg: float) -> list[Flight]:
    """The flights of a clip, without strides of a run; `leg` is the length of a leg in m."""
    flights = find_flights(clip, leg)
    return [flight for flight in flights if not _is_stride(flight, flights, clip.frame_rate)]


def find_flights(clip: Clip, leg: float) -> list[Flight]:
    """All stretches in which both soles are above the ground and the hips fall freely."""
    rate = clip.frame_rate
    soles = find_sole_heights(clip) / leg
    clearance = lowest_points(clip) / leg - _ground(lowest_points(clip), rate) / leg
    flags = find_free_fall(clip) & (clearance > MIN_CLEARANCE)
    hips = global_pose(clip)[0][:, clip.skeleton.roles["hips"], 1] / leg
    near, before = max(1, round(CONTACT_SECONDS * rate)), round(GROUND_SECONDS * rate)
    found = []
    for start, stop in true_ranges(flags):
        if stop - start < MIN_FLIGHT_SECONDS * rate:
            continue
        apart = soles[:, 0] - soles[:, 1]
        off, down = apart[max(0, start - near) : start], apart[stop : stop + near]
        low = hips[max(0, start - before) : stop].min()
        rise = float(hips[start:stop].max() - low)
        highest = float(clearance[start:stop].max())
        lands = stop == len(flags) or bool((clearance[stop : stop + 2 * near] < 0.5 * highest).any())
        found.append(Flight(start, stop, _changes(off, down), highest, lands, rise))
    return found


def find_free_fall(clip: Clip) -> Array:
    """Frames (F,) in which the hips fall freely: what they do in the air, however high the ground below."""
    if clip.frame_count < 2:
        return np.zeros(clip.frame_count, bool)
    rate = clip.frame_rate
    hips = global_pose(clip)[0][:, clip.skeleton.roles["hips"], 1:2].astype(np.float64)
    height = smoothing.savitzky_golay(hips, seconds=0.25, frame_rate=rate)[:, 0]
    return np.gradient(np.gradient(height)) * rate**2 < -FREE_FALL


def _changes(off: Array, down: Array) -> bool:
    """Whether one foot pushes off and the other lands; at an end of the clip, the other foot decides."""
    first, last = (float(side.mean()) if len(side) else np.nan for side in (off, down))
    if np.isnan(first) or np.isnan(last):
        return bool(abs(np.nan_to_num(first)) > FOOT_STEP or abs(np.nan_to_num(last)) > FOOT_STEP)
    return first * last < 0 and min(abs(first), abs(last)) > FOOT_STEP


def _is_stride(flight: Flight, flights: list[Flight], rate: float) -> bool:
    seconds = (flight.stop - flight.start) / rate
    if seconds < HOP_SECONDS and not flight.lands:
        return True  # a step up onto something, taken fast
    if not flight.changes_feet:
        return flight.rise < RISE or flight.clearance < JUMP_CLEARANCE
    if seconds <= STRIDE_SECONDS and flight.clearance <= STRIDE_CLEARANCE:
        return True
    others = [one for one in flights if one is not flight and one.changes_feet]
    apart = [abs(one.start + one.stop - flight.start - flight.stop) / (2 * rate) for one in others]
    longs = [(one.stop - one.start) / rate for one, gap in zip(others, apart) if gap < CYCLE_SECONDS]
    return any(max(long, seconds) < ALIKE * min(long, seconds) for long in longs)


def find_sole_heights(clip: Clip) -> Array:
    """Height (F, 2) m of the lowest point of either foot."""
    skeleton = clip.skeleton
    positions, rotations = global_pose(clip)
    ends = end_positions(skeleton, positions, rotations)
    columns = []
    for side in SIDES:
        foot = skeleton.roles[f"{side}_foot"]
        below = [j for j in range(skeleton.joint_count) if foot in skeleton.chain(j)]
        points = [positions[:, below, 1], ends[:, np.isin(skeleton.end_parents, below), 1]]
        columns.append(np.concatenate(points, axis=1).min(axis=1))
    return np.stack(columns, axis=1)


def _ground(heights: Array, rate: float) -> Array:
    from scipy.ndimage import minimum_filter1d  # here, since it is slow to import

    return minimum_filter1d(heights, 2 * round(GROUND_SECONDS * rate) + 1, mode="nearest")
