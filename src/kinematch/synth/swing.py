"""The swinging leg: a path for the ankle from lift to landing that meets the planted foot without a jolt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinematch.math import quaternion
from kinematch.synth import feet, gait
from kinematch.synth.curve import BLEND_SHARE, cubic, near, through
from kinematch.synth.feet import Roll
from kinematch.synth.footsteps import Stances
from kinematch.synth.gait import DEGREE
from kinematch.synth.legs import Leg, knee_hinge, shank_pitch, two_bone
from kinematch.synth.skeleton import (
    ANKLE_HEIGHT,
    BALL_AHEAD,
    BALL_HEIGHT,
    HEEL_BEHIND,
    TOE_LENGTH,
    TOE_TIP_HEIGHT,
)

STEP = 0.004  # s, to difference the planted side of a lift or a landing
STRAIGHTEST = 2 * DEGREE
MOST_ASIDE = 0.12  # m, of a swing around the standing foot
KNEE_SLACK, FLEX_SLACK = 9 * DEGREE, 7 * DEGREE  # how far knee and ankle give way to a fast lift or landing


@dataclass(frozen=True)
class Swings:
    """What shapes the swings of one foot, per swing."""

    peak: np.ndarray  # (N - 1,) rad, the most the knee bends
    when: np.ndarray  # (N - 1,) share of the swing at which it does
    hang: np.ndarray  # (N - 1,) 1 where the foot follows the shank, 0 where it is held level: sidesteps, turns
    clearance: np.ndarray  # (N - 1,) m, of the lowest point of the foot in the middle of the swing
    apart: np.ndarray  # (N - 1,) m, sideways from the other ankle in passing


@dataclass(frozen=True)
class Around:
    """What a leg finds around it, per frame."""

    times: np.ndarray  # (F,) s
    hips: np.ndarray  # (F, 3) m, its hip joint
    facings: np.ndarray  # (F,) rad
    outward: np.ndarray  # (F, 2) direction over the floor to the leg's own side
    other: np.ndarray  # (F, 2) m, place of the other foot


def solve(stances: Stances, roll: Roll, swings: Swings, around: Around) -> Leg:
    """One leg in all frames."""
    from scipy.interpolate import CubicSpline  # here, since it is slow to import

    times, hips, facings = around.times, around.hips, around.facings
    index = feet.stance_index(stances, times)
    within = np.minimum(times, stances.lifts[index])
    ankles = feet.ankle_at(stances, roll, index, within)
    pitches = feet.pitch(stances, roll, index, within)
    bends = np.maximum(feet.toe_pitch(stances, roll, index, within) - pitches, 0.0)
    yaws = stances.yaws[index].copy()
    hip_at, facing_at = CubicSpline(times, hips), CubicSpline(times, facings)

    def planted(which: np.ndarray, at: np.ndarray) -> dict[str, np.ndarray]:
        """State of the planted leg: way from hip to ankle, knee, foot to floor, foot to shank, toes to foot."""
        pitch, toe = feet.pitch(stances, roll, which, at), feet.toe_pitch(stances, roll, which, at)
        ankle, hip, yaw = feet.planted_ankle(stances, which, pitch, toe), hip_at(at), stances.yaws[which]
        span = np.linalg.norm(ankle - hip, axis=-1)
        _, shank, _ = two_bone(hip, ankle, knee_hinge(facing_at(at), yaw))
        return {
            "along": (ankle - hip) / span[:, None],
            "knee": gait.knee_flexion(span),
            "pitch": pitch,
            "flex": pitch - shank_pitch(shank, yaw),
            "bend": np.maximum(toe - pitch, 0.0),
        }

    swinging = np.flatnonzero(times >= stances.lifts[index])
    n = index[swinging]  # the swing of each of these frames
    if len(n) == 0:
        return Leg(ankles, yaws, pitches, bends)
    count = len(stances.lands) - 1
    lift, land = stances.lifts[:-1], stances.lands[1:]
    spans = land - lift
    s = (times[swinging] - lift[n]) / spans[n]
    before, after = np.arange(count), np.arange(1, count + 1)
    off, on = planted(before, lift), planted(after, land)
    off_slopes = {k: (off[k].T - v.T).T / STEP * _like(spans, v) for k, v in planted(before, lift - STEP).items()}
    on_slopes = {k: (v.T - on[k].T).T / STEP * _like(spans, v) for k, v in planted(after, land + STEP).items()}

    def joined(name: str, *rests: tuple[ArrayLike, ArrayLike, ArrayLike]) -> np.ndarray:
        """From the planted state at the lift to the one at the landing, through (place, value, slope) between."""
        return through(s, n, [(0.0, off[name], off_slopes[name]), *rests, (1.0, on[name], on_slopes[name])])

    along = cubic(s[:, None], off["along"][n], on["along"][n], off_slopes["along"][n], on_slopes["along"][n])
    hip, facing = hips[swinging], facings[swinging]
    yaw = stances.yaws[n] + s**3 * (10 - 15 * s + 6 * s * s) * (stances.yaws[n + 1] - stances.yaws[n])
    knee = joined("knee", *_knee_knots(off, on, off_slopes, on_slopes, swings))
    ready = near(off["flex"], off_slopes["flex"], FLEX_SLACK), near(on["flex"], -on_slopes["flex"], FLEX_SLACK)
    flex = joined("flex", (BLEND_SHARE, ready[0], 0.0), (0.55, 4 * DEGREE, 0.0), (1 - BLEND_SHARE, ready[1], 0.0))
    level = joined("pitch", (0.5, -8 * DEGREE, 0.0), (1 - BLEND_SHARE, on["pitch"], 0.0))
    bend = np.maximum(joined("bend", (0.5, 10 * DEGREE, 0.0)), 0.0)
    ankle = hip + gait.leg_length(np.maximum(knee, STRAIGHTEST))[:, None] * quaternion.unit(along)

    hang = swings.hang[n] * (1 - gait.ramp(s, 0.55, 0.9))  # a foot about to land is held as it will land

    def tilted() -> np.ndarray:
        """Pitch of the foot over the ankle as it is now."""
        _, shank, _ = two_bone(hip, ankle, knee_hinge(facing, yaw))
        return level + hang * (shank_pitch(shank, yaw) + flex - level)

    hump = np.sin(np.pi * s) ** 2
    way = ankle[:, [0, 2]] - around.other[swinging]
    outward = around.outward[swinging]
    passing = (np.linalg.norm(way, axis=-1) < 0.3) & (hump > 0.2)
    lack = swings.apart[n] - np.sum(way * outward, -1)
    aside = np.minimum(_most(np.where(passing, lack / np.maximum(hump, 0.2), 0.0), n, count), MOST_ASIDE)
    ankle[:, [0, 2]] += (aside[n] * hump)[:, None] * outward
    pitch = tilted()
    for _ in range(3):
        # raise the whole swing for what is missing in its middle, then what is left near its ends
        lack = swings.clearance[n] * hump - _lowest(ankle[:, 1], pitch, bend)
        ankle[:, 1] += hump * _most(np.where(hump > 0.4, lack / np.maximum(hump, 0.4), 0.0), n, count)[n]
        pitch = tilted()
    for _ in range(2):
        lack = swings.clearance[n] * hump - _lowest(ankle[:, 1], pitch, bend)
        ankle[:, 1] += _soft(lack, 0.002 * np.sin(np.pi * s))
        pitch = tilted()
    leg = ankle - hip
    length = np.linalg.norm(leg, axis=-1, keepdims=True)
    ankle = hip + leg * np.minimum(1.0, gait.leg_length(STRAIGHTEST) / length)
    pitch = tilted()
    ball = ankle[:, 1] - (ANKLE_HEIGHT - BALL_HEIGHT) * np.cos(pitch) + BALL_AHEAD * np.sin(pitch)
    bend = np.maximum(bend, -pitch - np.arcsin(np.clip((ball - BALL_HEIGHT) / TOE_LENGTH, -1.0, 1.0)))
    ankles[swinging], pitches[swinging], yaws[swinging], bends[swinging] = ankle, pitch, yaw, bend
    return Leg(ankles, yaws, pitches, bends)


Knots = Mapping[str, np.ndarray]  # angles or their slopes in rad, by what bends


def _knee_knots(off: Knots, on: Knots, off_slopes: Knots, on_slopes: Knots, swings: Swings) -> list[tuple[Any, ...]]:
    """The knee bends to its peak and is nearly straight before the landing; one that still stretches stops first."""
    slope = off_slopes["knee"]
    u = BLEND_SHARE / swings.when
    plain = cubic(u, off["knee"], swings.peak, slope * swings.when, 0.0)
    # the derivative of that cubic, so that the knot changes nothing where the knee bends already
    going = (1 - u) * ((1 - 3 * u) * slope + 6 * u * (swings.peak - off["knee"]) / swings.when)
    stretching = slope < 0
    stop = np.maximum(near(off["knee"], slope, KNEE_SLACK), 4 * DEGREE)
    low = np.maximum(near(on["knee"], -on_slopes["knee"], KNEE_SLACK), 3 * DEGREE)
    return [
        (BLEND_SHARE, np.where(stretching, stop, plain), np.where(stretching, 0.0, going)),
        (swings.when, swings.peak, 0.0),
        (1 - BLEND_SHARE, low, 0.0),
    ]


def _like(spans: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Spans (N,) with the axes of values (N, ...)."""
    return spans.reshape(-1, *[1] * (values.ndim - 1))


def _most(values: np.ndarray, which: np.ndarray, count: int) -> np.ndarray:
    """The greatest value of each swing, at least zero."""
    out = np.zeros(count)
    np.maximum.at(out, which, values)
    return out


def _soft(x: np.ndarray, width: np.ndarray) -> np.ndarray:
    """The positive part, rounded within a width; nothing at the ends, where the width is zero."""
    return (x + np.sqrt(x * x + width * width)) / 2


def _lowest(ankle: np.ndarray, pitch: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """Height of the lowest of heel, ball and toe tip over where it is when the foot stands."""
    cosine, sine = np.cos(pitch), np.sin(pitch)
    heel = ankle - ANKLE_HEIGHT * cosine - HEEL_BEHIND * sine
    ball = ankle - (ANKLE_HEIGHT - BALL_HEIGHT) * cosine + BALL_AHEAD * sine
    drop = BALL_HEIGHT - TOE_TIP_HEIGHT
    tip = ball + TOE_LENGTH * np.sin(pitch + bend) - drop * np.cos(pitch + bend)
    return np.minimum(np.minimum(heel, ball - BALL_HEIGHT), tip - TOE_TIP_HEIGHT)
