"""The built-in motion as a database: built on first use and kept in the cache, one file for every verb."""

from pathlib import Path

from kinematch.database.build import build
from kinematch.database.clean_files import Progress
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
ACTIONS = """\
# The built-in motion with its actions: jumps, steps, a hop, a duck, a seat and a wave.
[[source]]
builtin = "locomotion"

[[source]]
builtin = "actions"
ground = "stances"

[matching]
filter = "level0"
"""


def open_built_in(progress: Progress = lambda stage, done, total: None, *, actions: bool = False) -> Database:
    """Open the built-in database of procedural locomotion; the first call builds it, later ones open it from the cache.

    With `actions` it has jumps, steps, a hop, a duck, a seat and a wave besides.
    `progress(stage, done, total)` is called while it is built.
    """
    return build(write_recipe(actions=actions), progress=progress).database


def write_recipe(*, actions: bool = False) -> Path:
    """The recipe of the built-in motion as a file in the cache."""
    name, text = ("built-in-actions", ACTIONS) if actions else ("built-in", RECIPE)
    folder = find_cache_folder() / name
    folder.mkdir(parents=True, exist_ok=True)
    recipe = folder / f"{name}.toml"
    if not recipe.is_file() or recipe.read_text() != text:
        write_beside(recipe, text.encode())
    return recipe
