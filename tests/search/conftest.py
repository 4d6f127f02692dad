"""Databases that tests of the search share; each is built once in a run."""

from pathlib import Path

import pytest

from kinematch.database.build import build


@pytest.fixture(scope="session")
def built_in(tmp_path_factory) -> Path:
    """The database of the built-in dance card."""
    folder = tmp_path_factory.mktemp("built-in")
    recipe = folder / "recipe.toml"
    recipe.write_text('output = "card.kinematch"\n[[source]]\nbuiltin = "dance-card"\n[cleaning]\nframe_rate = 60\n')
    build(recipe)
    return folder / "card.kinematch"
