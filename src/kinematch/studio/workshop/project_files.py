"""The project's files, and the boundary around them: pages name what is inside its folder, or in its saved recipe.

The folder's owner may link to files elsewhere or name them in the recipe with an editor; a page may use those, and
add no others. All names are judged by where they really lead.
"""

import glob
from dataclasses import dataclass
from pathlib import Path

from kinematch.database.recipe import Recipe, parse_recipe, read_recipe_text
from kinematch.database.sources import SourceFile, list_files
from kinematch.errors import KinematchError
from kinematch.files.patterns import find_start
from kinematch.files.safe_paths import OutsideError, find_inside


@dataclass(frozen=True)
class Project:
    recipe_path: Path
    temporary: bool = False  # a workspace of the program, not a folder the user named

    @property
    def folder(self) -> Path:
        return self.recipe_path.parent

    def text(self) -> str:
        """The text of the recipe file; empty if there is none yet."""
        return read_recipe_text(self.recipe_path) if self.recipe_path.exists() else ""

    def recipe(self) -> Recipe:
        return parse_recipe(self.text(), self.recipe_path)

    def files(self) -> list[SourceFile]:
        """The files of the saved recipe."""
        text = self.text()
        return list_files(parse_recipe(text, self.recipe_path), self.folder, self.recipe_path, text)

    def relative(self, path: Path | None) -> str:
        """The name of a file on pages: relative to the recipe's folder if it is inside it, else the full path."""
        if path is None:
            return ""
        folder = self.folder.resolve()
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def inside(project: Project, name: str) -> Path:
    """A real path inside the project's folder; any other is refused."""
    path = find_inside(project.folder, name)
    if path is None:
        raise OutsideError(f"{name!r} is not in the project's folder")
    return path


def find_used(project: Project, name: str, used: list[SourceFile]) -> SourceFile | None:
    """The file of the recipe that a page means by this name, or by a link to it in the project's folder."""
    for one in used:
        if one.path is not None and name in (project.relative(one.path), str(one.path)):
            return one
    try:
        real = (project.folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return next((one for one in used if one.path == real), None)


def list_page_files(project: Project, text: str) -> list[SourceFile]:
    """All files of a recipe's text that a page sent; one that leads out of the folder is refused before it is read."""
    recipe = parse_recipe(text, project.recipe_path)
    trusted = find_trusted(project, recipe)
    return list_files(recipe, project.folder, project.recipe_path, text, trusted=trusted)


def find_trusted(project: Project, recipe: Recipe) -> set[str]:
    """The names and patterns that may lead out of the folder, which are those of the saved recipe; others raise."""
    try:
        trusted = _list_names(project.recipe())
    except KinematchError:
        trusted = set()
    folder = project.folder
    new = {one for one in _list_names(recipe) - trusted if find_inside(folder, find_start(one, folder)) is None}
    if new:
        trusted |= {glob.escape(project.relative(one.path)) for one in files_or_none(project) if one.path}
    if new - trusted:
        named = min(new - trusted)
        raise OutsideError(f"{named!r} is not in the project's folder; only an editor on this machine can name it")
    return trusted


def files_or_none(project: Project) -> list[SourceFile]:
    """The files of the recipe; none while it is invalid."""
    try:
        return project.files()
    except KinematchError:
        return []


def _list_names(recipe: Recipe) -> set[str]:
    """Every path and pattern of a recipe."""
    named = [recipe.output, recipe.skeleton]
    for source in recipe.source:
        named += [*source.files, *source.exclude, source.tpose or ""]
    return {one for one in named if one}
