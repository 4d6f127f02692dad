"""Gait parameters by speed and direction: cadence, duty factor, step width, body heights; figures for 1.75 m people."""

from dataclasses import dataclass

import numpy as np

from kinematch.synth.skeleton import SHANK, THIGH

DEGREE = np.pi / 180
GRAVITY = 9.81  # m/s^2

WALK_RATIO = 0.0065  # m per step/min: step length over cadence, nearly constant in free walking
RUN_ABOVE, WALK_BELOW = 2.2, 2.0  # m/s, where people change gait, with hysteresis
SLOWEST_CADENCE = 66.0  # steps/min of a stroll; below it the walk ratio would make people crawl
TRANSIENT_CADENCE = 96.0  # steps/min while speeding up from or slowing down to a stand
FASTEST_RUN, FASTEST_WALK, FASTEST_STEP = 5.0, 1.9, 1.1  # m/s: upright, with bent knees or on tip-toe, other than ahead
FASTEST_TURN, STRONGEST_PULL = 4.0, 8.0  # rad/s, and m/s^2 in a curve
IDLE_WIDTH = 0.19  # m between the ankles of a person who stands


@dataclass(frozen=True)
class BodyCarriage:
    """How high the body is carried: bent knees for crouching, raised heels for tip-toe."""

    name: str
    knee: float = 10 * DEGREE  # rad, flexion at mid-stance of a walk (5 at 40 % and 17 at 13 % of the cycle)
    idle_knee: float = 5 * DEGREE  # rad
    trunk: float = 0.0  # rad, lean forward that keeps the balance over the feet
    back: float = 0.0  # m, hips behind the upright place, for the same reason
    heel: float = 0.0  # rad, pitch of the flat foot; negative raises the heel
    cadence: float = 1.0  # factor: bent legs take shorter steps


UPRIGHT = BodyCarriage("level0")
POSTURES = (
    UPRIGHT,
    BodyCarriage("level1", 30 * DEGREE, 28 * DEGREE, 6 * DEGREE, 0.02, cadence=1.08),
    BodyCarriage("level2", 55 * DEGREE, 55 * DEGREE, 14 * DEGREE, 0.05, cadence=1.15),
    BodyCarriage("level3", 80 * DEGREE, 80 * DEGREE, 24 * DEGREE, 0.09, cadence=1.22),
    BodyCarriage("level4", 105 * DEGREE, 105 * DEGREE, 34 * DEGREE, 0.13, cadence=1.3),
    BodyCarriage("tiptoe", 10 * DEGREE, 6 * DEGREE, 0.0, -0.03, heel=-32 * DEGREE, cadence=1.1),
)


def leg_length(knee: np.ndarray | float) -> np.ndarray:
    """Distance from hip to ankle at a knee flexion in radians."""
    return np.sqrt(THIGH**2 + SHANK**2 + 2 * THIGH * SHANK * np.cos(knee))


def knee_flexion(length: np.ndarray | float) -> np.ndarray:
    """The inverse of leg_length."""
    cosine = (np.square(length) - THIGH**2 - SHANK**2) / (2 * THIGH * SHANK)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def ramp(x: np.ndarray | float, low: float, high: float) -> np.ndarray:
    """0 below low, 1 above high, smooth between."""
    u = np.clip((np.asarray(x, float) - low) / (high - low), 0.0, 1.0)
    return u * u * (3 - 2 * u)


def cadence(forward: np.ndarray, left: np.ndarray, turn_rate: np.ndarray, *, running: np.ndarray) -> np.ndarray:
    """Steps per minute for velocities in the facing frame (m/s) and a turn rate (rad/s)."""
    speed = np.hypot(forward, left)
    walk = np.maximum(np.sqrt(60 * speed / WALK_RATIO), SLOWEST_CADENCE)
    run = 155 + 9.5 * (speed - 2.2)  # 167 at 3.5 m/s
    sideways = 108 + 105 * speed  # quick and short, so that the feet need not cross
    share = np.square(left) / np.maximum(np.square(speed), 1e-6)  # 1 mm/s: no direction below
    moving = (walk + (sideways - walk) * share) * (1 - running) + run * running
    turning = (92 + 14 * np.abs(turn_rate)) * ramp(np.abs(turn_rate), 0.3, 0.8)
    return np.minimum(np.maximum(moving, turning), 192.0)


def top_speed(forward: np.ndarray, left: np.ndarray, posture: BodyCarriage) -> np.ndarray:
    """The fastest (m/s) that the walker goes in directions of the facing frame; sideways and backward it only steps."""
    ahead = forward / np.maximum(np.hypot(forward, left), 1e-9)  # at rest any direction will do
    fastest = FASTEST_RUN if posture.knee < 20 * DEGREE and posture.heel == 0 else FASTEST_WALK
    return FASTEST_STEP + (fastest - FASTEST_STEP) * ramp(ahead, 0.6, 0.9)


def duty(speed: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Stance share of the stride: 0.6 at a walk of 1.35 m/s, 0.34 at a run of 3.5."""
    walk = np.clip(0.66 - 0.045 * speed, 0.56, 0.66)
    run = np.clip(0.39 - 0.05 * (speed - 2.2), 0.27, 0.42)
    return walk + (run - walk) * running


def step_width(forward: np.ndarray, left: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Distance between the feet across the facing (m), without what a sideways step adds."""
    speed = np.hypot(forward, left)
    walk = IDLE_WIDTH + (0.10 - IDLE_WIDTH) * ramp(speed, 0.0, 1.0)
    return walk + (0.05 - walk) * running
