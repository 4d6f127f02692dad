"""Rivals: other databases and models that play beside the first one, told the same, to be compared with it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.database import storage
from kinematch.database.storage import Database
from kinematch.errors import FileError, KinematchError
from kinematch.learned.model import Model
from kinematch.learned.model_file import is_model, load_model
from kinematch.learned.sketch import sketch_database

APART = 1.5  # m between neighbours at the start
MOST = 6
KINDS = (storage.SUFFIX, ".kinematch-model")


@dataclass(frozen=True, eq=False)
class Rival:
    name: str
    database: Database  # a model's is its sketch
    model: Model | None = None


def open_rival(path: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> Rival:
    if is_model(path):
        model = load_model(path)
        return Rival(path.stem, sketch_database(model), model)
    if path.suffix != storage.SUFFIX:
        raise FileError(
            path, f"cannot play beside another: expected a database or a learned model ({', '.join(KINDS)})"
        )
    return Rival(path.stem, storage.load(path, progress=progress))


def check_rivals(database: Database, rivals: tuple[Rival, ...]) -> None:
    """Refuse those that cannot be told the same as the first."""
    if len(rivals) > MOST:
        raise KinematchError(f"{1 + len(rivals)} files to play side by side, expected {1 + MOST} at most")
    for rival in rivals:
        difference = database.skeleton.difference(rival.database.skeleton)
        if difference:
            raise KinematchError(f"{rival.name} cannot play beside the first file: another skeleton, {difference}")
        if rival.database.features.schema != database.features.schema:
            raise KinematchError(f"{rival.name} cannot play beside the first file: it has other features")
        if rival.database.poses.tags.names != database.poses.tags.names:
            raise KinematchError(f"{rival.name} cannot play beside the first file: it has other tags")


def name_groups(rivals: tuple[Rival, ...]) -> dict[str, Rival]:
    """By the names of their groups on the stage."""
    return {f"rival {number}": rival for number, rival in enumerate(rivals, 1)}


def find_place(number: int) -> np.ndarray:
    """Where a rival begins (1, 3): to the left and to the right of the first in turn."""
    side = 1 if number % 2 else -1
    return np.array([[side * APART * ((number + 1) // 2), 0.0, 0.0]])
