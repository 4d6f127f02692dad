"""Opening: what `kinematch play` is given becomes a stage, be it nothing, a database, a recipe or a recording."""

from pathlib import Path

from kinematch.database import storage
from kinematch.database.build import BuildResult, Progress, build
from kinematch.errors import FileError
from kinematch.files import READABLE
from kinematch.search import WideMatcher, search_space
from kinematch.studio.places import cache_folder
from kinematch.studio.recording import SUFFIX, open_recording
from kinematch.studio.stage import Stage
from kinematch.studio.warming import warming
from kinematch.writing import write_beside

BUILT_IN = '# The built-in motion\n[[source]]\nbuiltin = "dance-card"\n'


def built_in(progress: Progress = lambda stage, done, total: None) -> Stage:
    """The built-in motion; built on first use and kept."""
    folder = cache_folder() / "studio"
    folder.mkdir(parents=True, exist_ok=True)
    recipe = folder / "dance-card.toml"
    if not recipe.is_file() or recipe.read_text() != BUILT_IN:
        write_beside(recipe, BUILT_IN.encode())
    return Stage(_built(recipe, progress).database, name="dance card")


def open_path(path: Path, progress: Progress = lambda stage, done, total: None) -> Stage:
    """A database, the database that a recipe describes, or a recording."""
    if path.suffix == ".toml":
        result = _built(path, progress)
        return Stage(result.database, name=result.path.stem, path=str(result.path))
    if path.suffix == SUFFIX:
        return open_recording(path)
    if path.suffix.lower() in READABLE:
        raise FileError(path, "is a motion file: play the folder it is in, or drop it on the page to build with it")
    return Stage(storage.load(path), name=path.stem, path=str(path))


def _built(recipe: Path, progress: Progress) -> BuildResult:
    """What a recipe describes; where it was never built, nothing may have been compiled yet either."""
    new = not any(recipe.parent.glob(f"*{storage.SUFFIX}"))
    with warming(new, waiting=lambda: progress("compile", 0, 1)):
        result = build(recipe, progress=progress)
        if new:  # this process compiles the search, the other one the step
            WideMatcher(search_space(result.database))
    return result
