"""Trunk and head: counter-rotation, lean, sway over sidesteps, a level gaze that leads turns, breathing."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.math.quaternion import multiply
from kinematch.synth.gait import DEGREE, BodyCarriage
from kinematch.synth.path import GroundPath, smooth
from kinematch.synth.pelvis import Signals

GAZE_LEAD = 0.25  # s by which the head leads a turn
GAZE_LIMIT = 30 * DEGREE
GATHERED_LEAN = 6 * DEGREE  # of a runner who steps slowly, in order to turn or to start
CHEST_LEAD = 0.35  # share of the gaze's lead that the chest takes up: head, shoulders, pelvis, in this order
RUN_LEAN, RUN_LEAN_BY_SPEED = 9.0 * DEGREE, 1.2 * DEGREE  # of the chest at 3.5 m/s, and more per m/s
SIDESTEP_SWAY, SIDESTEP_LEAN, SIDESTEP_TURN = 5 * DEGREE, 3 * DEGREE, 6 * DEGREE  # of the chest at 1 m/s aside


def breath(path: GroundPath, rng: np.random.Generator) -> np.ndarray:
    """-1..1 at about 0.25 Hz."""
    rate = 0.25 * (1 + rng.normal(0.0, 0.05))
    return np.sin(2 * np.pi * (rate * path.times + rng.uniform()))


def trunk(
    path: GroundPath, pelvis: np.ndarray, posture: BodyCarriage, signal: Signals, breathing: np.ndarray
) -> dict[str, np.ndarray]:
    """Local rotations of spine, neck and head over pelvis rotations (F, 4), and the chest's global one as 'chest'."""
    swing = 1 - signal.idle
    look = gaze(path)
    # the weight on the foot of one side takes the chest over it and turns it against the pelvis
    sidestep = np.abs(signal.aside) * signal.load
    yaw = path.facings + (9 + 5 * path.running) * DEGREE * signal.stride
    yaw = yaw + CHEST_LEAD * look + SIDESTEP_TURN * sidestep
    run_lean = RUN_LEAN + RUN_LEAN_BY_SPEED * (path.local_velocities[:, 0] - 3.5)
    lean = posture.trunk + 2.5 * DEGREE * swing + run_lean * path.running + 0.5 * signal.lean[:, 0]
    lean = lean + 0.5 * DEGREE * breathing + 4 * DEGREE * np.abs(signal.aside)
    lean = lean + GATHERED_LEAN * (signal.carriage - path.running)
    roll = -0.75 * signal.lean[:, 1] - 1.0 * DEGREE * signal.load
    roll = roll - SIDESTEP_SWAY * sidestep - SIDESTEP_LEAN * signal.aside
    chest = _turned(yaw, lean, roll)
    head = _turned(path.facings + look, 2 * DEGREE + 0.15 * lean, -0.2 * signal.lean[:, 1])
    parts = {"chest": chest}
    third = rotation.to_rotation_vector(multiply(quaternion.inverse(pelvis), chest)) / 3
    for name in ("Spine", "Spine1", "Spine2"):
        parts[name] = rotation.from_rotation_vector(third)
    half = rotation.to_rotation_vector(multiply(quaternion.inverse(chest), head)) / 2
    for name in ("Neck", "Head"):
        parts[name] = rotation.from_rotation_vector(half)
    return parts


def gaze(path: GroundPath) -> np.ndarray:
    """How far (F,) the head is turned ahead of the body, to where it will face."""
    ahead = np.minimum(np.arange(len(path.facings)) + round(GAZE_LEAD * path.frame_rate), len(path.facings) - 1)
    look = smooth(path.facings, 0.2, path.frame_rate)[ahead] - path.facings
    return GAZE_LIMIT * np.tanh(look / GAZE_LIMIT)


def _turned(yaw: np.ndarray, lean: np.ndarray, roll: np.ndarray) -> np.ndarray:
    return multiply(
        rotation.from_axis_angle([0, 1, 0], yaw),
        multiply(rotation.from_axis_angle([1, 0, 0], lean), rotation.from_axis_angle([0, 0, 1], roll)),
    )
