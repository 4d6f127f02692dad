"""Sampling: what is shown at any rate of steps, seen sixty times a second, so that all rates are scored alike."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.interpolate import Akima1DInterpolator

from kinematch.evaluate.run import CourseRun, Take
from kinematch.math import quaternion
from kinematch.motion.clip import Clip

SCORED = 60.0  # Hz


def seen(run: CourseRun, every: int = 1) -> CourseRun:
    return replace(run, takes=tuple(seen_take(rarer(take, every)) for take in run.takes))


def rarer(take: Take, every: int) -> Take:
    """The take as if only every n-th step had been shown."""
    if every == 1:
        return take
    count = len(take.positions) // every
    arrays = {name: value for name, value in vars(take).items() if isinstance(value, np.ndarray)}
    kept: dict[str, Any] = {name: value[every - 1 : count * every : every] for name, value in arrays.items()}
    kept["jumped"] = take.jumped[: count * every].reshape(count, every).any(axis=1)
    return replace(take, rate=take.rate / every, **kept)


def seen_take(take: Take) -> Take:
    """The take at the rate of scoring: poses in between, frames as of the last step."""
    if take.rate == SCORED:
        return take
    count = int(len(take.positions) * SCORED / take.rate + 1e-6)
    ends = np.arange(1, count + 1) * (take.rate / SCORED)  # when each is seen, in steps
    last = np.clip((ends + 1e-6).astype(int) - 1, 0, len(take.positions) - 1)
    if take.scenario.steer is None:  # what is asked between two steps is asked all the same
        velocities, facings = take.scenario.wanted((np.arange(count) + 0.5) / SCORED)
    else:
        velocities, facings = take.velocities[last], take.facings[last]
    rotations = quaternion.unroll(take.rotations.astype(np.float64))
    return replace(
        take,
        rate=SCORED,
        positions=_between(take.positions, ends).astype(np.float32),
        rotations=quaternion.normalize(_between(rotations, ends)).astype(np.float32),
        global_positions=_between(take.global_positions, ends).astype(np.float32),
        root_yaws=_between(np.unwrap(take.root_yaws), ends),
        body_positions=_between(take.body_positions, ends),
        body_yaws=_between(np.unwrap(take.body_yaws), ends),
        velocities=velocities,
        facings=facings,
        frames=take.frames[last],
        jumped=np.diff(np.concatenate([[0], np.cumsum(take.jumped)[last]])) > 0,
    )


def shown_at(clip: Clip, rate: float) -> Clip:
    """A clip as a character plays it at some rate: between two frames along a straight line."""
    count = int((clip.frame_count - 1) * rate / clip.frame_rate + 1e-6) + 1
    times = 1 + np.arange(count) * (clip.frame_rate / rate)  # in frames, of which the first is 1
    rotations = quaternion.unroll(clip.rotations.astype(np.float64))
    return clip.with_(
        positions=_straight(clip.positions, times).astype(np.float32),
        rotations=quaternion.normalize(_straight(rotations, times)).astype(np.float32),
        frame_rate=rate,
    )


def seen_values(values: np.ndarray, rate: float) -> np.ndarray:
    """Numbers (T, ...) that are shown at some rate, from the first to the last of them, as takes are seen."""
    if rate == SCORED:
        return values
    return _between(values, 1 + np.arange(int((len(values) - 1) * SCORED / rate + 1e-6) + 1) * (rate / SCORED))


def _between(values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Values (T, ...) of steps 1 to T at times in steps: where steps are few, by curves that do not overshoot where
    something stops, so that planted toes do not seem to slide; else along straight lines."""
    if len(ends) > len(values) > 3:
        steps = np.arange(1, len(values) + 1)
        return Akima1DInterpolator(steps, values.astype(np.float64), method="makima", extrapolate=True)(ends)
    return _straight(values, ends)


def _straight(values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    at = np.clip(ends, 1, len(values)) - 1
    first = np.minimum(at.astype(int), max(len(values) - 2, 0))
    share = (at - first).reshape(-1, *[1] * (values.ndim - 1))
    after = np.minimum(first + 1, len(values) - 1)
    return values[first].astype(np.float64) * (1 - share) + values[after] * share
