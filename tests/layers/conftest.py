"""A small database for the characters that layers change."""

import pytest

from kinematch.database.storage import Database


@pytest.fixture(scope="session")
def database(built_of) -> Database:
    """A few clips of the built-in motion."""
    return built_of("idle", "walk_1.35", "run_2.6", "walk_turn_*_90", "walk_turn_*_180").database
