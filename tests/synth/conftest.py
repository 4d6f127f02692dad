"""One performance of the whole card, shared by the tests that look at all of it."""

import pytest

from kinematch import synth
from kinematch.synth.walker import SynthClip


@pytest.fixture(scope="session")
def card() -> list[SynthClip]:
    return synth.make_locomotion_with_truth(seed=0)
