"""Kernels between devices and trajectories, on odd inputs too."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.avatar.calibration import locate_joints, make_calibration
from kinematch.avatar.kernels.points import MIN_QUATERNION_LENGTH, drop_broken
from kinematch.avatar.levels import HEAD_TO_ROOT_SHARE, Levels
from kinematch.avatar.trackers import FINGER_JOINTS, HANDS, LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.avatar.upper_body.kernels.tracking import take_points
from kinematch.avatar.upper_body.layer import Tracked

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
def test_points_with_a_broken_number_are_zero_and_untracked_and_others_stay(seed):
    points = make_points(seed, 40)
    before = [array.copy() for array in points]
    drop_broken(*points)
    positions, rotations, velocities, spins, valid = points
    whole = [np.isfinite(array).all(axis=-1) for array in before[:4]]
    length = np.linalg.norm(before[1], axis=-1)
    assert np.array_equal(valid, before[4] & np.all(whole, axis=0) & (length > MIN_QUATERNION_LENGTH))
    assert 0.3 < valid.mean() < 0.8
    for array, old in zip((positions, velocities, spins), (before[0], before[2], before[3])):
        assert np.array_equal(array[valid], old[valid])
        assert not array[~valid].any()
    assert np.allclose(rotations[valid] * length[valid][:, None], before[1][valid], atol=1e-15)
    assert np.array_equal(rotations[~valid], np.tile([1.0, 0, 0, 0], (int((~valid).sum()), 1)))


@pytest.fixture
def calibrations():
    return [
        make_calibration(device, floor=floor, scale=scale, swapped=swapped)
        for device, floor, scale, swapped in zip(
            ("quest", "vive", "none", "index", "pico", "generic"), (0.0, 0.2, -1.0, 0.0, 0.1, 0.0),
            (1.0, 0.8, 1.2, 1.0, 1.0, 2.0), (False, True, False, True, False, True),
        )
    ]  # fmt: skip


def test_joints_of_several_users_are_those_of_each(calibrations):
    devices = make_trackers(0)
    together = locate_joints(calibrations, devices)
    for n, calibration in enumerate(calibrations):
        alone = locate_joints([calibration], devices.take(slice(n, n + 1)))
        for name in FIELDS:
            np.testing.assert_allclose(getattr(together, name)[n], getattr(alone, name)[0], atol=1e-12)


def test_swapped_controllers_are_exchanged_controllers(calibrations):
    devices, order = make_trackers(1), np.arange(len(POINTS))
    order[[LEFT_HAND, RIGHT_HAND]] = RIGHT_HAND, LEFT_HAND
    moving = [getattr(devices, name)[:, order] for name in FIELDS[:-1]]
    exchanged = Trackers(devices.times, *moving, devices.fingers[:, ::-1])
    for calibration in calibrations:
        other = replace(calibration, swapped=not calibration.swapped)
        found, expected = locate_joints([other], devices), locate_joints([calibration], exchanged)
        for name in FIELDS:
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


def test_a_scale_stretches_places_and_speeds_and_a_floor_moves_places(calibrations):
    devices = make_trackers(2)
    for calibration in calibrations:
        plain = locate_joints([replace(calibration, scale=1.0, floor=0.0)], devices)
        found, known = locate_joints([calibration], devices), plain.valid[..., None]
        floor, scale = np.array([0.0, calibration.floor, 0.0]), calibration.scale
        np.testing.assert_allclose(found.positions, (plain.positions - floor) * scale * known, atol=1e-12)
        np.testing.assert_allclose(found.fingers, (plain.fingers - floor) * scale, atol=1e-12)
        np.testing.assert_allclose(found.velocities, plain.velocities * scale, atol=1e-12)
        np.testing.assert_array_equal(found.rotations, plain.rotations)
        np.testing.assert_array_equal(found.angular_velocities, plain.angular_velocities)


@pytest.mark.parametrize("ratios", [(1.0,), (0.5, 1.0), (0.4, 0.55, 0.7, 0.82, 1.0, 1.03)])
def test_levels_are_kept_once_chosen_and_offsets_are_linear_between_them(ratios):
    rng = np.random.default_rng(0)
    levels = Levels(tuple(map(str, ratios)), np.array(ratios), rng.normal(size=(len(ratios), 3)), len(ratios) - 1)
    heads, current = rng.uniform(0.2, 1.2, 500), rng.integers(-1, len(ratios) + 2, 500)
    chosen = levels.choose(heads, current)
    assert ((chosen >= 0) & (chosen < len(ratios))).all()
    np.testing.assert_array_equal(levels.choose(heads, chosen), chosen)
    fresh = levels.choose(heads, np.full(500, -1))
    np.testing.assert_array_equal(fresh, np.abs(heads[:, None] - levels.ratios).argmin(axis=1))
    assert ((chosen == fresh) | (chosen == np.clip(current, 0, len(ratios) - 1))).all()
    heads = np.concatenate([heads, ratios])
    for axis, share in enumerate((HEAD_TO_ROOT_SHARE, 0.0, HEAD_TO_ROOT_SHARE)):
        expected = share * np.interp(heads, levels.ratios, levels.heads[:, axis])
        np.testing.assert_allclose(levels.find_offsets(heads)[:, axis], expected, atol=1e-12)


@pytest.mark.parametrize("fingers", [True, False])
def test_points_take_over_at_once_at_first_and_then_gradually(fingers):
    count, points, most = 6, len(POINTS), 0.03
    tracked = Tracked(
        np.zeros((count, points, 3)), np.zeros((count, points, 4)), np.zeros((count, points), bool),
        np.zeros((count, points)), np.zeros((count, 2, FINGER_JOINTS, 3)), np.zeros((count, 2), bool),
        np.zeros((count, 2)),
    )  # fmt: skip
    weights, places = np.full((count, points + 2), np.nan), np.zeros((count, points, 3))
    for seed in range(20):
        joints = make_trackers(seed, fingers=fingers)
        hands = joints.fingers if fingers else np.zeros((0, 2, FINGER_JOINTS, 3))
        before = weights.copy()
        take_points(joints.positions, joints.rotations, joints.valid, hands, weights, most, tracked)
        places[joints.valid] = joints.positions[joints.valid]  # a lost point stays where it was last seen
        assert np.array_equal(tracked.positions, places)
        whole = np.isfinite(hands).all(axis=(2, 3)) & joints.valid[:, HANDS] if fingers else np.zeros((count, 2), bool)
        assert np.array_equal(tracked.finger_valid, whole)
        wanted = np.concatenate([joints.valid, whole], axis=1)
        if seed == 0:
            assert np.array_equal(weights, wanted.astype(float))
        else:
            assert np.allclose(np.abs(weights - before), np.minimum(most, np.abs(wanted - before)))
            assert (np.abs(weights - wanted) <= np.abs(before - wanted)).all()
        shares = np.concatenate([tracked.shares, tracked.finger_shares], axis=1)
        assert np.array_equal(np.argsort(shares.ravel(), kind="stable"), np.argsort(weights.ravel(), kind="stable"))
        assert ((shares >= 0) & (shares <= 1) & (shares[weights == 1] == 1).all()).all()
