"""Arms: a swing against the legs, elbows carried high in a run, balance in sidesteps and turns, hanging at a stand."""

import numpy as np

from kinematch.math import rotation
from kinematch.math.quaternion import multiply
from kinematch.synth.gait import DEGREE, BodyCarriage
from kinematch.synth.path import GroundPath, smooth
from kinematch.synth.pelvis import Signals

WALK_SWING, RUN_SWING, TURN_PUMP = 25 * DEGREE, 33 * DEGREE, 40 * DEGREE  # per metre of stride; in a slow turn of a run
HANG_ELBOW, RUN_ELBOW, TURN_ELBOW = 16 * DEGREE, 92 * DEGREE, 78 * DEGREE  # the last in the slow turn of a run
WALK_PUMP, RUN_PUMP = 18 * DEGREE, 22 * DEGREE  # flexion of the elbow per metre of stride
FASTEST_SWING = 2.5  # rad/s of turning, above which the arms swing no further
TURN_SWING = 3.5 * DEGREE  # per rad/s: the inner arm goes back and the outer one ahead
SIDESTEP_RAISE, SIDESTEP_SWING, SIDESTEP_ELBOW = 2 * DEGREE, 10 * DEGREE, 20 * DEGREE  # at 1 m/s aside
SPREAD_OUT, SPREAD_ELBOW = 30 * DEGREE, 30 * DEGREE  # per metre that the feet spread: arms balance a wide step


def arms(path: GroundPath, posture: BodyCarriage, signal: Signals, breathing: np.ndarray) -> dict[str, np.ndarray]:
    """Local rotations of shoulders, arms, forearms and hands."""
    parts = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        # the left arm goes back as the left foot goes ahead, and hangs as soon as the body has stopped
        beat = -sign * smooth(signal.stride, 0.12, path.frame_rate) * signal.pace
        raised = _raise(path, posture, signal, sign, beat, breathing)
        outward = _abduction(path, posture, signal, sign)
        inward = (7 + 8 * signal.carriage) * DEGREE  # the forearm points a little across the body
        parts[side + "Shoulder"] = multiply(
            rotation.from_axis_angle([0, 0, 1], sign * 0.8 * DEGREE * breathing),
            rotation.from_axis_angle([0, 1, 0], -sign * 0.12 * raised),
        )
        parts[side + "Arm"] = multiply(
            rotation.from_axis_angle([1, 0, 0], -raised),
            multiply(
                rotation.from_axis_angle([0, 0, 1], -sign * (90 * DEGREE - outward)),
                rotation.from_axis_angle([1, 0, 0], inward),
            ),
        )
        elbow = _elbow(path, posture, signal, sign, beat, breathing)
        parts[side + "ForeArm"] = rotation.from_axis_angle([0, 1, 0], -sign * elbow)
        parts[side + "Hand"] = rotation.from_axis_angle([0, 0, 1], -sign * np.full(len(beat), 6 * DEGREE))
    return parts


def _raise(
    path: GroundPath, posture: BodyCarriage, signal: Signals, sign: float, beat: np.ndarray, breathing: np.ndarray
) -> np.ndarray:
    """Flexion (F,) of the shoulder: +15 to -22 degrees at a walk, 30 each way at a run."""
    run, carriage = path.running, signal.carriage
    swing = (WALK_SWING + (RUN_SWING - WALK_SWING) * run + (TURN_PUMP - WALK_SWING) * (carriage - run)) * beat
    rest = -3.5 * (1 - signal.idle) * (1 - carriage) + 5 * carriage + 2 * run  # the chest's lean takes the arms back
    # arms that hang give a little with the breath and the weight
    hang = (0.9 * breathing - 1.5 * sign * signal.load) * signal.idle
    turning = TURN_SWING * np.clip(path.turn_rates, -FASTEST_SWING, FASTEST_SWING)
    aside = np.abs(signal.aside)
    return (
        swing
        + (rest + hang) * DEGREE
        + 0.5 * posture.trunk
        - sign * smooth(turning, 0.3, path.frame_rate)
        + SIDESTEP_RAISE * aside
        - sign * SIDESTEP_SWING * aside * signal.load
    )


def _abduction(path: GroundPath, posture: BodyCarriage, signal: Signals, sign: float) -> np.ndarray:
    """How far (F,) the upper arm is out to the side: further in a wide step, the more so on the side it leads to."""
    turning = smooth(np.clip(np.abs(path.turn_rates) / FASTEST_SWING, 0.0, 1.0), 0.3, path.frame_rate)
    aside = 7 * np.abs(signal.aside)
    carried = (2 + 6 * turning) * signal.carriage
    spread = SPREAD_OUT * signal.spread * (1 + 0.4 * sign * signal.aside)
    return (11 + carried + aside) * DEGREE + spread + 0.08 * posture.trunk


def _elbow(
    path: GroundPath, posture: BodyCarriage, signal: Signals, sign: float, beat: np.ndarray, breathing: np.ndarray
) -> np.ndarray:
    """Flexion (F,) of the elbow: 10 to 35 degrees at a walk, about 90 at a run."""
    hang = (1.2 * breathing + 2.0 * sign * signal.load) * signal.idle * DEGREE
    low = HANG_ELBOW + 6 * DEGREE * (1 - signal.idle) + WALK_PUMP * beat + 0.3 * posture.trunk + hang
    low = low + SIDESTEP_ELBOW * np.abs(signal.aside) + SPREAD_ELBOW * signal.spread
    high = TURN_ELBOW + (RUN_ELBOW - TURN_ELBOW) * path.running + RUN_PUMP * beat
    return low + (high - low) * signal.carriage
