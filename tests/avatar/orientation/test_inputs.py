"""What the network sees: the same from anywhere, mirrored as told, and averages that forget."""

import numpy as np
import pytest

from kinematch.avatar.orientation import kernels
from kinematch.avatar.orientation.inputs import (
    AVERAGE_SECONDS,
    AVERAGED_VECTORS,
    COLUMN_COUNT,
    MIRROR_ORDER,
    PART_STARTS,
    PART_WIDTHS,
    measure_user,
    mirror_inputs,
)  # fmt: skip
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import Trackers
from kinematch.motion.clean.mirror import mirror
from kinematch.synth import motions, perform

MEASURES = {"head_height": 1.5, "arm_length": 0.7}


@pytest.fixture(scope="module")
def clip():
    return perform(next(one for one in motions() if one.name == "walk_turn_right_135")).clip.frames(60, 360)


def test_a_mirrored_person_has_mirrored_inputs(clip):
    inputs = measure_user(track_joints(clip), 1 / 60, **MEASURES)
    mirrored = measure_user(track_joints(mirror(clip)), 1 / 60, **MEASURES)
    np.testing.assert_allclose(mirror_inputs(inputs), mirrored, atol=2e-3)


def test_mirroring_twice_changes_nothing():
    rows = np.random.default_rng(0).normal(size=(5, COLUMN_COUNT))
    np.testing.assert_array_equal(mirror_inputs(mirror_inputs(rows)), rows)
    assert sorted(MIRROR_ORDER) == list(range(COLUMN_COUNT))


def test_size_does_not_matter(clip):
    joints = track_joints(clip)
    child = Trackers(
        joints.times, joints.positions * 0.6, joints.rotations, joints.velocities * 0.6, joints.angular_velocities,
        joints.valid,
    )  # fmt: skip
    inputs = measure_user(joints, 1 / 60, **MEASURES)
    small = measure_user(child, 1 / 60, head_height=0.9, arm_length=0.42)
    chest = slice(
        PART_STARTS["chest"] + 3, PART_STARTS["chest"] + PART_WIDTHS["chest"]
    )  # in metres: too near the head to matter
    small[:, chest] = inputs[:, chest]
    np.testing.assert_allclose(small, inputs, atol=1e-9)


def test_points_that_are_not_tracked_are_zero(clip):
    inputs = measure_user(track_joints(clip).keep(("head", "left_hand")), 1 / 60, **MEASURES)
    for part in ("right_hand", "chest", "left_foot", "right_foot"):
        assert not inputs[:, PART_STARTS[part] : PART_STARTS[part] + PART_WIDTHS[part]].any()
    past = inputs[:, PART_STARTS["past"] :].reshape(len(inputs), len(AVERAGE_SECONDS), AVERAGED_VECTORS, 2)
    assert not past[:, :, 3].any()
    assert past[:, :, 2].any()


def average(vectors: np.ndarray, seen: np.ndarray, dt: float) -> np.ndarray:
    out = np.empty((len(vectors), len(AVERAGE_SECONDS), AVERAGED_VECTORS, 2))
    kernels.average_sequence(vectors, seen, np.array(AVERAGE_SECONDS), dt, out)
    return out


def test_a_vector_that_is_not_seen_leaves_its_averages():
    rng = np.random.default_rng(0)
    vectors, seen = rng.normal(size=(80, AVERAGED_VECTORS, 2)), rng.random((80, AVERAGED_VECTORS)) < 0.7
    out = average(vectors, seen, 1 / 30)
    for vector in range(AVERAGED_VECTORS):
        own = seen[:, vector]
        alone = average(vectors[own], np.ones((own.sum(), AVERAGED_VECTORS), bool), 1 / 30)
        np.testing.assert_allclose(out[own, :, vector], alone[:, :, vector], atol=1e-12)


def test_averages_begin_as_plain_means_and_forget_with_their_span():
    vectors = np.ones((1200, AVERAGED_VECTORS, 2))
    vectors[600:] = -1
    averages = average(vectors, np.ones((1200, AVERAGED_VECTORS), bool), 1 / 60)[:, :, 0, 0]
    np.testing.assert_allclose(averages[:600], 1)
    later = averages[600 + 59]  # one second after the change
    np.testing.assert_allclose(later, 2 * np.exp(-1 / np.array(AVERAGE_SECONDS)) - 1, atol=0.05)
