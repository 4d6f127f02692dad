"""Trunk and arms of the card against the figures of human gait: what makes a motion look like a person's."""

import numpy as np
import pytest

from kinematch.math import rotation
from kinematch.synth.measure import SIDES, elbow, globals_of, hand_asymmetry, knee, stances, trunk_lean, upper_arm_pitch
from kinematch.synth.walker import SynthClip


def find(card: list[SynthClip], name: str) -> SynthClip:
    return next(motion for motion in card if motion.clip.name == name)


def speeds_along(motion: SynthClip) -> np.ndarray:
    """m/s (F,) of the root."""
    return np.linalg.norm(np.gradient(motion.root_positions, motion.clip.dt, axis=0), axis=-1)


def steadily(motion: SynthClip) -> slice:
    """Frames at full speed, without the half seconds in which the body still leans to speed up or slow down."""
    fast = np.flatnonzero(speeds_along(motion) > 0.98 * speeds_along(motion).max())
    return slice(fast[0] + 30, fast[-1] - 30)


def sidesteps(motion: SynthClip) -> np.ndarray:
    """Frames (F,) in which the body moves straight to a side at its full speed."""
    velocities = np.gradient(motion.root_positions, motion.clip.dt, axis=0)
    ahead = np.sum(velocities * motion.root_directions, -1)
    speeds = np.linalg.norm(velocities, axis=-1)
    return (np.abs(ahead) < 0.1) & (speeds > 0.95 * speeds.max())


def turns(motion: SynthClip, joint: str) -> np.ndarray:
    """Yaw, pitch and roll (F, 3) of a joint in the world, in degrees."""
    _, rotations, _ = globals_of(motion.clip)
    return np.degrees(rotation.to_euler(rotations[:, motion.clip.skeleton.joint(joint)], "YXZ"))


@pytest.mark.parametrize("name", ["run_2.6", "run_3.6", "run_4.5"])
def test_a_runner_leans_forward(card: list[SynthClip], name: str):
    motion = find(card, name)
    steady = steadily(motion)
    lean = trunk_lean(motion.clip, motion.root_directions)[steady]
    assert lean.min() > 4
    assert lean.max() < 10
    assert lean.mean() > 7


@pytest.mark.parametrize("name", ["run_2.6", "run_3.6", "run_4.5"])
def test_a_runner_swings_the_arms_thirty_degrees_each_way(card: list[SynthClip], name: str):
    motion = find(card, name)
    steady = steadily(motion)
    left, right = (upper_arm_pitch(motion.clip, side, motion.root_directions)[steady] for side in SIDES)
    for swing in (left, right):
        assert -45 < swing.min() < -25
        assert 20 < swing.max() < 35
    assert np.corrcoef(left, right)[0, 1] < -0.9


def test_elbows_stay_bent_through_every_turn_of_a_run(card: list[SynthClip]):
    found = [motion for motion in card if motion.clip.name.startswith("run_turn")]
    assert len(found) == 8
    for motion in found:
        fast = np.flatnonzero(speeds_along(motion) > 3.0)
        for side in SIDES:
            flexion = elbow(motion.clip, side)[fast[0] : fast[-1]]
            assert flexion.min() > 55, motion.clip.name
            assert 75 < flexion.mean() < 105, motion.clip.name


def test_arms_keep_swinging_through_a_sharp_turn_of_a_run(card: list[SynthClip]):
    for name in ("run_turn_left_180", "run_turn_right_180"):
        motion = find(card, name)
        fast = np.flatnonzero(speeds_along(motion) > 3.0)
        slow = np.flatnonzero(speeds_along(motion) < 2.0)
        turn = slow[(slow > fast[0]) & (slow < fast[-1])]
        for side in SIDES:
            assert np.ptp(upper_arm_pitch(motion.clip, side, motion.root_directions)[turn]) > 25, name


def test_no_arm_hangs_forward_as_the_body_comes_to_rest(card: list[SynthClip]):
    for motion in card:
        apart = hand_asymmetry(motion.clip)
        for start, stop in stances(speeds_along(motion) < 0.1):
            if start > 0 and stop - start > 60 and motion.clip.tags & {"walk", "run"}:
                assert apart[start] < 0.1, f"{motion.clip.name} at {start / 60:.2f} s"


def test_hands_hang_alike_half_a_second_after_a_stop(card: list[SynthClip]):
    for motion in card:
        still = speeds_along(motion) < 0.02
        for start, stop in stances(still):
            settled = slice(start + 30, max(start + 30, stop - 30))
            turned = np.abs(np.gradient(motion.root_directions, motion.clip.dt, axis=0)).max(-1)[settled] > 0.02
            apart = hand_asymmetry(motion.clip)[settled][~turned]
            assert len(apart) == 0 or apart.max() < 0.06, f"{motion.clip.name} at {start / 60:.2f} s"


@pytest.mark.parametrize("name", ["strafe_0.5", "strafe_0.8"])
def test_trunk_and_arms_take_part_in_sidesteps(card: list[SynthClip], name: str):
    motion = find(card, name)
    aside = sidesteps(motion)
    chest, hips = turns(motion, "Spine2")[aside], turns(motion, "Hips")[aside]
    assert np.ptp(chest[:, 0]) > 4  # turns
    assert np.ptp(chest[:, 2]) > 6  # sways
    assert np.ptp(hips[:, 0]) > 3
    assert np.corrcoef(chest[:, 0], hips[:, 0])[0, 1] < -0.8
    positions, _, _ = globals_of(motion.clip)
    for side in SIDES:
        hand = (positions[:, motion.clip.skeleton.joint(side + "Hand")] - positions[:, 0])[aside]
        assert np.ptp(hand, axis=0).max() > 0.07
        assert np.ptp(elbow(motion.clip, side)[aside]) > 8


@pytest.mark.parametrize(("name", "least"), [("strafe_0.5", 20), ("strafe_0.8", 28)])
def test_sidesteps_go_on_bent_knees(card: list[SynthClip], name: str, least: float):
    motion = find(card, name)
    aside = sidesteps(motion)
    for side in SIDES:
        flexion = knee(motion.clip, side)[aside]
        assert flexion.min() > least
        assert flexion.max() > least + 20


@pytest.mark.parametrize("name", ["strafe_0.5", "strafe_0.8"])
def test_sidesteps_alternate_wide_and_closing_and_the_feet_never_cross(card: list[SynthClip], name: str):
    motion = find(card, name)
    aside = sidesteps(motion)
    positions, _, _ = globals_of(motion.clip)
    across = np.stack([motion.root_directions[:, 2], -motion.root_directions[:, 0]], -1)
    left, right = (positions[:, motion.clip.skeleton.joint(side + "Foot")][:, [0, 2]] for side in SIDES)
    width = np.sum((left - right) * across, -1)[aside]
    assert 0.07 < width.min() < 0.2
    assert 0.4 < width.max() < 0.68
    assert motion.contacts[aside].any(1).all()
