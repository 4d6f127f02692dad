"""The verdict: a character that keeps its pose while its root is dragged along is frozen."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.learned.network import Network
from kinematch.learned.verdict import score_stick


def make_statue(model, speed):
    """Whatever its inputs, the decompressor gives one pose whose root goes ahead."""
    network, columns = model.decompressor, model.columns
    biases = np.array(network.biases[-1])
    biases[columns.rotations] = np.tile([1.0, 0, 0, 0, 1, 0], model.skeleton.joint_count - 1)
    biases[columns.root] = (0.0, speed, 0.0)
    weights = (*network.weights[:-1], np.zeros_like(network.weights[-1]))
    return replace(model, decompressor=Network(weights, (*network.biases[:-1], biases), None))


@pytest.mark.parametrize("speed", [0.0, 1.5])
def test_a_pose_that_never_changes_is_frozen_however_fast_its_root_goes(random_model, speed):
    assert score_stick(make_statue(random_model(), speed), seconds=8.0)["stick_frozen"] > 0
