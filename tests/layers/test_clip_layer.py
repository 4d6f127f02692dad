"""Laws of blending rotations in: weights of 0 leave joints as they are, 1 replaces them, the root is never changed."""

from types import SimpleNamespace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.layers.clip_layer import ClipLayer
from kinematch.math import quaternion


@pytest.fixture
def turns():
    """Unit rotations (2, 5, 4), twice."""
    return quaternion.normalize(np.random.default_rng(0).normal(size=(2, 2, 5, 4)))


def test_weights_say_which_joints_are_replaced(turns):
    pose, own = SimpleNamespace(rotations=turns[0].copy()), turns[1]
    weights = np.zeros((2, 5))
    weights[:, 0] = weights[0, 2] = weights[1, 4] = 1.0
    assert ClipLayer(own, weights).apply(pose, 1 / 60) == [2, 4]
    expected = turns[0].copy()
    expected[0, 2], expected[1, 4] = own[0, 2], own[1, 4]
    np.testing.assert_allclose(np.abs(np.sum(pose.rotations * expected, axis=-1)), 1.0, atol=1e-12)


def test_a_rotation_of_zero_is_refused_where_it_counts(turns):
    turns[1, 1, 3] = 0.0
    pose = SimpleNamespace(rotations=turns[0])
    assert ClipLayer(turns[1], np.eye(5)[[2, 2]]).apply(pose, 1 / 60) == [2]
    with pytest.raises(KinematchError, match="joint 3 of character 1"):
        ClipLayer(turns[1], np.eye(5)[[3, 3]]).apply(pose, 1 / 60)
