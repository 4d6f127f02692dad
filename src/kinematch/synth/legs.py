"""Legs: analytic two-bone inverse kinematics, planted feet, and swings that join them without a jolt."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from kinematch.math import quaternion, rotation
from kinematch.synth import feet, gait
from kinematch.synth.feet import Roll
from kinematch.synth.footsteps import Stances
from kinematch.synth.gait import DEGREE
from kinematch.synth.path import directions
from kinematch.synth.skeleton import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, HEEL_BEHIND, SHANK, THIGH, TOE_LENGTH

STEP = 0.004  # s, to difference the planted side of a lift or a landing


@dataclass(frozen=True)
class Leg:
    """One leg of every frame; rotations are global."""

    ankles: np.ndarray  # (F, 3) m
    thighs: np.ndarray  # (F, 4)
    shanks: np.ndarray  # (F, 4)
    feet: np.ndarray  # (F, 4)
    toes: np.ndarray  # (F, 4)


def two_bone(hips: np.ndarray, ankles: np.ndarray, sideways: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thigh and shank rotations and the knee, for hinge axes as near as can be to the sideways directions."""
    along = ankles - hips
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    along = along / length
    x = quaternion.unit(sideways - along * np.sum(sideways * along, -1, keepdims=True))
    ahead = np.cross(x, -along)
    cosine = np.clip((THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length), -1.0, 1.0)
    thigh = along * cosine + ahead * np.sqrt(1 - cosine**2)
    knees = hips + THIGH * thigh
    shank = quaternion.unit(ankles - knees)
    frames = [rotation.from_matrix(np.stack([x, -bone, np.cross(x, -bone)], -1)) for bone in (thigh, shank)]
    return frames[0], frames[1], knees


def shank_pitch(knees: np.ndarray, ankles: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    """How far the shank leans back in the foot's plane: the pitch of a foot at a right angle to it."""
    ahead, _ = directions(yaws)
    down = knees - ankles
    return np.arctan2(-(down[..., 0] * ahead[..., 0] + down[..., 2] * ahead[..., 1]), down[..., 1])


def lift_pitch(stances: Stances, hips: np.ndarray, knee: np.ndarray, least: np.ndarray) -> np.ndarray:
    """The heel rise (N,) that lets each leg leave the floor with a given knee flexion, hip joints (N, 3) at the lift."""
    grid = -np.arange(0.0, 72.0, 1.0) * DEGREE
    index = np.arange(len(stances.lands))[:, None] * np.ones(len(grid), int)
    ankles = feet.planted_ankle(stances, index, np.broadcast_to(grid, index.shape))
    reach = np.linalg.norm(hips[:, None] - ankles, axis=-1)
    enough = reach <= gait.leg_length(knee)[:, None]
    chosen = np.where(enough.any(1), enough.argmax(1), len(grid) - 1)
    return np.minimum(grid[chosen], -least)


@dataclass(frozen=True)
class Swing:
    """What shapes the swings of one foot, per swing."""

    peak: np.ndarray  # (N - 1,) rad, the most the knee bends
    when: np.ndarray  # (N - 1,) share of the swing at which it does
    clearance: np.ndarray  # (N - 1,) m, of toe and heel in the middle of the swing


@dataclass(frozen=True)
class _Ends:
    """The state of a planted leg at lifts or landings, with its rate of change."""

    direction: np.ndarray  # (N, 3) from hip to ankle
    knee: np.ndarray  # (N,) rad
    flex: np.ndarray  # (N,) rad, foot against shank


def leg(stances: Stances, roll: Roll, swing: Swing, hips: np.ndarray, facings: np.ndarray, times: np.ndarray) -> Leg:
    """Solve one leg for all frames: hips (F, 3) are its hip joint, facings (F,) the way the body faces."""
    index = feet.stance_index(stances, times)
    pitches = feet.pitch(stances, roll, index, np.minimum(times, stances.lifts[index]))
    ankles = feet.planted_ankle(stances, index, pitches)
    yaws = stances.yaws[index].copy()
    bends = np.maximum(-pitches, 0.0)
    hip_at, facing_at = CubicSpline(times, hips), CubicSpline(times, facings)

    def planted(which: np.ndarray, at: np.ndarray) -> _Ends:
        angle = feet.pitch(stances, roll, which, at)
        ankle, hip = feet.planted_ankle(stances, which, angle), hip_at(at)
        yaw = stances.yaws[which]
        _, _, knee = two_bone(hip, ankle, sideways(facing_at(at), yaw))
        span = np.linalg.norm(ankle - hip, axis=-1)
        return _Ends((ankle - hip) / span[:, None], gait.knee_flexion(span), angle - shank_pitch(knee, ankle, yaw))

    count = len(stances.lands) - 1
    before, after = np.arange(count), np.arange(1, count + 1)
    lift, land = stances.lifts[:-1], stances.lands[1:]
    starts = planted(before, lift), planted(before, lift - STEP)
    stops = planted(after, land), planted(after, land + STEP)
    for n in range(count):
        window = np.flatnonzero((times >= lift[n]) & (times < land[n]))
        if len(window) == 0:
            continue
        span = land[n] - lift[n]
        s = (times[window] - lift[n]) / span
        turn = s**3 * (10 - 15 * s + 6 * s * s)
        yaw = stances.yaws[n] + turn * (stances.yaws[n + 1] - stances.yaws[n])

        def joined(name: str, values: tuple, places: tuple, *, n: int = n, s: np.ndarray = s, span: float = span):
            """Cubic pieces between the planted states, resting at the places in between."""
            a0, a1 = (getattr(e, name)[n] for e in starts)
            b0, b1 = (getattr(e, name)[n] for e in stops)
            slopes = [(a0 - a1) / STEP * span, *[0.0 * a0 for _ in values], (b1 - b0) / STEP * span]
            return CubicHermiteSpline([0.0, *places, 1.0], [a0, *values, b0], slopes)(s)

        direction = quaternion.unit(joined("direction", (), ()))
        peak = swing.peak[n]
        for _ in range(3):
            knee = np.maximum(joined("knee", (peak,), (swing.when[n],)), 2 * DEGREE)
            ankle = hips[window] + gait.leg_length(knee)[:, None] * direction
            _, _, knees = two_bone(hips[window], ankle, sideways(facings[window], yaw))
            pitch = shank_pitch(knees, ankle, yaw) + joined("flex", (1 * DEGREE,), (0.55,))
            ball = ankle[:, 1] + (BALL_HEIGHT - ANKLE_HEIGHT) * np.cos(pitch) + BALL_AHEAD * np.sin(pitch)
            heel = ankle[:, 1] - ANKLE_HEIGHT * np.cos(pitch) - HEEL_BEHIND * np.sin(pitch)
            hump = np.sin(np.pi * s) ** 2
            lack = np.max((swing.clearance[n] - np.minimum(ball - BALL_HEIGHT, heel)) * (hump > 0.5), initial=0.0)
            if lack < 0.001:
                break
            peak = gait.knee_flexion(gait.leg_length(peak) - 1.2 * lack)
        ankles[window], pitches[window], yaws[window] = ankle, pitch, yaw
        # the toes straighten after the lift, but no sooner than the floor lets them
        free = bends_at_lift(roll, n) * (1 - np.clip(s / 0.5, 0, 1)) ** 2
        floor = -pitch - np.arcsin(np.clip((ball - BALL_HEIGHT) / TOE_LENGTH, -1.0, 1.0))
        bends[window] = np.maximum(free, floor)
    thighs, shanks, _ = two_bone(hips, ankles, sideways(facings, yaws))
    turned = rotation.from_axis_angle([0, 1, 0], yaws)
    foot = quaternion.multiply(turned, rotation.from_axis_angle([1, 0, 0], -pitches))
    toes = quaternion.multiply(turned, rotation.from_axis_angle([1, 0, 0], -(pitches + bends)))
    return Leg(ankles, thighs, shanks, foot, toes)


def bends_at_lift(roll: Roll, n: int) -> float:
    return float(max(-roll.lift[n], 0.0))


def sideways(facings: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    """The knee's hinge: half way between the body's left and the foot's."""
    _, left = directions((facings + yaws) / 2)
    return np.stack([left[..., 0], np.zeros(left.shape[:-1]), left[..., 1]], -1)
