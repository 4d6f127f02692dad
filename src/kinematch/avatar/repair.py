"""Faulty samples of recordings: clocks that go backwards and poses that are not numbers, mended and reported."""

import re
from typing import Any

import msgspec
import numpy as np

from kinematch.avatar.trackers import POINTS
from kinematch.avatar.velocities import Poses

MAX_LATENESS = 0.1  # s before the last sample that a sample may be; an earlier one means that the clock was set back
DEFAULT_STEP_SECONDS = 1 / 60  # s between the samples around such a moment, if no others are near
NOT_NUMBERS = re.compile(
    rb'(?<![\w"])-?(?:NaN|Infinity|inf|nan)(?![\w"])'
)  # that JSON does not have, and programs write


def decode_json(content: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """What JSON says, with null for NaN and infinite numbers."""
    try:
        return decoder.decode(content)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        mended = NOT_NUMBERS.sub(b"null", content)
        if mended == content:
            raise
        return decoder.decode(mended)


def mend_times(times: np.ndarray, remarks: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Which samples (N,) are kept, and all times (N,) s, which do not decrease among those kept.

    Samples that come a little late, or have no time, are left out. Where the clock was set back, time continues.
    """
    steps = np.diff(times[np.isfinite(times)])
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else DEFAULT_STEP_SECONDS
    kept, mended = np.isfinite(times), times.copy()
    last, shift, reset = -np.inf, 0.0, False
    for n in np.flatnonzero(kept):
        if times[n] + shift < last - MAX_LATENESS:
            shift, reset = last + usual - times[n], True
        mended[n] = times[n] + shift
        kept[n] = mended[n] >= last
        last = max(last, mended[n])
    timeless, late = int((~np.isfinite(times)).sum()), int((~kept & np.isfinite(times)).sum())
    if timeless:
        remarks.append(f"{timeless} of {len(times)} samples have no time; they are left out")
    if late:
        remarks.append(f"{late} of {len(times)} samples are earlier than the one before; they are left out")
    if reset:
        remarks.append("the clock goes backwards; the body continues from there")
    return kept, mended


def report_lost(poses: Poses, remarks: list[str]) -> None:
    """Poses that are not numbers count as not tracked."""
    numbers = np.isfinite(poses.positions).all(axis=-1) & np.isfinite(poses.rotations).all(axis=-1)
    for point, count in zip(POINTS, (poses.valid & ~numbers).sum(axis=0).tolist()):
        if count:
            name = point.replace("_", " ")
            remarks.append(
                f"{count} of {len(poses.times)} poses of the {name} are not numbers; it counts as lost there"
            )
