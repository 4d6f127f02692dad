"""The exported step acts as the crowd does."""

import numpy as np
import pytest

import kinematch as km
from kinematch.export.character import pack, write_character
from kinematch.export.native.kinematch_native import Characters, NativeError


@pytest.fixture(scope="module")
def packed_acts(acts):
    return pack(acts)


@pytest.mark.parametrize("source", ["acts", "packed_acts"])
def test_a_request_is_entered_by_the_exported_step_as_by_a_crowd(source, library, request):
    acts = request.getfixturevalue(source)
    data = write_character(acts)
    own, crowd = Characters(library, data), km.Crowd(acts)
    own.act("jump", [0.0, 0.0, 0.9])
    for _ in range(120):
        own.step(1 / 60)
        pose = crowd.step(km.jump(target=[0.0, 0.0, 0.9]), 1 / 60)
    np.testing.assert_allclose(own.array("pose.global_positions")[0], pose.global_positions[0], atol=1e-3)
    assert own.array("pose.acting")[0] == pose.acting[0]


def test_requests_that_make_no_sense_are_refused_and_an_unknown_number_does_nothing(acts, library):
    own = Characters(library, write_character(acts))
    for target, n, error in (([np.inf, 0, 0], 0, "not finite"), ([0, 0, 1], 1, "out of range")):
        with pytest.raises(NativeError, match=error):
            own.act("jump", target, n=n)
    with pytest.raises(ValueError, match="not in list"):
        own.act("fly")
    own.array("orders.actions")[0] = 99
    own.step(1 / 60)
    assert own.array("pose.acting")[0] == -1
    assert own.array("pose.refusals")[0] > 0
