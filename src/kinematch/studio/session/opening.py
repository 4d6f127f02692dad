"""Opening: what `kinematch play` is given becomes a stage, be it nothing, a database, a recipe or a recording."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from kinematch.database import storage
from kinematch.database.build import build
from kinematch.database.built_in import open_built_in
from kinematch.database.clean_files import Progress
from kinematch.errors import FileError
from kinematch.files import READABLE
from kinematch.learned.model_file import is_model, load_model
from kinematch.learned.sketch import sketch_database
from kinematch.studio.session.compared import fit_compared, open_compared
from kinematch.studio.session.library import BUILT_IN, BUILT_IN_ACTIONS
from kinematch.studio.session.recording import SUFFIX, open_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.warming import warming

ACTIONS = "built-in-actions"  # as km.load calls it


def built_in(progress: Progress = lambda stage, done, total: None, *, actions: bool = False) -> Stage:
    """The built-in motion; built on first use and kept."""
    with _warming(progress):
        database = open_built_in(progress, actions=actions)
    return Stage(database, name=BUILT_IN_ACTIONS if actions else BUILT_IN)


def open_path(path: Path, progress: Progress = lambda stage, done, total: None, beside: Sequence[Path] = ()) -> Stage:
    """A database, the database that a recipe describes, a learned model, or a recording.

    `beside`: databases and models that follow the same commands and are shown beside the first.
    """
    if str(path) == ACTIONS and not path.exists():
        return built_in(progress, actions=True)
    if path.suffix.lower() in READABLE:
        raise FileError(path, "is a motion file: play the folder it is in, or drop it on the page to build with it")
    if path.suffix == SUFFIX and beside:
        raise FileError(path, "is a recording, which plays alone")
    if path.suffix == SUFFIX:
        with _warming(progress):
            pass
        return open_recording(path)
    with _warming(progress):
        compared = tuple(open_compared(one, partial(progress, "open")) for one in beside)
        if is_model(path):
            model = load_model(path)
            sketch = sketch_database(model)
            compared = tuple(fit_compared(sketch, one, partial(progress, "retarget")) for one in compared)
            return Stage(sketch, name=path.stem, path=str(path), model=model, compared=compared)
        if path.suffix == ".toml":
            result = build(path, progress=progress)
            database, path = result.database, result.path
        else:
            database = storage.load(path, progress=partial(progress, "open"))
        compared = tuple(fit_compared(database, one, partial(progress, "retarget")) for one in compared)
    return Stage(database, name=path.stem, path=str(path), compared=compared)


def _warming(progress: Progress) -> AbstractContextManager[None]:
    return warming(partial(progress, "compile"))
