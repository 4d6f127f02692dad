"""Other databases and models that play beside the first one, under the same commands."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kinematch.control.command import Command
from kinematch.database import storage
from kinematch.database.filters import tag_mask
from kinematch.database.rebuild import retarget_database
from kinematch.database.storage import Database
from kinematch.database.tags import Tags
from kinematch.errors import FileError, KinematchError
from kinematch.learned.model import Model
from kinematch.learned.model_file import is_model, load_model
from kinematch.learned.sketch import sketch_database
from kinematch.studio.session.stick_gaits import find_upright

APART = 1.5  # m between neighbours at the start
MAX_COMPARED = 6
KINDS = (storage.SUFFIX, ".kinematch-model")


@dataclass(frozen=True, eq=False)
class ComparedSource:
    name: str
    database: Database  # a model's is its sketch
    model: Model | None = None
    note: str = ""  # what was changed so that it can play beside the first


def open_compared(path: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> ComparedSource:
    if is_model(path):
        model = load_model(path)
        return ComparedSource(path.stem, sketch_database(model), model)
    if path.suffix != storage.SUFFIX:
        raise FileError(
            path, f"cannot play beside another: expected a database or a learned model ({', '.join(KINDS)})"
        )
    return ComparedSource(path.stem, storage.load(path, progress=progress))


def fit_compared(
    database: Database, source: ComparedSource, progress: Callable[[int, int], None] = lambda done, total: None
) -> ComparedSource:
    """A source on the skeleton of the first database, with its features and tags; models stay as they were trained."""
    first, poses = database.poses, source.database.poses
    rig, features = database.skeleton, database.features
    alike = not rig.difference(source.database.skeleton) and features.schema == source.database.features.schema
    if source.model is not None or (alike and first.tags.names == poses.tags.names):
        return source
    fitted, note = source.database, ""
    if not alike:
        progress(0, 1)
        fitted = retarget_database(source.database, rig, first.contact_joints, features.schema, like=features)
        progress(1, 1)
        note = f"{source.name} is retargeted to the skeleton of the first file, and matched by its features"
    own = _align_tags(fitted, database.filter or find_upright(database), first.tags.names)
    return replace(source, database=own, note=note)


def _align_tags(database: Database, filter_: str, names: tuple[str, ...]) -> Database:
    """The database with other tags; those it lacks hold on all frames where `filter_` admits more of them for it."""
    tags, columns = database.poses.tags, []
    for name in names:
        known = tags.of(name) if name in tags.names else None
        columns.append(np.zeros(len(tags.frames), bool) if known is None else known)
    frames = np.stack(columns, axis=-1) if columns else np.zeros((len(tags.frames), 0), bool)
    for n, name in enumerate(names):
        if name in tags.names:
            continue
        without = int(tag_mask(filter_, names, frames).sum())
        frames[:, n] = True
        if int(tag_mask(filter_, names, frames).sum()) <= without:
            frames[:, n] = False
    if filter_ and not tag_mask(filter_, names, frames).any():
        raise KinematchError(f"none of its frames is {filter_!r}, which the first file plays")
    return replace(database, poses=replace(database.poses, tags=Tags(names, frames)), filter=filter_)


def check_compared(database: Database, compared: tuple[ComparedSource, ...]) -> None:
    """Refuse those that cannot follow the same commands as the first."""
    if len(compared) > MAX_COMPARED:
        raise KinematchError(f"{1 + len(compared)} files to play side by side, expected {1 + MAX_COMPARED} at most")
    for source in compared:
        difference = database.skeleton.difference(source.database.skeleton)
        if difference:
            raise KinematchError(f"{source.name} cannot play beside the first file: another skeleton, {difference}")
        if source.database.features.schema != database.features.schema:
            raise KinematchError(f"{source.name} cannot play beside the first file: it has other features")
        if source.database.poses.tags.names != database.poses.tags.names:
            raise KinematchError(f"{source.name} cannot play beside the first file: it has other tags")


class Admissions:
    """Commands for compared sources: one whose frames the command's filter admits none of uses its own filter."""

    def __init__(self) -> None:
        self._admits: dict[tuple[str, str], bool] = {}

    def fit(self, group: str, source: ComparedSource, command: Command) -> Command:
        if not isinstance(command.filter, str):
            return command
        key, tags = (group, command.filter), source.database.poses.tags
        if key not in self._admits:
            self._admits[key] = bool(tag_mask(command.filter, tags.names, tags.frames).any())
        return command if self._admits[key] else replace(command, filter=source.database.filter)


def name_groups(compared: tuple[ComparedSource, ...]) -> dict[str, ComparedSource]:
    """By the names of their groups on the stage."""
    return {f"compared {number}": source for number, source in enumerate(compared, 1)}


def find_place(number: int) -> np.ndarray:
    """Where a compared source begins (1, 3): to the left and to the right of the first in turn."""
    side = 1 if number % 2 else -1
    return np.array([[side * APART * ((number + 1) // 2), 0.0, 0.0]])
