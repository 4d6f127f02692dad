"""The motions that pages can return to: the built-in one, and all that were played since the start."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kinematch.database.built_in import open_built_in
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.learned.model import Model
from kinematch.studio.session.avatar_mesh import OwnCharacter
from kinematch.studio.session.compared import ComparedSource, fit_compared
from kinematch.studio.session.stage import Stage

BUILT_IN = "built-in motion"  # as pages call it
BUILT_IN_ACTIONS = "built-in motion with actions"
MAX_DATABASES = 8  # databases kept in memory


@dataclass(frozen=True, eq=False)
class LibraryMotion:
    """What a stage plays."""

    name: str
    path: str = ""
    database: Database | None = None  # None: the built-in one, which is built or read when it is asked for
    model: Model | None = None
    compared: tuple[ComparedSource, ...] = ()

    def open(self, worn: OwnCharacter | None) -> tuple[Stage, str]:
        """A stage on which a worn character is kept if it fits, and why it does not."""
        database = self._open_database()
        try:
            return self._make_stage(database, worn), ""
        except KinematchError as error:
            if worn is None:
                raise
            return self._make_stage(database, None), str(error)

    def make_compared(self, name: str) -> ComparedSource:
        """The motion as one that plays beside another."""
        return ComparedSource(name, self._open_database(), self.model)

    def _open_database(self) -> Database:
        return open_built_in(actions=self.name == BUILT_IN_ACTIONS) if self.database is None else self.database

    def _make_stage(self, database: Database, worn: OwnCharacter | None) -> Stage:
        compared = tuple(fit_compared(database, source) for source in self.compared)
        return Stage(database, name=self.name, path=self.path, model=self.model, compared=compared, worn=worn)


class MotionLibrary:
    def __init__(self) -> None:
        self._motions: dict[str, LibraryMotion] = {name: LibraryMotion(name) for name in (BUILT_IN, BUILT_IN_ACTIONS)}

    def put(self, stage: Stage) -> None:
        """Keep what a stage plays; a rebuilt database replaces its earlier build."""
        if not stage.path:  # the built-in one, or a recording that was sent
            return
        motion = LibraryMotion(stage.name, stage.path, stage.database, stage.model, tuple(stage.compared.values()))
        others = {key: other for key, other in self._motions.items() if other.path != stage.path}
        key = stage.name if stage.name not in others else f"{stage.name} ({Path(stage.path).parent.name})"
        while key in others:
            key += "'"
        others[key] = motion
        for oldest in list(others)[2 : max(2, len(others) - MAX_DATABASES)]:
            del others[oldest]
        self._motions = others

    @property
    def names(self) -> list[str]:
        return list(self._motions)

    def find_name(self, stage: Stage) -> str:
        """The name of what a stage plays; empty where it was not kept."""
        if not stage.path:
            return stage.name if stage.name in (BUILT_IN, BUILT_IN_ACTIONS) else ""
        return next((key for key, one in self._motions.items() if one.path == stage.path), "")

    def get(self, name: str, beside: Sequence[str] | None = None) -> LibraryMotion:
        """A motion, with others beside it; with those that it was kept with if none are given."""
        for one in (name, *(beside or ())):
            if one not in self._motions:
                raise KinematchError(unknown("motion", one, self._motions))
        motion = self._motions[name]
        if beside is None:
            return motion
        return replace(motion, compared=tuple(self._motions[one].make_compared(one) for one in beside))
