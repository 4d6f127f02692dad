"""The swinging leg: a path for the ankle from lift to landing that meets the planted foot without a jolt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from kinematch.math import quaternion
from kinematch.synth import feet, gait
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
SHORT = 0.09  # share of the swing in which a joint leaves or meets the planted leg's rate of turning


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


@dataclass(frozen=True)
class _Ends:
    """The state of a planted leg at lifts or landings."""

    direction: np.ndarray  # (N, 3) from hip to ankle
    knee: np.ndarray  # (N,) rad
    pitch: np.ndarray  # (N,) rad, foot against floor
    flex: np.ndarray  # (N,) rad, foot against shank
    bend: np.ndarray  # (N,) rad, toes against foot


def solve(stances: Stances, roll: Roll, swings: Swings, around: Around) -> Leg:
    """One leg in all frames."""
    times, hips, facings = around.times, around.hips, around.facings
    index = feet.stance_index(stances, times)
    within = np.minimum(times, stances.lifts[index])
    ankles = feet.ankle_at(stances, roll, index, within)
    pitches = feet.pitch(stances, roll, index, within)
    bends = np.maximum(feet.toe_pitch(stances, roll, index, within) - pitches, 0.0)
    yaws = stances.yaws[index].copy()
    hip_at, facing_at = CubicSpline(times, hips), CubicSpline(times, facings)

    def planted(which: np.ndarray, at: np.ndarray) -> _Ends:
        pitch, toe = feet.pitch(stances, roll, which, at), feet.toe_pitch(stances, roll, which, at)
        ankle, hip, yaw = feet.planted_ankle(stances, which, pitch, toe), hip_at(at), stances.yaws[which]
        span = np.linalg.norm(ankle - hip, axis=-1)
        _, shank, _ = two_bone(hip, ankle, knee_hinge(facing_at(at), yaw))
        flex = pitch - shank_pitch(shank, yaw)
        bend = np.maximum(toe - pitch, 0.0)
        return _Ends((ankle - hip) / span[:, None], gait.knee_flexion(span), pitch, flex, bend)

    count = len(stances.lands) - 1
    before, after = np.arange(count), np.arange(1, count + 1)
    lift, land = stances.lifts[:-1], stances.lands[1:]
    starts = planted(before, lift), planted(before, lift - STEP)
    stops = planted(after, land), planted(after, land + STEP)
    for n in range(count):
        window = slice(*np.searchsorted(times, [lift[n], land[n]]))
        if window.start == window.stop:
            continue
        span = land[n] - lift[n]
        s = (times[window] - lift[n]) / span

        def joined(name: str, *rests: tuple[float, float], n: int = n, s: np.ndarray = s, span: float = span):
            """Cubics from the planted state at the lift to the one at the landing, at rest at (place, value) between."""
            a, b = getattr(starts[0], name)[n], getattr(stops[0], name)[n]
            slopes = (a - getattr(starts[1], name)[n]) / STEP * span, (getattr(stops[1], name)[n] - b) / STEP * span
            knots = [(0.0, a, slopes[0]), *((place, value, 0.0) for place, value in rests), (1.0, b, slopes[1])]
            return _pieces(s, knots)

        d0, d1 = (end.direction[n] for end in starts)
        e0, e1 = (end.direction[n] for end in stops)
        direction = quaternion.unit(_cubic(s[:, None], d0, e0, (d0 - d1) / STEP * span, (e1 - e0) / STEP * span))
        yaw = stances.yaws[n] + s**3 * (10 - 15 * s + 6 * s * s) * (stances.yaws[n + 1] - stances.yaws[n])
        # the joints come to rest soon after the lift, and again just before they take the weight
        names, most = ("knee", "flex"), (3 * DEGREE, 7 * DEGREE)
        off, on = (
            [_near(getattr(at, name)[n], getattr(by, name)[n], span, most=m) for name, m in zip(names, most)]
            for at, by in (starts, stops)
        )
        rests = [(swings.when[n], swings.peak[n]), (1 - SHORT, max(on[0], 3 * DEGREE))]
        if off[0] < starts[0].knee[n]:  # still stretching
            rests.insert(0, (SHORT, max(off[0], 4 * DEGREE)))
        knee = np.maximum(joined("knee", *rests), STRAIGHTEST)
        flex = joined("flex", (SHORT, off[1]), (0.55, 4 * DEGREE), (1 - SHORT, on[1]))
        level = joined("pitch", (0.5, -8 * DEGREE), (1 - SHORT, stops[0].pitch[n]))
        bend = np.maximum(joined("bend", (0.5, 10 * DEGREE)), 0.0)
        ankle = hips[window] + gait.leg_length(knee)[:, None] * direction

        def tilted(ankle: np.ndarray, *, n: int = n, window: slice = window, yaw=yaw, flex=flex, level=level):
            """Pitch of the foot over an ankle."""
            _, shank, _ = two_bone(hips[window], ankle, knee_hinge(facings[window], yaw))
            return level + swings.hang[n] * (shank_pitch(shank, yaw) + flex - level)

        hump = np.sin(np.pi * s) ** 2
        way = ankle[:, [0, 2]] - around.other[window]
        aside = np.sum(way * around.outward[window], -1)
        passing = (np.linalg.norm(way, axis=-1) < 0.3) & (hump > 0.2)
        aside = min(np.max(((swings.apart[n] - aside) / np.maximum(hump, 0.2))[passing], initial=0.0), MOST_ASIDE)
        ankle[:, [0, 2]] += (aside * hump)[:, None] * around.outward[window]
        pitch = tilted(ankle)
        for _ in range(3):
            # raise the whole swing for what is missing in its middle, then what is left near its ends
            lack = swings.clearance[n] * hump - _lowest(ankle[:, 1], pitch, bend)
            ankle[:, 1] += hump * np.max((lack / np.maximum(hump, 0.4))[hump > 0.4], initial=0.0)
            pitch = tilted(ankle)
        lack = swings.clearance[n] * hump - _lowest(ankle[:, 1], pitch, bend)
        ankle[:, 1] += _soft(lack, 0.003 * np.sin(np.pi * s))
        pitch = tilted(ankle)
        leg = ankle - hips[window]
        length = np.linalg.norm(leg, axis=-1, keepdims=True)
        ankle = hips[window] + leg * np.minimum(1.0, gait.leg_length(STRAIGHTEST) / length)
        pitch = tilted(ankle)
        ball = ankle[:, 1] - (ANKLE_HEIGHT - BALL_HEIGHT) * np.cos(pitch) + BALL_AHEAD * np.sin(pitch)
        bend = np.maximum(bend, -pitch - np.arcsin(np.clip((ball - BALL_HEIGHT) / TOE_LENGTH, -1.0, 1.0)))
        ankles[window], pitches[window], yaws[window], bends[window] = ankle, pitch, yaw, bend
    return Leg(ankles, yaws, pitches, bends)


def _cubic(u: np.ndarray, a: ArrayLike, b: ArrayLike, slope_a: ArrayLike, slope_b: ArrayLike) -> np.ndarray:
    """Hermite's cubic on 0..1."""
    v = 1 - u
    return v * v * (1 + 2 * u) * a + u * u * (1 + 2 * v) * b + u * v * (v * slope_a - u * slope_b)


def _near(end: float, beyond: float, span: float, *, most: float) -> float:
    """A value a short time inside the swing from which a cubic meets the planted side without swinging far out.

    A gentle rate is followed; a fast one is met by a small counter-movement, as the leg does that catches the weight.
    """
    change = float(SHORT * span / 3 * (end - beyond) / STEP)
    return end + float(np.clip(change * (1 - abs(change) / most), -most, most))


def _pieces(s: np.ndarray, knots: list[tuple[float, float, float]]) -> np.ndarray:
    """Cubics through (place, value, slope)."""
    out = np.empty_like(s)
    for (p, a, slope_a), (q, b, slope_b) in zip(knots[:-1], knots[1:]):
        here = (s >= p) & (s <= q)
        out[here] = _cubic((s[here] - p) / (q - p), a, b, slope_a * (q - p), slope_b * (q - p))
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
