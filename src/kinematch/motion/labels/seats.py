"""Seats: frames in which the hips rest on something that carries them, at any height, and those in which a body lies.

The feet alone could not carry a seated body: its centre of mass is behind them. Feet drawn under a seat, or hanging
from a high one, are told by level thighs under a trunk that is upright and at rest.
"""

from dataclasses import dataclass

import numpy as np

from kinematch.math import smoothing
from kinematch.math.quaternion import Array
from kinematch.motion.clean.contacts import switch_with_hysteresis
from kinematch.motion.labels.posture import SIDES, Posture

# shares of a body's mass between two joints of it, and where along them it is (Winter, rounded)
TRUNK_MASS, TRUNK_CENTRE, ARM_MASS, THIGH_MASS, SHANK_MASS = 0.58, 0.45, 0.05, 0.10, 0.06
REST_SPEED, LEAVE_SPEED = 0.25, 0.7  # m/s of the hips; leaning forward on a seat moves them too
CARRIED = 0.06  # leg lengths that the centre of mass is behind both ankles
SEATED_THIGHS, LEAVING_THIGHS = np.radians(38), np.radians(30)  # rad from the vertical, of the lower knee
LEVEL_THIGHS, UPRIGHT, STILL_SPEED = np.radians(60), np.radians(28), 0.12
LYING_SHOULDERS, RISING_SHOULDERS = 0.24, 0.32  # of their height in the T-pose
LYING_HIPS, RISING_HIPS = 0.3, 0.42


@dataclass(frozen=True, eq=False)
class BodyHeights:
    """Heights (F,) above the lowest joint, as shares of those in the T-pose."""

    hips: Array
    shoulders: Array
    head: Array


def measure_heights(at: dict[str, Array], reference: dict[str, Array]) -> BodyHeights:
    """From places of joints (F, 3) m by role, and those in the T-pose (3,) m."""
    lowest = np.min([place[:, 1] for place in at.values()], axis=0)
    floor = min(float(place[1]) for place in reference.values())

    def share(*roles: str) -> Array:
        height = np.mean([at[role][:, 1] for role in roles], axis=0) - lowest
        return height / max(float(np.mean([reference[role][1] for role in roles])) - floor, 1e-6)

    return BodyHeights(share("hips"), share("left_upper_arm", "right_upper_arm"), share("head"))


def find_lying(heights: BodyHeights) -> Array:
    """Frames (F,) in which hips and shoulders are down on the floor."""
    down = (heights.shoulders < LYING_SHOULDERS) & (heights.hips < LYING_HIPS)
    up = (heights.shoulders > RISING_SHOULDERS) | (heights.hips > RISING_HIPS)
    return switch_with_hysteresis(down[:, None], up[:, None])[:, 0]


def find_seated(at: dict[str, Array], ahead: Array, posture: Posture, leg: float) -> Array:
    """Frames (F,) in which something else than the feet carries a body with bent hips, which rests there.

    `at` are places of joints (F, 3) m by role, `ahead` (F, 3) is where the body faces, `leg` a leg's length in m."""
    thighs = [at[f"{side}_lower_leg"] - at[f"{side}_upper_leg"] for side in SIDES]
    slopes = np.min([np.arctan2(np.linalg.norm(one[:, [0, 2]], axis=-1), -one[:, 1]) for one in thighs], axis=0)
    rear_ankle = np.min([np.sum(at[f"{side}_foot"] * ahead, axis=-1) for side in SIDES], axis=0)
    behind = (rear_ankle - np.sum(_mass_centre(at) * ahead, axis=-1)) / leg
    speeds = _rest_speeds(at["hips"], posture.frame_rate)
    carried = (speeds < REST_SPEED) & (slopes > SEATED_THIGHS) & (behind > CARRIED)
    perched = (speeds < STILL_SPEED) & (slopes > LEVEL_THIGHS) & (posture.lean < UPRIGHT)
    left = (speeds > LEAVE_SPEED) | (slopes < LEAVING_THIGHS)
    return switch_with_hysteresis((carried | perched)[:, None], left[:, None])[:, 0]


def _mass_centre(at: dict[str, Array]) -> Array:
    centre = TRUNK_MASS * (at["hips"] + TRUNK_CENTRE * (at["head"] - at["hips"]))
    for side in SIDES:
        hip, knee, ankle = (at[f"{side}_{part}"] for part in ("upper_leg", "lower_leg", "foot"))
        centre = centre + ARM_MASS * at[f"{side}_lower_arm"]
        centre = centre + THIGH_MASS * (hip + knee) / 2 + SHANK_MASS * (knee + ankle) / 2
    return centre


def _rest_speeds(hips: Array, rate: float) -> Array:
    path = smoothing.savitzky_golay(hips, seconds=0.3, frame_rate=rate)
    return np.linalg.norm(np.gradient(path, axis=0), axis=-1) * rate if len(path) > 1 else np.zeros(1)
