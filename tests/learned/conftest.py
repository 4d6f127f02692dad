"""A small database, and a model of it with random weights: good for laws, not for looking at."""

from collections.abc import Callable

import pytest

from kinematch.bench.fuzz_examples import make_model
from kinematch.database.storage import Database
from kinematch.learned.model import Model


@pytest.fixture(scope="session")
def database(built_of) -> Database:
    """A few clips of the built-in motion."""
    return built_of("idle", "walk_1.35", "run_2.6", "walk_turn_*_90").database


@pytest.fixture(scope="session")
def random_model(database) -> Callable[..., Model]:
    """random_model(seed, projector=False): a model of the right shapes with random weights."""

    def make(seed: int = 0, *, projector: bool = False) -> Model:
        return make_model(database, projector=projector, seed=seed)

    return make
