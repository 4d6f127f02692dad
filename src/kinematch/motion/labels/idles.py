"""Ranges in which the performer just stands, upright and still, with both feet on the floor and the arms down."""

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.labels.calibration import CalibrationPose
from kinematch.motion.labels.posture import Posture, measure_posture

MIN_IDLE_SECONDS = 1.5  # s
TRIM = 0.1  # s off both ends, in which the next movement begins
UPRIGHT = 0.94  # head height as a share of that in the T-pose; crouching and bending over are lower


def find_idles(clip: Clip, poses: list[CalibrationPose] | None = None) -> list[tuple[int, int]]:
    """Ranges [start, stop) of frames in which the character stands idle, outside of the calibration poses given."""
    posture = measure_posture(clip)
    if posture is None:
        return []
    idle = _standing(posture) & _still(posture)
    for pose in poses or []:
        idle[pose.drop_start : pose.drop_stop] = False
    trim = round(TRIM * posture.frame_rate)
    least = MIN_IDLE_SECONDS * posture.frame_rate
    return [(a + trim, b - trim) for a, b in true_ranges(idle) if b - a >= least]


def is_idle(clip: Clip) -> bool:
    """Whether the character stands idle from beginning to end."""
    posture = measure_posture(clip)
    return posture is not None and bool((_standing(posture) & _still(posture)).mean() > 0.95)


def _standing(posture: Posture) -> Array:
    """Frames (F,) in which the body is upright on both feet with its arms down."""
    upright = (posture.lean < np.radians(15)) & (posture.head_heights > UPRIGHT) & (posture.twist < np.radians(30))
    feet = (posture.leg_angles < np.radians(42)) & (posture.ankle_steps < 0.09)
    arms = (posture.arm_elevations.max(axis=1) < np.radians(-50)) & (posture.elbow_bends.max(axis=1) < np.radians(72))
    return upright & feet & arms


def _still(posture: Posture) -> Array:
    """Frames (F,) in which feet are planted and the rest moves no more than in breathing and shifting weight."""
    return (posture.foot_speeds < 0.3) & (posture.hip_speeds < 0.4) & (posture.hand_speeds < 0.7)
