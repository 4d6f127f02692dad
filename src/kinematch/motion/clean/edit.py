"""Cut clips in time, scale them to a leg length, and put quaternion signs right."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.skeleton import Skeleton


def trim(clip: Clip, start: float = 0.0, stop: float | None = None) -> Clip:
    """The frames from start until before stop, in seconds; without stop, to the end."""
    first = _frame(clip, start)
    last = clip.frame_count if stop is None else _frame(clip, stop)
    if first >= last:
        raise KinematchError(
            f"clip {clip.name!r}: nothing lies between {start} s and {_end(clip) if stop is None else stop} s"
        )
    return clip.frames(first, last)


def split(clip: Clip, times: Iterable[float]) -> list[Clip]:
    """The pieces between the times, in seconds; the frame at a time begins the next piece."""
    cuts = [0, *(_frame(clip, time) for time in sorted(times)), clip.frame_count]
    return [clip.frames(a, b) for a, b in pairwise(cuts) if a < b]


def drop(clip: Clip, ranges: Iterable[tuple[float, float]]) -> list[Clip]:
    """What is left without the ranges [start, stop) in seconds, as separate clips: motion must not jump the gap."""
    kept = np.ones(clip.frame_count, bool)
    for start, stop in ranges:
        first, last = _frame(clip, start), _frame(clip, stop)
        if first >= last:
            raise KinematchError(f"clip {clip.name!r}: nothing lies between {start} s and {stop} s")
        kept[first:last] = False
    if not kept.any():
        raise KinematchError(f"clip {clip.name!r}: the ranges drop all of its {_end(clip):.2f} s")
    return [clip.frames(start, stop) for start, stop in true_ranges(kept)]


def unroll(clip: Clip) -> Clip:
    """The same rotations with signs continuous along time, as interpolation and filters need them."""
    return clip.with_(rotations=quaternion.unroll(clip.rotations))


def leg_length(skeleton: Skeleton) -> float:
    """Metres from hip joint over the knee to the ankle, the mean of both legs."""
    positions, _ = kinematics.rest_pose(skeleton)  # distances, since not in every rig the ankle hangs on the knee
    lengths = []
    for side in ("left", "right"):
        roles = [f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot")]
        missing = [role for role in roles if role not in skeleton.roles]
        if missing:
            raise KinematchError(f"no joint has the role {missing[0]!r}, so the legs cannot be measured")
        leg = positions[[skeleton.roles[role] for role in roles]]
        lengths.append(np.linalg.norm(np.diff(leg, axis=0), axis=-1).sum())
    return float(np.mean(lengths))


def scale(clip: Clip, factor: float) -> Clip:
    """Skeleton and movement made larger or smaller together."""
    if not 0 < factor < np.inf:
        raise KinematchError(f"clip {clip.name!r}: cannot scale by {factor}; expected a positive number")
    skeleton = clip.skeleton
    larger = replace(skeleton, offsets=skeleton.offsets * factor, end_offsets=skeleton.end_offsets * factor)
    return clip.with_(skeleton=larger, positions=clip.positions * factor)


def scale_to_leg_length(clip: Clip, metres: float) -> Clip:
    """Scaled until the legs are so long from hip joint to ankle."""
    if not 0 < metres < np.inf:
        raise KinematchError(f"clip {clip.name!r}: leg length {metres} m, expected a positive number")
    length = leg_length(clip.skeleton)
    if length == 0:
        raise KinematchError(f"clip {clip.name!r}: its legs have no length to scale")
    return scale(clip, metres / length)


def _end(clip: Clip) -> float:
    return clip.frame_count / clip.frame_rate


def _frame(clip: Clip, seconds: float) -> int:
    """The frame nearest to a time within the clip; its end counts as one past the last frame."""
    frame = round(seconds * clip.frame_rate) if np.isfinite(seconds) else -1
    if not 0 <= frame <= clip.frame_count:
        raise KinematchError(f"clip {clip.name!r} runs from 0 to {_end(clip):.3f} s; {seconds} s is outside")
    return frame
