"""How each planted foot rolls: heel first going ahead, toe first going back, the heel rising as it must."""

import numpy as np

from kinematch.math import quaternion
from kinematch.synth import feet, gait
from kinematch.synth.feet import RISE_KNOTS, Roll
from kinematch.synth.footsteps import Stances
from kinematch.synth.gait import DEGREE, BodyCarriage
from kinematch.synth.legs import knee_hinge, shank_pitch, two_bone
from kinematch.synth.path import GroundPath

LEAST_RISE = 14 * DEGREE  # even a shuffling foot peels off the floor heel first
NEARLY_STRAIGHT = 9 * DEGREE  # knee flexion at which the heel has to rise
MOST_POINTED = 26 * DEGREE  # plantar flexion at the lift
GRID = -np.arange(0.0, 75.0, 0.5) * DEGREE


def roll(path: GroundPath, foot: Stances, hips: np.ndarray, posture: BodyCarriage) -> Roll:
    """The roll of one foot in each of its stances, for its hip joint (F, 3)."""
    forward = path.local_velocities[:, 0]
    land, lift = np.clip(foot.lands, 0, path.times[-1]), np.clip(foot.lifts, 0, path.times[-1])

    def at(when: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.interp(when, path.times, x)

    stance = np.minimum(foot.lifts - foot.lands, 1.2)
    running, leaving = at(land, path.running), at(lift, path.running)
    away = np.clip(at(lift, forward) / 1.2, -1.0, 1.0)
    push = np.hypot(away, 1.2 * at(lift, path.local_velocities[:, 1]))  # a foot that pushes aside peels off as well
    bent = 29 * DEGREE * np.clip(push, 0.3, 1) * (1 - gait.ramp(posture.knee, 0.2, 0.9))
    knee = (posture.knee * (1 - 0.15 * gait.ramp(posture.knee, 0.2, 0.9)) + bent) * (
        1 - leaving
    ) + 26 * DEGREE * leaving
    duration = np.minimum(0.38 * stance, 0.3) + 0.16 * stance * leaving
    duration = np.maximum(duration, _stretched(path, foot, hips, stance))
    pointed = MOST_POINTED - 0.5 * posture.heel
    rising, toe = _heel_rise(path, foot, hips, knee=knee, duration=duration, backward=away < -0.25, most=pointed)
    shares = np.linspace(0, 1, RISE_KNOTS + 1) ** 2
    flat = np.full(len(land), posture.heel)
    if posture.heel < 0:
        rising = np.minimum(rising, flat[:, None] - 18 * DEGREE * shares)
    return Roll(
        strike=feet.strike_pitch(path, land, posture),
        flat=flat,
        rising=rising,
        toe=toe,
        settle=np.minimum(np.where(running > 0.5, 0.06, 0.11), 0.3 * stance),
        rise=duration,
    )


def _stretched(path: GroundPath, foot: Stances, hips: np.ndarray, stance: np.ndarray) -> np.ndarray:
    """How long before the lift (s) a leg over a flat foot would be all but straight; at most most of the stance."""
    before = np.linspace(0.7, 0.0, 22)[None] * stance[:, None]
    times = np.clip(foot.lifts, 0, path.times[-1])[:, None] - before
    index = np.broadcast_to(np.arange(len(stance))[:, None], times.shape)
    flat = feet.planted_ankle(foot, index, np.zeros(times.shape), np.zeros(times.shape))
    hip = np.stack([np.interp(times, path.times, hips[:, axis]) for axis in range(3)], -1)
    far = np.linalg.norm(hip - flat, axis=-1) > gait.leg_length(NEARLY_STRAIGHT)
    return np.where(far.any(1), before[np.arange(len(stance)), far.argmax(1)], 0.0)


def _heel_rise(
    path: GroundPath,
    foot: Stances,
    hips: np.ndarray,
    *,
    knee: np.ndarray,
    duration: np.ndarray,
    backward: np.ndarray,
    most: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Pitches (N, 5) of the rising heel with which the knee bends evenly to a flexion at the lift, and the toes' (N,).

    The hips decide: a leg that is left behind must give in the foot, since the knee may not stretch further. When the
    body goes backward the toes rise instead, the foot turning about its heel.
    """
    from scipy.interpolate import CubicSpline  # here, since it is slow to import

    lift = np.clip(foot.lifts, 0, path.times[-1])
    hip_at, facing_at = CubicSpline(path.times, hips), CubicSpline(path.times, path.facings)
    count = len(lift)
    shares = np.linspace(0, 1, RISE_KNOTS + 1)
    index = np.broadcast_to(np.arange(count)[:, None], (count, len(GRID)))
    sign = np.where(backward, -0.4, 1.0)[:, None]  # toes rise less than heels do
    grid = GRID * sign

    def reaches(share: float, toes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hip and way to the ankle for each pitch of the grid."""
        hip = hip_at(lift - (1 - share) * duration)[:, None]
        return hip, feet.planted_ankle(foot, index, grid, toes) - hip

    def first(enough: np.ndarray) -> np.ndarray:
        """The least rise of the grid that is enough; the greatest where none is. As a share of the full heel rise."""
        return GRID[np.where(enough.any(1), enough.argmax(1), len(GRID) - 1)]

    _, start = reaches(0.0, np.zeros_like(grid))
    bent = np.maximum(gait.knee_flexion(np.linalg.norm(start[:, 0], axis=-1)), 4 * DEGREE)
    hip, along = reaches(1.0, feet.toe_roll(grid))
    span = np.linalg.norm(along, axis=-1)
    yaws = foot.yaws[index]
    held = np.minimum(span, gait.leg_length(3 * DEGREE))[..., None] * quaternion.unit(along)
    _, shank, _ = two_bone(hip, hip + held, knee_hinge(facing_at(lift)[:, None], yaws))
    pointed = shank_pitch(shank, yaws) - grid > most
    rising = np.zeros((count, RISE_KNOTS + 1))
    rising[:, -1] = np.minimum(first((span <= gait.leg_length(knee)[:, None]) | pointed), -LEAST_RISE)
    toe = feet.toe_roll(rising[:, -1] * sign[:, 0])
    for k in range(RISE_KNOTS - 1, 0, -1):
        off = np.clip((shares[k] - feet.TOE_ROLL_START) / (1 - feet.TOE_ROLL_START), 0, None) ** 2
        _, along = reaches(shares[k], np.broadcast_to((toe * off)[:, None], grid.shape))
        want = bent + (knee - bent) * np.where(knee > bent, shares[k] ** 2, shares[k])
        rising[:, k] = first(np.linalg.norm(along, axis=-1) <= gait.leg_length(want)[:, None])
        # no faster than towards the lift, no slower than a least peel
        rising[:, k] = np.clip(rising[:, k], rising[:, k + 1], -LEAST_RISE * shares[k] ** 2)
    return rising * sign, toe
