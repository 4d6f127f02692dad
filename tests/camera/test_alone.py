"""The camera alone: joints of a simulated person are about where they are."""

import numpy as np
import pytest

from kinematch.avatar.trackers import HEAD, LEFT_HAND, WAIST
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.camera.alone import find_joints
from kinematch.camera.landmarks import NAMES, Landmarks
from kinematch.camera.live_body import LiveBody
from kinematch.camera.one_euro import smooth_one_euro
from kinematch.camera.problems import VOTE_FRAMES, ProblemVote, name_problem
from kinematch.camera.simulate import Noise, SimulatedCamera, simulate_camera
from kinematch.errors import KinematchError
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import make_cast
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws


@pytest.fixture(scope="module")
def filmed():
    """Landmarks of somebody before a good camera, the joints in truth, and the height to be assumed."""
    user = make_cast(make_clips(2, seconds=5.0, seed=2, room=1.0)[1:]).users[0]
    camera = SimulatedCamera((0.0, 1.1, 4.0), np.pi, 0.1, lag=0.0)
    noise = Noise(0.002, 0.004, spells=0.0, swaps=0.0, dropped=0.0)
    landmarks = simulate_camera(user.clip, camera, np.random.default_rng(0), noise=noise)
    truth = user.joints.take(np.round(landmarks.times * user.rate).astype(int))
    return landmarks, truth, (user.joints.positions[:, HEAD, 1].max() + 0.05) / 0.92


@pytest.mark.parametrize("live", [False, True], ids=["recorded", "live"])
def test_a_person_is_found_without_any_tracker(filmed, live):
    landmarks, truth, height = filmed
    if live:
        body, seen = LiveBody(height=height), range(len(landmarks))
        frames = [body.see(landmarks.take(slice(n, n + 1))) for n in seen]
        found = find_velocities(Poses(*(np.concatenate(part) for part in list(zip(*frames))[:4])))
    else:
        found = find_joints(landmarks, height=height)
    assert np.abs(found.positions[:, HEAD, 1] - truth.positions[:, HEAD, 1]).mean() < 0.06
    gaps = wrap_angle(facing_yaws(found.rotations[:, WAIST]) - facing_yaws(truth.rotations[:, WAIST]))
    assert np.degrees(np.abs(gaps)).mean() < 10
    arms = [one.positions[:, LEFT_HAND] - one.positions[:, HEAD] for one in (found, truth)]
    assert np.linalg.norm(arms[0] - arms[1], axis=-1).mean() < 0.1
    assert found.positions[:, :, 1].min() > -0.1


def test_somebody_whose_legs_are_outside_the_picture_stands_with_no_word_about_the_hips(filmed):
    landmarks, truth, height = filmed
    landmarks.visibility[:, NAMES.index("left_hip") :] = 0.05
    body = LiveBody(height=height)
    frames = [body.see(landmarks.take(slice(n, n + 1))) for n in range(40)]
    assert not any(poses.valid[0, WAIST] for poses in frames)
    heights = [poses.positions[0, HEAD, 1] for poses in frames]
    assert np.abs(heights - truth.positions[:40, HEAD, 1]).mean() < 0.1
    nobody = Landmarks(np.zeros(1), np.zeros((1, 33, 3)), np.zeros((1, 33, 2)), np.zeros((1, 33)))
    assert body.see(nobody) is None


def test_what_is_wrong_with_a_picture_is_said_in_words_that_do_not_flicker(filmed):
    landmarks, _, _ = filmed
    frame = Landmarks(*(getattr(landmarks.take(slice(0, 1)), name) for name in ("times", "places", "image")),
                      np.full((1, 33), 0.9))  # fmt: skip
    assert name_problem(frame) == ""
    assert "too dark" in name_problem(frame, brightness=0.05)
    assert "more than one person" in name_problem(frame, people=2)
    assert "do not agree" in name_problem(frame, residual=0.5)
    frame.visibility[0, NAMES.index("left_ankle")] = 0.1
    assert "feet are not seen" in name_problem(frame)
    frame.visibility[0, NAMES.index("right_hip")] = 0.1
    assert "hips are not seen" in name_problem(frame)
    frame.visibility[:] = 0
    assert "no person is visible" in name_problem(frame, people=0)
    trouble = ProblemVote()
    said = [trouble.watch("feet are not seen" if n % VOTE_FRAMES == 4 else "") for n in range(5 * VOTE_FRAMES)]
    assert set(said) == {""}


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
