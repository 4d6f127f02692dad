"""A small database for the characters' tests."""

import pytest

from kinematch.database.build import build
from kinematch.database.storage import Database


@pytest.fixture(scope="session")
def database(tmp_path_factory) -> Database:
    """A few clips of the dance card."""
    folder = tmp_path_factory.mktemp("character")
    clips = '["idle", "walk_1.35", "run_2.6", "walk_turn_*_90", "walk_turn_*_180"]'
    (folder / "small.toml").write_text(f'[[source]]\nbuiltin = "dance-card"\nclips = {clips}\n')
    return build(folder / "small.toml").database
