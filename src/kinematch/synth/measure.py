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


def elbow(clip: Clip, side: str) -> np.ndarray:
    """Flexion (F,) in degrees."""
    return np.degrees(quaternion.angle(clip.rotations[:, clip.skeleton.joint(side + "ForeArm")].astype(float)))


def upper_arm_pitch(clip: Clip, side: str, directions: np.ndarray) -> np.ndarray:
    """Swing (F,) of the upper arm in the world, degrees ahead of hanging down, along ground directions (F, 3)."""
    _, rotations, _ = globals_of(clip)
    out = np.array([1.0 if side == "Left" else -1.0, 0.0, 0.0])
    along = quaternion.rotate(rotations[:, clip.skeleton.joint(side + "Arm")], out)
    return np.degrees(np.arctan2(np.sum(along * directions, -1), -along[:, 1]))


def trunk_lean(clip: Clip, directions: np.ndarray) -> np.ndarray:
    """Lean (F,) of the line from hips to neck, degrees forward along ground directions (F, 3)."""
    positions, _, _ = globals_of(clip)
    up = positions[:, clip.skeleton.joint("Neck")] - positions[:, clip.skeleton.joint("Hips")]
    return np.degrees(np.arctan2(np.sum(up * directions, -1), up[:, 1]))


def hand_asymmetry(clip: Clip) -> np.ndarray:
    """Distance (F,) in metres from the left hand to the mirror image of the right one, across the hips' own plane."""
    positions, rotations, _ = globals_of(clip)
    hips = clip.skeleton.joint("Hips")
    to_hips = quaternion.inverse(rotations[:, hips])
    hands = (positions[:, clip.skeleton.joint(side + "Hand")] - positions[:, hips] for side in SIDES)
    left, right = (quaternion.rotate(to_hips, hand) for hand in hands)
    return np.linalg.norm(left - right * [-1.0, 1.0, 1.0], axis=-1)
