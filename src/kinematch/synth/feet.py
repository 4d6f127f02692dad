"""The roll of a planted foot: it turns about the heel after the strike, lies flat, then turns about the ball."""

from dataclasses import dataclass

import numpy as np

from kinematch.synth.footsteps import Stances
from kinematch.synth.path import directions
from kinematch.synth.skeleton import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, HEEL_BEHIND


@dataclass(frozen=True)
class Roll:
    """Pitch of one foot through each of its stances; toe up is positive, radians."""

    strike: np.ndarray  # (N,) pitch at landing
    flat: np.ndarray  # (N,) pitch in the middle; 0 but on tip-toe
    lift: np.ndarray  # (N,) pitch when it leaves the floor
    settle: np.ndarray  # (N,) s from landing until the middle pitch is reached
    rise: np.ndarray  # (N,) s from leaving the middle pitch until lift


def pitch(stances: Stances, roll: Roll, index: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Pitch of the foot at times within the stances of these indices; smooth to the first derivative."""
    since = np.clip((times - stances.lands[index]) / roll.settle[index], 0.0, 1.0)
    until = np.clip(1 + (times - stances.lifts[index]) / roll.rise[index], 0.0, None)
    settling = (1 - since) ** 2 * (1 + since)
    flat = roll.flat[index]
    return flat + (roll.strike[index] - flat) * settling + (roll.lift[index] - flat) * until**2


def ankle_in_plane(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ankle ahead of and above the foot's place on the floor, for a pitch about the heel (up) or the ball (down)."""
    heel = angle >= 0
    pivot_ahead, pivot_up = np.where(heel, -HEEL_BEHIND, BALL_AHEAD), np.where(heel, 0.0, BALL_HEIGHT)
    arm_ahead = -pivot_ahead
    arm_up = ANKLE_HEIGHT - pivot_up
    cosine, sine = np.cos(angle), np.sin(angle)
    return pivot_ahead + arm_ahead * cosine - arm_up * sine, pivot_up + arm_ahead * sine + arm_up * cosine


def planted_ankle(stances: Stances, index: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """World position (..., 3) of the ankle of a planted foot with this pitch."""
    ahead, up = ankle_in_plane(angle)
    place = stances.positions[index] + ahead[..., None] * directions(stances.yaws[index])[0]
    return np.stack([place[..., 0], up, place[..., 1]], -1)


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
