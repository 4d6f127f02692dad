"""A model in the compiled library plays as in a crowd, with and without a projector."""

import numpy as np
import pytest

import kinematch as km
from kinematch.export.character import write_character
from kinematch.export.native.kinematch_native import Characters


@pytest.mark.parametrize("projector", [False, True])
def test_an_exported_model_plays_as_in_a_crowd(random_model, library, projector):
    model = random_model(projector=projector)
    own, crowd = Characters(library, write_character(model), 2), km.Crowd(model, 2)
    for i in range(90):
        velocity = np.array([[np.sin(i / 20), 0, 1.2], [0, 0, 0.4]])
        for n in range(2):
            own.command(velocity[n], velocity[n], n)
        own.step(1 / 60)
        pose = crowd.step(km.move(velocity, velocity), 1 / 60)
    assert np.array_equal(own.array("pose.sources"), pose.sources)
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < 1e-3  # errors of runs add up


def test_models_and_databases_go_along_together(random_model, database, library):
    own = Characters(library, write_character([database, random_model()], names=["data", "model"]))
    crowd = km.Crowd([database, random_model()])
    for i in range(60):
        own.command((0, 0, 1.2), (0, 0, 1), source=int(i > 20))
        own.step(1 / 60)
        pose = crowd.step(km.move([0, 0, 1.2], [0, 0, 1], source=int(i > 20)), 1 / 60)
    assert own.array("pose.sources")[0] == pose.sources[0] == 1
    assert np.abs(own.array("pose.global_positions") - pose.global_positions).max() < 1e-3
