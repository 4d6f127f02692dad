"""Copies of models, and of crowds that play them."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.evaluate.learned import LearnedCrowd
from kinematch.learned.model_file import load_model, save_model

WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}
WALK = move(np.array([[0.0, 0, 1.3], [0.5, 0, 0.5]]))


def check_same(one, two) -> None:
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("projector", [False, True])
def test_a_copied_crowd_of_a_model_steps_like_the_original(way, projector, random_model, database):
    model = random_model(projector=projector)
    for crowd in (Crowd([database, model], 2), LearnedCrowd(model, 2)):
        for _ in range(20):
            crowd.step(WALK, 1 / 60)
        before, copied = crowd.state.copy(), WAYS[way](crowd)
        shown = [(*copied.step(WALK, 1 / 60), copied.frames.copy()) for _ in range(30)]
        check_same(crowd.state.arrays().values(), before.arrays().values())
        for pose in shown:
            check_same(pose, (*crowd.step(WALK, 1 / 60), crowd.frames))


def test_a_model_is_pickled_by_its_file_or_else_with_its_arrays(random_model, tmp_path):
    model, path = random_model(projector=True), tmp_path / "small.kinematch-model"
    save_model(path, model)
    opened = load_model(path)
    pickled = pickle.dumps(opened)
    assert len(pickled) < 1000
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as child:
        copies = [pickle.loads(pickled), *child.map(copy.copy, (opened, model))]
    for one, expected in zip(copies, (opened, opened, model), strict=True):
        check_same(one.stepper.weights, expected.stepper.weights)
        check_same(vars(one.codebook).values(), vars(expected.codebook).values())
        assert not one.limits.flags.writeable
        assert not one.stepper.weights[0].flags.writeable
        assert one.file == expected.file
    path.unlink()
    with pytest.raises(KinematchError, match=r"small\.kinematch-model: cannot be opened any more"):
        pickle.loads(pickled)
