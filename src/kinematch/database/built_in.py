"""The built-in motion as a database: built on first use and kept in the cache, one file for every verb."""

from pathlib import Path

from kinematch.database.build import Progress, build
from kinematch.database.storage import Database
from kinematch.folders import find_cache_folder
from kinematch.writing import write_beside

RECIPE = """\
# The built-in motion. It has several heights of crouching; without a filter a search finds the upright clips alone.
[[source]]
builtin = "locomotion"

[matching]
filter = "level0"
"""


def open_built_in(progress: Progress = lambda stage, done, total: None) -> Database:
    """Open the built-in database of procedural locomotion; the first call builds it, later ones open it from the cache.

    `progress(stage, done, total)` is called while it is built.
    """
    return build(write_recipe(), progress=progress).database


def write_recipe() -> Path:
    """The recipe of the built-in motion as a file in the cache."""
    folder = find_cache_folder() / "built-in"
    folder.mkdir(parents=True, exist_ok=True)
    recipe = folder / "built-in.toml"
    if not recipe.is_file() or recipe.read_text() != RECIPE:
        write_beside(recipe, RECIPE.encode())
    return recipe
