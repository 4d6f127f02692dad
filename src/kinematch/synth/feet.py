"""The roll of a planted foot: about the heel after the strike, flat, about the ball as the heel rises, off the tip."""

from dataclasses import dataclass

import numpy as np

from kinematch.synth.footsteps import Stances
from kinematch.synth.gait import DEGREE, BodyCarriage, ramp
from kinematch.synth.path import GroundPath, directions
from kinematch.synth.skeleton import (
    ANKLE_HEIGHT,
    BALL_AHEAD,
    BALL_HEIGHT,
    HEEL_BEHIND,
    TOE_LENGTH,
    TOE_TIP_HEIGHT,
)

HEEL_STRIKE, TOE_STRIKE = 18 * DEGREE, 14 * DEGREE  # pitch of the foot that lands ahead, and behind
RUN_STRIKE = -6 * DEGREE  # a runner lands on the middle of the foot, the heel still a little up
TOE_ROLL_START = 0.5  # share of the heel rise after which the toes begin to leave the floor
RISE_KNOTS = 4  # pieces of the heel rise
LIFT_SLOPE = 0.7  # the heel rises fastest before the lift, so its rate at the lift is below the last piece's


@dataclass(frozen=True)
class Roll:
    """Pitch of one foot through each of its stances; toe up is positive, radians."""

    strike: np.ndarray  # (N,) pitch at landing
    flat: np.ndarray  # (N,) pitch in the middle; 0 but on tip-toe
    rising: np.ndarray  # (N, 5) pitch from where it leaves the middle one until the lift, at even times
    toe: np.ndarray  # (N,) pitch of the toes at that moment, about their tip
    settle: np.ndarray  # (N,) s from landing until the middle pitch is reached
    rise: np.ndarray  # (N,) s from leaving the middle pitch until lift


def pitch(stances: Stances, roll: Roll, index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Pitch of the foot at times within the stances of these indices; smooth to the first derivative."""
    since = np.clip((times - stances.lands[index]) / roll.settle[index], 0.0, 1.0)
    settling = (1 - since) ** 2 * (1 + 0.7 * since)  # quick at first: the ankle rolls on over the heel
    fade = (roll.strike[index] - roll.flat[index]) * settling
    return fade + _rising(roll.rising, index, _until(stances, roll, index, times))


def _rising(knots: np.ndarray, index: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Cubic pieces through the knots of the heel rise that never turn back between two of them."""
    steps = np.diff(knots, axis=1)
    product = steps[:, 1:] * steps[:, :-1]
    total = steps[:, 1:] + steps[:, :-1]
    inner = np.where(product > 0, 2 * product / np.where(product > 0, total, 1.0), 0.0)
    slopes = np.concatenate([np.zeros_like(inner[:, :1]), inner, LIFT_SLOPE * steps[:, -1:]], axis=1)
    piece = np.minimum((u * RISE_KNOTS).astype(int), RISE_KNOTS - 1)
    v = u * RISE_KNOTS - piece
    w = 1 - v
    a, b = knots[index, piece], knots[index, piece + 1]
    return (
        w * w * (1 + 2 * v) * a
        + v * v * (1 + 2 * w) * b
        + v * w * (w * slopes[index, piece] - v * slopes[index, piece + 1])
    )


def toe_pitch(stances: Stances, roll: Roll, index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Pitch of the toes: flat on the floor until they roll off over their tip."""
    u = np.clip((_until(stances, roll, index, times) - TOE_ROLL_START) / (1 - TOE_ROLL_START), 0.0, None)
    return roll.toe[index] * u**2


def _until(stances: Stances, roll: Roll, index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """0 before the heel begins to rise, 1 at the lift; held after it."""
    return np.clip(1 + (times - stances.lifts[index]) / roll.rise[index], 0.0, 1.0)


def strike_pitch(path: GroundPath, times: np.ndarray, posture: BodyCarriage) -> np.ndarray:
    """Pitch of a foot that lands at these times: heel first when the body goes ahead, toe first when it goes back."""
    ahead = np.clip(np.interp(times, path.times, path.local_velocities[:, 0]) / 1.2, -1.0, 1.0)
    if posture.heel < 0:
        return posture.heel - 6 * DEGREE * np.abs(ahead)
    running = np.interp(times, path.times, path.running)
    pitch = np.where(ahead > 0, HEEL_STRIKE, TOE_STRIKE) * ahead * (1 - running) + RUN_STRIKE * running
    return pitch * (1 - 0.5 * ramp(posture.knee, 20 * DEGREE, 90 * DEGREE))


def toe_roll(lift: np.ndarray) -> np.ndarray:
    """How far the toes roll for a heel rise: none for a shuffle, 25 degrees for a good push off."""
    return -np.clip(0.8 * (-lift - 28 * DEGREE), 0.0, 26 * DEGREE)


def ankle_in_plane(angle: np.ndarray, toe: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ankle ahead of and above the foot's place on the floor, for a pitch of the foot and one of the toes."""
    heel = angle >= 0
    rise = TOE_TIP_HEIGHT - BALL_HEIGHT
    ball_ahead = BALL_AHEAD + TOE_LENGTH - (TOE_LENGTH * np.cos(toe) - rise * np.sin(toe))
    ball_up = TOE_TIP_HEIGHT - (TOE_LENGTH * np.sin(toe) + rise * np.cos(toe))
    pivot_ahead, pivot_up = np.where(heel, -HEEL_BEHIND, ball_ahead), np.where(heel, 0.0, ball_up)
    arm_ahead = np.where(heel, HEEL_BEHIND, -BALL_AHEAD)
    arm_up = np.where(heel, ANKLE_HEIGHT, ANKLE_HEIGHT - BALL_HEIGHT)
    cosine, sine = np.cos(angle), np.sin(angle)
    return pivot_ahead + arm_ahead * cosine - arm_up * sine, pivot_up + arm_ahead * sine + arm_up * cosine


def planted_ankle(stances: Stances, index: np.ndarray, angle: np.ndarray, toe: np.ndarray) -> np.ndarray:
    """World position (..., 3) of the ankle of a planted foot with these pitches."""
    ahead, up = ankle_in_plane(angle, toe)
    place = stances.positions[index] + ahead[..., None] * directions(stances.yaws[index])[0]
    return np.stack([place[..., 0], up, place[..., 1]], -1)


def ankle_at(stances: Stances, roll: Roll, index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """World position (..., 3) of the ankle at times within stances."""
    return planted_ankle(stances, index, pitch(stances, roll, index, times), toe_pitch(stances, roll, index, times))


def stance_index(stances: Stances, times: np.ndarray) -> np.ndarray:
    """The stance a time belongs to, or the one before it during a swing."""
    return np.maximum(np.searchsorted(stances.lands, times, side="right") - 1, 0)


def loads(stances: Stances, times: np.ndarray) -> np.ndarray:
    """1 where the foot is on the floor, 0 where it swings."""
    index = stance_index(stances, times)
    return (times < stances.lifts[index]).astype(float)


def rough_places(stances: Stances, times: np.ndarray) -> np.ndarray:
    """Floor positions (F, 2) of a foot: still in stance, gliding in swing; what the trunk and arms answer to."""
    index = stance_index(stances, times)
    after = np.minimum(index + 1, len(stances.lands) - 1)
    start, stop = stances.lifts[index], stances.lands[after]
    u = np.clip((times - start) / np.where(stop > start, stop - start, 1.0), 0.0, 1.0)
    u = np.where(after > index, u * u * (3 - 2 * u), 0.0)
    return stances.positions[index] + u[:, None] * (stances.positions[after] - stances.positions[index])
