"""Samples of pages: checked, turned into our axes, and with the velocities that a recording would have."""

import math
import sys

import numpy as np
import pytest

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.trackers import HEAD, LEFT_HAND, RIGHT_HAND
from kinematch.avatar.velocities import find_velocities
from kinematch.math import quaternion
from kinematch.stream.layout import MOTION, unpack
from kinematch.studio.vr import kernels
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.samples import read_sample, to_poses, to_trackers, to_webxr
from kinematch.studio.vr.simulated_motions import MOTIONS, pack_motion

POSITIONS = np.tile([0.1, 1.6, 0.2], (7, 1))
STILL = np.tile([0.0, 0, 0, 1], (7, 1))


@pytest.fixture
def make_sample(walker):
    return sys.modules[walker.__module__].make_sample


def test_who_looks_along_minus_z_as_webxr_has_it_does_so_in_the_room(make_sample):
    read = read_sample(make_sample(1, 2.0, POSITIONS, STILL))
    np.testing.assert_allclose(read.positions[:3], POSITIONS[:3], atol=1e-6)
    forward, up, left = (quaternion.rotate(read.rotations[HEAD], np.array(axis)) for axis in np.eye(3)[[2, 1, 0]])
    np.testing.assert_allclose([forward, up, left], [[0, 0, -1], [0, 1, 0], [-1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(np.abs(to_webxr(read.rotations[:3]) @ STILL[0]), 1, atol=1e-6)


def test_points_that_make_no_sense_are_not_valid_and_the_rest_is_kept(make_sample):
    positions, rotations = POSITIONS.copy(), STILL.copy()
    positions[LEFT_HAND, 1] = math.nan
    rotations[RIGHT_HAND] = 0
    read = read_sample(make_sample(1, 2.0, positions, rotations))
    assert read.valid.tolist() == [True, False, False, False, False, False, False]
    assert "left hand" in read.problem
    assert "right hand" in read.problem
    assert np.isfinite(read.positions).all()
    assert read_sample(make_sample(1, 2.0, 1e6 * POSITIONS, STILL)).valid.sum() == 0


@pytest.mark.parametrize("change", [{"time": math.nan}, {"time": -1.0}, {"time": 1e300}])
def test_a_time_that_makes_no_sense_is_refused(make_sample, change):
    given = {"sequence": 1, "time": 2.0, "positions": POSITIONS, "rotations": STILL} | change
    with pytest.raises(ValueError, match="time"):
        read_sample(make_sample(**given))


def test_messages_of_another_size_are_refused(make_sample):
    good = make_sample(1, 2.0, POSITIONS, STILL)
    for bad in (b"", good[:50], good[:-4], good + b"1234", b"KMX9" + good[4:]):
        with pytest.raises(ValueError, match="TrackerSample"):
            read_sample(bad)
    many = bytearray(good)
    many[24:28] = (2**31).to_bytes(4, "little")  # so many hands
    with pytest.raises(ValueError, match="TrackerSample"):
        read_sample(bytes(many))


def test_velocities_are_those_that_a_recording_has(make_sample):
    rng = np.random.default_rng(3)
    times = 5 + np.cumsum(rng.choice([0.005, 0.011, 0.04, 0.3], 60))
    samples = []
    for k, time in enumerate(times):
        positions = rng.normal(size=(7, 3))
        rotations = rng.normal(size=(7, 4))
        rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
        samples.append(
            read_sample(make_sample(k, time, positions, rotations, valid=int(rng.choice([7, 7, 7, 5, 127]))))
        )
    whole = find_velocities(to_poses(samples))
    for k in range(len(samples)):
        one = to_trackers(samples[max(0, k - 9) : k + 1])
        for name in ("positions", "velocities", "angular_velocities", "valid"):
            np.testing.assert_allclose(getattr(one, name)[0], getattr(whole, name)[k], atol=1e-9)


@pytest.mark.parametrize("name", MOTIONS)
def test_simulated_motions_can_be_replayed_for_ever(name):
    header, arrays = unpack(MOTION, pack_motion(name))
    assert 1.5 < header["height"] < 2
    assert (arrays["valid"] == 7).all()
    heads = arrays["positions"][:, HEAD]
    np.testing.assert_allclose(heads[0], heads[-1], atol=0.02)
    first, last = arrays["rotations"][[0, -1], HEAD]
    assert abs(first @ last) > math.cos(math.radians(5) / 2)
    speeds = np.linalg.norm(np.diff(arrays["positions"][:, :3], axis=0), axis=-1) * header["rate"]
    assert speeds.max() < 5


def test_samples_after_the_first_body_compile_nothing(make_sample, database):
    make_outfit(database, "small", calibration=Calibration())
    before = len(kernels.check_points.signatures), len(kernels.find_motion.signatures)
    assert min(before) > 0
    samples = [read_sample(make_sample(k, 2 + k / 90, POSITIONS, STILL)) for k in range(3)]
    to_trackers(samples)
    assert (len(kernels.check_points.signatures), len(kernels.find_motion.signatures)) == before
