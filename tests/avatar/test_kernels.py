"""Kernels between devices and trajectories give what their plain definitions give, on odd inputs too."""

import numpy as np
import pytest

from kinematch.avatar.calibration import gather_offsets, locate_joints, locate_plainly, make_calibration
from kinematch.avatar.controller import Smoothing, TrackerController
from kinematch.avatar.kernels.points import drop_broken
from kinematch.avatar.levels import Levels
from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, POINTS, Trackers, drop_plainly
from kinematch.avatar.upper_body.kernels.tracking import take_points
from kinematch.avatar.upper_body.layer import Tracked, take_plainly

FIELDS = ("positions", "rotations", "velocities", "angular_velocities", "valid", "fingers")


def make_points(seed: int, count: int = 6) -> list[np.ndarray]:
    """Positions, rotations, velocities, angular velocities and validity of random points, some of them broken."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(count, len(POINTS), size)) for size in (3, 4, 3, 3)]
    for array in arrays:
        chosen = rng.random(array.shape) < 0.02
        array[chosen] = rng.choice([np.nan, np.inf, -np.inf], chosen.sum())
    arrays[1][0, 0], arrays[1][0, 1] = 0.0, 1e-3
    return [*arrays, rng.random((count, len(POINTS))) < 0.8]


def make_trackers(seed: int, count: int = 6, fingers: bool = True) -> Trackers:
    rng = np.random.default_rng(seed)
    hands = rng.normal(size=(count, len(HANDS), FINGER_JOINTS, 3))
    hands[rng.random((count, len(HANDS))) < 0.4] = np.nan
    return Trackers(np.arange(count), *make_points(seed, count), hands if fingers else None)


@pytest.mark.parametrize("seed", range(3))
def test_broken_points_are_dropped_as_defined(seed):
    points = make_points(seed, 40)
    expected = drop_plainly(*points)
    drop_broken(*points)
    for found, want in zip(points, expected):
        np.testing.assert_allclose(found, want, atol=1e-15)
    assert 0.3 < points[-1].mean() < 0.8


@pytest.mark.parametrize("seed", range(3))
def test_devices_become_joints_as_defined(seed):
    devices = make_trackers(seed)
    calibrations = [
        make_calibration(device, floor=floor, scale=scale, swapped=swapped)
        for device, floor, scale, swapped in zip(
            ("quest", "vive", "none", "index", "pico", "generic"), (0.0, 0.2, -1.0, 0.0, 0.1, 0.0),
            (1.0, 0.8, 1.2, 1.0, 1.0, 2.0), (False, True, False, True, False, True),
        )
    ]  # fmt: skip
    for some in (calibrations, calibrations[1:2]):
        found, expected = locate_joints(some, devices), locate_plainly(gather_offsets(some), devices)
        for name in FIELDS:
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


@pytest.mark.parametrize("ratios", [(1.0,), (0.5, 1.0), (0.4, 0.55, 0.7, 0.82, 1.0, 1.03)])
def test_levels_are_chosen_as_defined(ratios):
    rng = np.random.default_rng(0)
    levels = Levels(tuple(map(str, ratios)), np.array(ratios), rng.normal(size=(len(ratios), 3)), len(ratios) - 1)
    heads, current = rng.uniform(0.2, 1.2, 500), rng.integers(-1, len(ratios) + 2, 500)
    np.testing.assert_array_equal(levels.choose(heads, current), levels.choose_plainly(heads, current))
    heads = np.concatenate([heads, ratios])
    np.testing.assert_allclose(levels.find_offsets(heads), levels.find_offsets_plainly(heads), atol=1e-12)


@pytest.mark.parametrize("smoothing", [Smoothing(), Smoothing(velocity=0.0, facing=0.0, rate=0.0)])
def test_trajectories_are_predicted_as_defined(smoothing):
    controllers = [TrackerController(6, smoothing=smoothing) for _ in range(2)]
    rng = np.random.default_rng(1)
    for step in range(12):
        joints, yaws = make_trackers(step), rng.uniform(-4, 4, 6)
        offsets, dt = rng.normal(size=(6, 3)) * [1, 0, 1], 0.0 if step == 3 else 1 / 90
        found = controllers[0].predict(joints, yaws, offsets, dt)
        expected = controllers[1].predict_plainly(joints, yaws, offsets, dt)
        np.testing.assert_allclose(found.positions, expected.positions, atol=1e-10)
        np.testing.assert_allclose(found.directions, expected.directions, atol=1e-10)
        for name in ("velocities", "accelerations", "yaws", "yaw_rates", "turn_rates"):
            np.testing.assert_allclose(getattr(controllers[0], name), getattr(controllers[1], name), atol=1e-9)


@pytest.mark.parametrize("fingers", [True, False])
def test_points_take_over_as_defined(fingers):
    count, points = 6, len(POINTS)

    def make_state():
        tracked = Tracked(
            np.zeros((count, points, 3)), np.zeros((count, points, 4)), np.zeros((count, points), bool),
            np.zeros((count, points)), np.zeros((count, 2, FINGER_JOINTS, 3)), np.zeros((count, 2), bool),
            np.zeros((count, 2)),
        )  # fmt: skip
        return np.full((count, points + 2), np.nan), tracked

    states = make_state(), make_state()
    for seed in range(20):
        joints = make_trackers(seed, fingers=fingers)
        given = joints.positions, joints.rotations, joints.valid
        hands = joints.fingers if fingers else np.zeros((0, 2, FINGER_JOINTS, 3))
        for take, (weights, tracked) in zip((take_points, take_plainly), states):
            take(*given, hands, weights, 0.03, tracked)
        for found, expected in zip((states[0][0], *states[0][1]), (states[1][0], *states[1][1])):
            np.testing.assert_allclose(found, expected, atol=1e-12)
