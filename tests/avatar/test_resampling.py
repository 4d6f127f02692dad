"""Trackers at even times: the same motion, nothing made up where nothing was tracked."""

import numpy as np
import pytest

from kinematch.avatar.resampling import resample_trackers
from kinematch.avatar.trackers import LEFT_HAND, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation


def make_trackers(times):
    times = np.asarray(times, float)
    positions = np.tile(times[:, None, None] * [1.0, 0, 2.0], (1, 7, 1))
    rotations = rotation.from_rotation_vector(np.tile(times[:, None, None] * [0, 1.5, 0], (1, 7, 1)))
    return find_velocities(Poses(times, positions, rotations, np.ones((len(times), 7), bool)))


def test_even_motion_stays_what_it_is():
    times = np.concatenate([[0], np.cumsum(np.random.default_rng(0).uniform(0.005, 0.03, 100))])
    even = resample_trackers(make_trackers(times), 60)
    assert np.allclose(np.diff(even.times), 1 / 60)
    assert even.times[-1] <= times[-1] < even.times[-1] + 1 / 60
    assert np.allclose(even.positions, make_trackers(even.times).positions)
    assert quaternion.angle(even.rotations, make_trackers(even.times).rotations).max() < 1e-6
    assert np.allclose(even.velocities[3:], [1, 0, 2])
    assert even.valid.all()


def test_samples_at_the_same_rate_stay_the_same():
    trackers = make_trackers(np.arange(50) / 90)
    even = resample_trackers(trackers, 90)
    assert len(even) == 50
    assert np.allclose(even.positions, trackers.positions)


def test_lost_points_and_gaps_stay_lost():
    trackers = make_trackers([*np.arange(30) / 60, *(5 + np.arange(30) / 60)])
    valid = trackers.valid.copy()
    valid[10:15, LEFT_HAND] = False
    lost = Trackers(*(getattr(trackers, name) for name in FIELDS), valid)
    even = resample_trackers(lost, 60)
    assert not even.valid[10:15, LEFT_HAND].any()
    assert even.valid[16:20].all()
    assert not even.valid[(even.times > 0.6) & (even.times < 4.9)].any()


FIELDS = ("times", "positions", "rotations", "velocities", "angular_velocities")


def test_one_sample_is_one_frame():
    assert len(resample_trackers(make_trackers([3.0]), 60)) == 1
    with pytest.raises(KinematchError, match="no samples"):
        resample_trackers(make_trackers([3.0]).take(slice(0)), 60)
    with pytest.raises(KinematchError, match="-5 samples per second"):
        resample_trackers(make_trackers([3.0]), -5)
