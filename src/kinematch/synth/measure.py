"""Measures of a performance, to hold against the figures of human gait: points, joint angles and rates."""

import numpy as np

from kinematch.math import difference, quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import end_positions, forward
from kinematch.synth.skeleton import ANKLE_HEIGHT, HEEL_BEHIND

SIDES = ("Left", "Right")


def globals_of(clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint positions, joint rotations and end sites."""
    p, r = forward(clip.skeleton, clip.positions.astype(float), clip.rotations.astype(float))
    return p, r, end_positions(clip.skeleton, p, r)


def heel(clip: Clip, side: str, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    joint = clip.skeleton.joint(side + "Foot")
    return positions[:, joint] + quaternion.rotate(rotations[:, joint], np.array([0.0, -ANKLE_HEIGHT, -HEEL_BEHIND]))


def knee(clip: Clip, side: str) -> np.ndarray:
    """Flexion in degrees, negative when it bends backwards; the knee is a hinge about its x axis."""
    q = clip.rotations[:, clip.skeleton.joint(side + "Leg")].astype(float)
    assert np.abs(q[:, 2:]).max() < 1e-3
    return np.degrees(2 * np.arctan2(q[:, 1], q[:, 0]))


def thigh_pitch(clip: Clip, side: str) -> np.ndarray:
    """Hip flexion against the pelvis in degrees."""
    q = clip.rotations[:, clip.skeleton.joint(side + "UpLeg")].astype(float)
    down = quaternion.rotate(q, np.array([0.0, -1.0, 0.0]))
    return np.degrees(np.arctan2(down[:, 2], -down[:, 1]))


def speeds(clip: Clip) -> np.ndarray:
    """Joint angular speeds (F, J) in degrees per second."""
    return np.degrees(np.linalg.norm(difference.angular_backward(clip.rotations.astype(float), clip.dt), axis=-1))


def jolts(clip: Clip) -> np.ndarray:
    """Changes of joint angular velocity (F - 1, J) between frames, in degrees per second."""
    rates = difference.angular_backward(clip.rotations.astype(float), clip.dt)
    return np.degrees(np.linalg.norm(np.diff(rates, axis=0), axis=-1))


def stances(contacts: np.ndarray) -> np.ndarray:
    """Frame ranges (N, 2) in which one foot is planted."""
    return np.flatnonzero(np.diff(np.concatenate([[0], contacts.astype(int), [0]]))).reshape(-1, 2)
