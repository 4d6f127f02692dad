"""Trunk, head and arms: counter-rotation, lean, level gaze that leads turns, arm swing against the legs, breathing."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.math.quaternion import multiply
from kinematch.synth.gait import DEGREE, Posture
from kinematch.synth.path import Path, smooth
from kinematch.synth.pelvis import Signals

GAZE_LEAD = 0.25  # s by which the head leads a turn
GAZE_LIMIT = 30 * DEGREE


def breath(path: Path, rng: np.random.Generator) -> np.ndarray:
    """-1..1 at about 0.25 Hz."""
    rate = 0.25 * (1 + rng.normal(0.0, 0.05))
    return np.sin(2 * np.pi * (rate * path.times + rng.uniform()))


def trunk(
    path: Path, pelvis: np.ndarray, posture: Posture, signal: Signals, breathing: np.ndarray
) -> dict[str, np.ndarray]:
    """Local rotations of spine, neck and head over pelvis rotations (F, 4), and the chest's global one as 'chest'."""
    swing = 1 - signal.idle
    yaw = path.facings + (9 + 5 * path.running) * DEGREE * signal.stride
    lean = posture.trunk + (2.5 * swing + 5 * path.running) * DEGREE + 0.45 * signal.lean[:, 0]
    lean = lean + 0.5 * DEGREE * breathing
    roll = -0.75 * signal.lean[:, 1] - 1.0 * DEGREE * signal.load
    chest = _turned(yaw, lean, roll)
    rate = path.frame_rate
    ahead = np.minimum(np.arange(len(yaw)) + round(GAZE_LEAD * rate), len(yaw) - 1)
    look = smooth(path.facings, 0.2, rate)[ahead] - path.facings
    look = GAZE_LIMIT * np.tanh(look / GAZE_LIMIT)
    head = _turned(path.facings + look, 2 * DEGREE + 0.15 * lean, -0.2 * signal.lean[:, 1])
    parts = {"chest": chest}
    third = rotation.to_rotation_vector(multiply(quaternion.inverse(pelvis), chest)) / 3
    for name in ("Spine", "Spine1", "Spine2"):
        parts[name] = rotation.from_rotation_vector(third)
    half = rotation.to_rotation_vector(multiply(quaternion.inverse(chest), head)) / 2
    for name in ("Neck", "Head"):
        parts[name] = rotation.from_rotation_vector(half)
    return parts


def arms(path: Path, posture: Posture, signal: Signals, breathing: np.ndarray) -> dict[str, np.ndarray]:
    """Local rotations of shoulders, arms, forearms and hands."""
    running = path.running
    swing = 1 - signal.idle
    parts = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        # the left arm goes back as the left foot goes ahead: +15 to -22 degrees at a walk, 30 each way at a run
        beat = -sign * smooth(signal.stride, 0.12, path.frame_rate)
        raised = (25 + 10 * running) * DEGREE * beat - 3.5 * DEGREE * swing * (1 - running) - 4 * DEGREE * running
        # arms that hang give a little with the breath and the weight
        raised = raised + 0.5 * posture.trunk + (0.9 * breathing - 1.5 * sign * signal.load) * signal.idle * DEGREE
        elbow = (16 + 6 * swing) * DEGREE + (18 * DEGREE) * beat + 0.3 * posture.trunk
        elbow = elbow + (1.2 * breathing + 2.0 * sign * signal.load) * signal.idle * DEGREE
        elbow = elbow * (1 - running) + (94 * DEGREE + 18 * DEGREE * beat) * running
        aside = np.clip(np.abs(path.local_velocities[:, 1]), 0.0, 1.0)  # sidesteps take the arms out for balance
        outward = (11 + 2 * running + 6 * smooth(aside, 0.5, path.frame_rate)) * DEGREE + 0.08 * posture.trunk
        inward = (7 + 8 * running) * DEGREE  # the forearm points a little across the body
        hang = multiply(
            rotation.from_axis_angle([1, 0, 0], -raised),
            multiply(
                rotation.from_axis_angle([0, 0, 1], -sign * (90 * DEGREE - outward)),
                rotation.from_axis_angle([1, 0, 0], inward),
            ),
        )
        shrug = multiply(
            rotation.from_axis_angle([0, 0, 1], sign * 0.8 * DEGREE * breathing),
            rotation.from_axis_angle([0, 1, 0], -sign * 0.12 * raised),
        )
        parts[side + "Shoulder"] = shrug
        parts[side + "Arm"] = hang
        parts[side + "ForeArm"] = rotation.from_axis_angle([0, 1, 0], -sign * elbow)
        parts[side + "Hand"] = rotation.from_axis_angle([0, 0, 1], -sign * np.full(len(beat), 6 * DEGREE))
    return parts


def _turned(yaw: np.ndarray, lean: np.ndarray, roll: np.ndarray) -> np.ndarray:
    return multiply(
        rotation.from_axis_angle([0, 1, 0], yaw),
        multiply(rotation.from_axis_angle([1, 0, 0], lean), rotation.from_axis_angle([0, 0, 1], roll)),
    )
