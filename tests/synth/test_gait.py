"""The walker against the figures of human gait."""

from itertools import pairwise

import numpy as np
import pytest

from kinematch.math import quaternion, rotation
from kinematch.synth import Move, path_of_moves, walk
from kinematch.synth.measure import SIDES, globals_of, knee, thigh_pitch
from kinematch.synth.walker import SynthClip


def steady(speed: float) -> SynthClip:
    return walk(path_of_moves([Move(1.5), Move(9, speed), Move(3.5)]), seed=5)


def cycles(motion: SynthClip) -> list[tuple[int, int]]:
    """Strides of the left foot while the speed is steady."""
    landings = np.flatnonzero(np.diff(motion.contacts[:, 0].astype(int)) == 1) + 1
    landings = landings[(landings > 4 * 60) & (landings < 10 * 60)]
    return list(pairwise(landings))


def by_percent(motion: SynthClip, values: np.ndarray) -> np.ndarray:
    """A signal averaged over strides, at 0..99 percent of the cycle from the left foot's landing."""
    share = np.arange(100) / 100
    rows = [np.interp(a + share * (b - a), np.arange(len(values)), values) for a, b in cycles(motion)]
    return np.mean(rows, axis=0)


def pelvis(motion: SynthClip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height, sideways offset (m), and turn against the path (degrees)."""
    across = np.stack([motion.root_directions[:, 2], -motion.root_directions[:, 0]], -1)
    offset = motion.clip.positions[:, 0, [0, 2]] - motion.root_positions[:, [0, 2]]
    forward = quaternion.rotate(motion.clip.rotations[:, 0], np.array([0.0, 0, 1], np.float32))
    turn = np.degrees(np.arctan2(forward[:, 0], forward[:, 2]))
    return motion.clip.positions[:, 0, 1], np.sum(offset * across, -1), turn


@pytest.fixture(scope="module")
def walking() -> SynthClip:
    return steady(1.35)


@pytest.fixture(scope="module")
def running() -> SynthClip:
    return steady(3.5)


def test_a_walk_has_the_cadence_and_stance_of_people(walking: SynthClip):
    strides = np.mean([b - a for a, b in cycles(walking)]) / 60
    assert 105 < 120 / strides < 120
    share = np.mean([walking.contacts[a:b, 0].mean() for a, b in cycles(walking)])
    assert 0.58 < share < 0.64


def test_a_run_has_the_cadence_stance_and_flight_of_people(running: SynthClip):
    strides = np.mean([b - a for a, b in cycles(running)]) / 60
    assert 155 < 120 / strides < 178
    share = np.mean([running.contacts[a:b, 0].mean() for a, b in cycles(running)])
    assert 0.30 < share < 0.39
    assert not running.contacts[cycles(running)[0][0] : cycles(running)[0][1]].any(1).all()


def test_the_knee_of_a_walk(walking: SynthClip):
    curve = by_percent(walking, knee(walking.clip, "Left"))
    assert curve[98] < 12  # nearly straight before the strike
    assert 14 < curve[8:20].max() < 25  # gives under the load
    assert curve[28:42].min() < 16  # straightens over the foot
    assert 58 < curve.max() < 74
    assert 68 <= curve.argmax() <= 78


def test_the_hip_of_a_walk(walking: SynthClip):
    curve = by_percent(walking, thigh_pitch(walking.clip, "Left"))
    assert 24 < curve[0] < 36
    assert -18 < curve.min() < -7
    assert 44 <= curve.argmin() <= 58
    assert 80 <= curve.argmax() <= 92


def test_the_pelvis_of_a_walk(walking: SynthClip):
    height, sideways, turn = (by_percent(walking, signal) for signal in pelvis(walking))
    assert 0.03 < np.ptp(height) < 0.055
    assert height[20:35].max() > height[:8].min() + 0.025  # lowest in double support, highest over the leg
    assert 0.03 < np.ptp(sideways) < 0.055
    assert sideways[20:40].mean() > 0 > sideways[70:90].mean()  # over the standing foot
    assert 7 < np.ptp(turn) < 12
    assert turn[0] < 0  # the left hip is ahead when the left foot lands


def test_the_pelvis_of_a_run(running: SynthClip):
    height, sideways, _ = (by_percent(running, signal) for signal in pelvis(running))
    assert 0.07 < np.ptp(height) < 0.1
    assert 10 <= height[:50].argmin() <= 22  # lowest in mid-stance
    assert np.ptp(sideways) < 0.035


def test_the_knee_of_a_run(running: SynthClip):
    curve = by_percent(running, knee(running.clip, "Left"))
    assert 40 < curve[10:20].max() < 55
    assert 88 < curve.max() < 115


def test_slow_walking_sways_more_and_swings_the_arms_less(walking: SynthClip):
    slow = steady(0.5)
    assert np.ptp(by_percent(slow, pelvis(slow)[1])) > np.ptp(by_percent(walking, pelvis(walking)[1]))
    assert np.ptp(by_percent(slow, _arm(slow, "Left"))) < 0.8 * np.ptp(by_percent(walking, _arm(walking, "Left")))


def _arm(motion: SynthClip, side: str) -> np.ndarray:
    """Swing of the upper arm in the world, degrees, forward positive."""
    _, r, _ = globals_of(motion.clip)
    out = np.array([1.0 if side == "Left" else -1.0, 0.0, 0.0])
    along = quaternion.rotate(r[:, motion.clip.skeleton.joint(side + "Arm")], out)
    return np.degrees(np.arctan2(np.sum(along * motion.root_directions, -1), -along[:, 1]))


def test_arms_swing_against_the_legs(walking: SynthClip):
    left, right = (by_percent(walking, _arm(walking, side)) for side in SIDES)
    assert 25 < np.ptp(left) < 48
    assert left[:8].mean() < -10
    assert right[:8].mean() > 8  # the left foot has landed ahead
    assert np.corrcoef(left, right)[0, 1] < -0.9


def test_elbows_are_bent_to_a_right_angle_in_a_run(running: SynthClip):
    elbow = running.clip.rotations[:, running.clip.skeleton.joint("LeftForeArm")]
    flexion = by_percent(running, np.degrees(quaternion.angle(elbow)))
    assert 75 < flexion.mean() < 105


def test_the_thorax_turns_against_the_pelvis(walking: SynthClip, running: SynthClip):
    for motion, least in ((walking, 8), (running, 18)):
        _, r, _ = globals_of(motion.clip)
        chest = np.degrees(rotation.to_euler(r[:, motion.clip.skeleton.joint("Spine2")], "YXZ")[:, 0])
        chest, hips = by_percent(motion, chest), by_percent(motion, pelvis(motion)[2])
        assert np.ptp(chest) > least
        assert np.corrcoef(chest, hips)[0, 1] < -0.9


def test_the_head_is_held_level_and_still(walking: SynthClip, running: SynthClip):
    for motion in (walking, running):
        _, r, _ = globals_of(motion.clip)
        head = np.degrees(rotation.to_euler(r[:, motion.clip.skeleton.joint("Head")], "YXZ"))[4 * 60 : 10 * 60]
        assert np.ptp(head, axis=0).max() < 5


def test_the_gaze_leads_a_turn():
    motion = walk(path_of_moves([Move(1.5), Move(3, 1.2), Move(1.2, 0.9, turn=np.pi / 2), Move(3, 1.2), Move(2)]))
    _, r, _ = globals_of(motion.clip)
    head, facing = (
        np.unwrap(np.arctan2(v[:, 0], v[:, 2]))
        for v in (
            quaternion.rotate(r[:, motion.clip.skeleton.joint("Head")], np.array([0.0, 0, 1])),
            motion.root_directions,
        )
    )
    lead = (np.argmax(facing > np.pi / 4) - np.argmax(head > np.pi / 4)) / 60
    assert 0.1 < lead < 0.35
    assert np.degrees(np.abs(head - facing).max()) < 31


def test_bodies_lean_into_curves():
    motion = walk(path_of_moves([Move(1.5), Move(2, 3.4), Move(6, 3.4, turn=6 * 3.4 / 5), Move(3)]))
    p, _, _ = globals_of(motion.clip)
    figure = motion.clip.skeleton
    middle = slice(5 * 60, 8 * 60)
    feet = (p[:, figure.joint("LeftFoot")] + p[:, figure.joint("RightFoot")]) / 2
    up = (p[:, figure.joint("Neck")] - feet)[middle]
    across = np.stack([motion.root_directions[:, 2], -motion.root_directions[:, 0]], -1)[middle]
    lean = np.degrees(np.arctan2(np.mean(np.sum(up[:, [0, 2]] * across, -1)), np.mean(up[:, 1])))
    assert 5 < lean < 16  # atan(v^2 / g r) is 13 degrees


def test_people_who_stand_breathe_and_shift_their_weight():
    motion = walk(path_of_moves([Move(40)]), seed=2)
    hips = motion.clip.positions[:, 0]
    assert motion.contacts.all()
    assert 0.02 < np.ptp(hips[:, 0]) < 0.08
    chest = np.degrees(quaternion.angle(motion.clip.rotations[:, motion.clip.skeleton.joint("Spine2")]))
    spectrum = np.abs(np.fft.rfft(chest - chest.mean()))
    rates = np.fft.rfftfreq(len(chest), 1 / 60)
    assert spectrum[(rates > 0.2) & (rates < 0.32)].max() > spectrum[rates > 0.5].max()


def test_a_walk_ends_within_two_steps_of_standing_still():
    motion = walk(path_of_moves([Move(1.5), Move(4, 1.35), Move(4)]), seed=1)
    still = np.argmax(np.linalg.norm(np.diff(motion.root_positions[300:], axis=0), axis=-1) * 60 < 0.06) + 300
    assert (~motion.contacts[still + 30 :]).sum() == 0
