"""The tracker controller: where the head goes and the body faces becomes a trajectory (MMVR eq. 3-8)."""

import numpy as np
import pytest

from kinematch.avatar.controller import SAMPLE_TIMES, TrackerController
from kinematch.avatar.trackers import HEAD, POINTS, Trackers

NO_OFFSET = np.zeros((1, 3))


def make_trackers(position=(0, 1.6, 0), velocity=(0, 0, 0)):
    positions, velocities = np.zeros((2, 1, len(POINTS), 3))
    positions[0, HEAD], velocities[0, HEAD] = position, velocity
    rotations = np.tile([1.0, 0, 0, 0], (1, len(POINTS), 1))
    valid = np.zeros((1, len(POINTS)), bool)
    valid[0, HEAD] = True
    return Trackers(np.zeros(1), positions, rotations, velocities, np.zeros((1, len(POINTS), 3)), valid)


def predict_after(controller, seconds, trackers, yaw=0.0, dt=1 / 60, offsets=NO_OFFSET):
    for _ in range(round(seconds / dt)):
        trajectory = controller.predict(trackers, np.array([yaw]), offsets, dt)
    return trajectory


def test_a_user_who_walks_on_is_predicted_along_a_line_at_the_headsets_velocity():
    trajectory = predict_after(TrackerController(1), 2.0, make_trackers((1, 1.6, 2), (0, 0, 1.2)))
    expected = np.stack([np.ones_like(SAMPLE_TIMES), np.zeros_like(SAMPLE_TIMES), 2 + 1.2 * SAMPLE_TIMES], axis=-1)
    np.testing.assert_allclose(trajectory.positions[0], expected, atol=1e-4)


def test_the_height_of_the_head_does_not_move_the_root():
    trajectory = predict_after(TrackerController(1), 1.0, make_trackers((0, 1.1, 0), (0, 3.0, 0)))
    np.testing.assert_array_equal(trajectory.positions, 0)


def test_the_root_is_behind_a_head_that_is_carried_ahead():
    trajectory = predict_after(TrackerController(1), 1.0, make_trackers(), np.pi / 2, offsets=np.array([[0, 0, 0.1]]))
    np.testing.assert_allclose(trajectory.positions[0], [[-0.1, 0, 0]] * len(SAMPLE_TIMES), atol=1e-6)


def find_yaws(trajectory):
    return np.unwrap(np.arctan2(trajectory.directions[0, :, 0], trajectory.directions[0, :, 2]))


def test_a_corrected_estimate_is_turned_to_the_short_way():
    controller = TrackerController(1)
    predict_after(controller, 1.0, make_trackers(), yaw=3.0)
    yaws = find_yaws(predict_after(controller, 1 / 60, make_trackers(), yaw=-3.0))
    assert (np.diff(yaws) >= 0).all()
    assert yaws[-1] - 3.0 == pytest.approx(2 * np.pi - 6.0, abs=0.15)


def test_a_body_that_turns_is_predicted_to_turn_on_for_a_moment():
    controller, rate = TrackerController(1), 1.5
    for frame in range(120):
        yaw = rate * frame / 60
        trajectory = controller.predict(make_trackers(), np.array([yaw]), NO_OFFSET, 1 / 60)
    yaws = find_yaws(trajectory)
    assert yaws[-1] == pytest.approx(yaw + 0.3 * rate, abs=0.05)


def test_the_prediction_does_not_depend_on_the_rate():
    slow = predict_after(TrackerController(1), 0.1, make_trackers(velocity=(1, 0, 0)), 0.0, dt=1 / 30)
    fast = predict_after(TrackerController(1), 0.1, make_trackers(velocity=(1, 0, 0)), 0.0, dt=1 / 120)
    np.testing.assert_allclose(slow.positions, fast.positions, atol=1e-9)
