"""The exported step acts as the crowd does."""

import numpy as np

import kinematch as km
from kinematch.export.character import write_character
from kinematch.export.data_file import read_about
from kinematch.export.native.kinematch_native import Characters


def test_a_request_is_entered_by_the_exported_step_as_by_a_crowd(acts, library):
    data = write_character(acts)
    names = read_about(data)["actions"][0]
    own, crowd = Characters(library, data), km.Crowd(acts)
    own.array("orders.actions")[0] = names.index("jump")
    own.array("orders.targets")[0] = [0.0, 0.0, 0.9, np.nan]
    for _ in range(120):
        own.step(1 / 60)
        pose = crowd.step(km.jump(target=[0.0, 0.0, 0.9]), 1 / 60)
    np.testing.assert_allclose(own.array("pose.global_positions")[0], pose.global_positions[0], atol=1e-3)
    assert own.array("pose.acting")[0] == pose.acting[0]
