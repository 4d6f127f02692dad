"""Recorded trackers at even times, as a body that is stepped at a fixed rate takes them."""

import numpy as np

from kinematch.avatar.trackers import Trackers
from kinematch.errors import KinematchError
from kinematch.math import quaternion

MAX_GAP_SECONDS = 0.25  # s between two samples; across longer ones nothing is known


def resample_trackers(trackers: Trackers, frame_rate: float) -> Trackers:
    """One user over time, interpolated at even steps from the first sample to the last.

    A point is tracked where it is in both samples around; fingers are those of the sample before.
    """
    if not 0 < frame_rate <= 1000:
        raise KinematchError(f"{frame_rate} samples per second, expected more than 0 and at most 1000")
    if not len(trackers):
        raise KinematchError("no samples")
    first, last = trackers.times[0], trackers.times[-1]
    times = first + np.arange(int((last - first) * frame_rate + 1e-6) + 1) / frame_rate
    after = np.clip(np.searchsorted(trackers.times, times, side="left"), 1, max(len(trackers) - 1, 1))
    after = np.minimum(after, len(trackers) - 1)
    before = np.maximum(after - 1, 0)
    gaps = trackers.times[after] - trackers.times[before]
    share = np.clip((times - trackers.times[before]) / np.where(gaps > 0, gaps, 1.0), 0, 1)[:, None]

    def blend(values: np.ndarray) -> np.ndarray:
        return values[before] + share[..., None] * (values[after] - values[before])

    rotations = quaternion.slerp(trackers.rotations[before], trackers.rotations[after], share)
    valid = trackers.valid[before] & trackers.valid[after] & (gaps < MAX_GAP_SECONDS)[:, None]
    fingers = None if trackers.fingers is None else trackers.fingers[np.where(share[:, 0] < 1, before, after)]
    return Trackers(
        times, blend(trackers.positions), rotations, blend(trackers.velocities), blend(trackers.angular_velocities),
        valid, fingers,
    )  # fmt: skip
