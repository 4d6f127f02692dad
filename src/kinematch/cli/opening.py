"""Opening the input of a verb: a database, packed or not, a learned model, or the built-in motion."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinematch.cli.build import STAGES
from kinematch.errors import FileError

if TYPE_CHECKING:
    from kinematch.database.storage import Database

MOTION = "the database, packed or not, or learned model to play; default: the built-in motion"
BUILT_IN = "built-in"
Show = Callable[..., None]  # what progress_bar gives


def open_motion(path: Path | None, show: Show) -> tuple[Any, str]:
    """A database or a model, as km.load opens them, or the built-in motion; and its name."""
    from kinematch.learned.model_file import is_model, load_model

    if path is not None and is_model(path):
        return load_model(path), path.stem
    return _open(path, show, "a database or a learned model")


def open_database(path: Path | None, filter: str | None, show: Show) -> tuple["Database", str, str]:
    """The database, or the built-in one; its name; and the filter, by default the database's own."""
    from kinematch.learned.model_file import is_model

    if path is not None and is_model(path):
        raise FileError(path, "is a learned model, which has no frames; expected a database")
    database, name = _open(path, show, "a database")
    return database, name, database.filter if filter is None else filter


def _open(path: Path | None, show: Show, expected: str) -> tuple["Database", str]:
    from kinematch.database import storage
    from kinematch.database.built_in import open_built_in
    from kinematch.files import READABLE

    if path is None:
        return open_built_in(lambda stage, done, total: show(done, total, STAGES[stage])), BUILT_IN
    if path.is_dir():
        raise FileError(path, f"is a folder, expected {expected}")
    if path.suffix.lower() == ".toml":
        raise FileError(path, f"is a recipe, expected {expected}; `kinematch build` makes a database of it")
    if path.suffix.lower() in READABLE:
        raise FileError(path, f"is a motion file, expected {expected}; `kinematch init` begins a recipe for its folder")
    return storage.load(path, progress=partial(show, now="opening")), path.stem
