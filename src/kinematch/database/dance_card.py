"""The built-in motion as a database: built on first use and kept, one for every verb that opens it."""

from kinematch.database.build import Progress, build
from kinematch.database.storage import Database
from kinematch.folders import cache_folder
from kinematch.writing import write_beside

RECIPE = '# The built-in motion\n[[source]]\nbuiltin = "dance-card"\n'


def dance_card(progress: Progress = lambda stage, done, total: None) -> Database:
    folder = cache_folder() / "studio"
    folder.mkdir(parents=True, exist_ok=True)
    recipe = folder / "dance-card.toml"
    if not recipe.is_file() or recipe.read_text() != RECIPE:
        write_beside(recipe, RECIPE.encode())
    return build(recipe, progress=progress).database
