"""Lengths: a frame whose bones are not as long as usual is noticed."""

import numpy as np
import pytest

from kinematch.camera.landmarks import NAMES, REQUIRED_NAMES
from kinematch.camera.lengths import BONES, UsualLengths, find_bones, find_stretch, measure_bones


def test_a_frame_that_stretches_the_body_is_noticed_and_one_that_moves_it_is_not():
    rng = np.random.default_rng(0)
    body, bones, seen = rng.normal(size=(len(NAMES), 3)), find_bones(NAMES), np.ones(len(NAMES))
    usual = UsualLengths()
    for _ in range(30):
        usual.learn(measure_bones(body + rng.normal(size=3), bones))
    assert len(usual.medians) == len(BONES)
    assert find_stretch(measure_bones(body + np.array([1, 0, 2]), bones), usual.medians, bones, seen) == pytest.approx(
        0
    )
    assert find_stretch(measure_bones(1.1 * body, bones), usual.medians, bones, seen) > 0.05


def test_bones_that_are_not_seen_do_not_count():
    bones, usual = find_bones(NAMES), np.ones(len(BONES))
    lengths, seen = usual.copy(), np.ones(len(NAMES))
    lengths[-1], seen[bones[-1]] = 9.0, 0.1
    assert find_stretch(lengths, usual, bones, seen) == 0


def test_an_estimator_that_sees_few_points_has_few_bones():
    bones = find_bones(REQUIRED_NAMES)
    assert [tuple(REQUIRED_NAMES[k] for k in bone) for bone in bones] == [("left_hip", "right_hip")]


def test_usual_lengths_are_those_of_most_frames():
    usual = UsualLengths()
    for step in range(40):
        usual.learn(np.array([9.0 if step % 4 == 0 else 1.0, 2.0]))
    np.testing.assert_array_equal(usual.medians, [1, 2])
