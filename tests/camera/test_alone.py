"""The camera alone: joints of a simulated person are about where they are."""

import numpy as np
import pytest

from kinematch.avatar.trackers import HEAD, LEFT_HAND, WAIST
from kinematch.camera.alone import find_joints
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.one_euro import smooth_one_euro
from kinematch.camera.simulate import Camera, Noise, simulate_camera
from kinematch.errors import KinematchError
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws


def test_a_person_is_found_without_any_tracker():
    user = make_cast(make_clips(2, seconds=5.0, seed=2, room=1.0)[1:]).users[0]
    camera = Camera((0.0, 1.1, 4.0), np.pi, 0.1, lag=0.0)
    noise = Noise(0.002, 0.004, spells=0.0, swaps=0.0, dropped=0.0)
    landmarks = simulate_camera(user.clip, camera, np.random.default_rng(0), noise=noise)
    head = user.joints.positions[:, HEAD, 1].max()
    found = find_joints(landmarks, height=(head + 0.05) / 0.92)
    frames = np.round((landmarks.times[: len(found)]) * user.rate).astype(int)
    truth = user.joints.take(frames)
    assert np.abs(found.positions[:, HEAD, 1] - truth.positions[:, HEAD, 1]).mean() < 0.06
    gaps = wrap_angle(facing_yaws(found.rotations[:, WAIST]) - facing_yaws(truth.rotations[:, WAIST]))
    assert np.degrees(np.abs(gaps)).mean() < 10
    arms = [one.positions[:, LEFT_HAND] - one.positions[:, HEAD] for one in (found, truth)]
    assert np.linalg.norm(arms[0] - arms[1], axis=-1).mean() < 0.1
    assert found.positions[:, :, 1].min() > -0.1


def test_a_camera_that_never_saw_a_body_is_refused():
    nothing = Landmarks(np.arange(3.0), np.zeros((3, 33, 3)), np.zeros((3, 33, 2)), np.zeros((3, 33)))
    with pytest.raises(KinematchError, match="a body is seen in 0 of 3 frames"):
        find_joints(nothing)


def test_what_is_still_is_smoothed_and_what_moves_is_followed():
    times, rng = np.arange(100) / 30, np.random.default_rng(0)
    still = smooth_one_euro(times, rng.normal(0, 0.01, (100, 1, 3)))
    assert still[50:].std() < 0.006
    moving = np.stack([times, times, times], axis=-1)[:, None] * 2.0
    assert np.abs(smooth_one_euro(times, moving) - moving)[50:].max() < 0.1
