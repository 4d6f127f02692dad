"""The project: a folder of motion files and the recipe in it, which Build edits."""

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kinematch.database.features import KINDS
from kinematch.database.recipe import LARGEST_RECIPE, Recipe, parse_recipe, read_recipe_text
from kinematch.database.recipe_errors import RecipeError
from kinematch.database.recipe_reference import TABLES
from kinematch.database.schema import FeatureSchema
from kinematch.database.sources import SourceFile, list_files
from kinematch.errors import FileError, KinematchError
from kinematch.files import READABLE
from kinematch.studio.workshop.messages import (
    Checked,
    FeatureRow,
    Folder,
    FolderFile,
    Listing,
    RecipeProblem,
    UsedFile,
)
from kinematch.writing import write_beside

MOST_FILES = 2000  # shown of a folder
MOST_LOOKED_AT = 200_000  # names visited, so that a whole disk given by mistake does not take for ever


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
        text = self.text()
        return list_files(parse_recipe(text, self.recipe_path), self.folder, self.recipe_path, text)

    def relative(self, path: Path | None) -> str:
        """The name of a file on pages: relative to the recipe's folder if it is inside it, else the full path."""
        if path is None:
            return ""
        folder = self.folder.resolve()
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def inside(project: Project, name: str) -> Path:
    """A path inside the project's folder; any other is refused."""
    folder = project.folder.resolve()
    try:
        path = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        raise KinematchError(f"{name!r} is not a path") from None
    if "\0" in name or not path.is_relative_to(folder):
        raise KinematchError(f"{name!r} is not in the project's folder")
    return path


def check(project: Project, text: str) -> Checked:
    """Check a text: its errors by line, and its parsed contents."""
    saved = text == project.text() if project.recipe_path.exists() else not text
    try:
        recipe = parse_recipe(text, project.recipe_path)
    except FileError as error:
        return Checked(text=text, saved=saved, problems=problems_of(error))
    problems: list[RecipeProblem] = []
    files: list[SourceFile] = []
    try:
        files = list_files(recipe, project.folder, project.recipe_path, text)
    except FileError as error:
        problems = problems_of(error)
    except KinematchError as error:
        problems = [RecipeProblem(line=None, message=str(error))]
    return Checked(
        text=text,
        saved=saved,
        problems=problems,
        recipe=recipe.model_dump(mode="json", by_alias=True),
        files=[UsedFile(path=project.relative(one.path), name=one.name, source=one.index) for one in files],
        features=feature_rows(recipe.feature_schema()),
    )


def problems_of(error: FileError) -> list[RecipeProblem]:
    """The single mistakes that an error lists, each with its line."""
    if not isinstance(error, RecipeError):
        return [RecipeProblem(line=error.line, message=error.message)]
    problems = [RecipeProblem(line=one.line, message=one.message) for one in error.mistakes]
    if error.left_out:
        problems.append(RecipeProblem(line=None, message=f"and {error.left_out} more"))
    return problems


def feature_rows(schema: FeatureSchema) -> list[FeatureRow]:
    return [
        FeatureRow(
            name=feature.name,
            kind=feature.kind,
            joint=feature.joint,
            times=list(feature.times),
            dimensions=feature.dimensions,
            axis=feature.axis,
            weight=feature.weight,
            group=feature.group,
            first=columns.start,
            width=feature.width,
        )
        for feature, columns in zip(schema.features, schema.columns.values())
    ]


def save(project: Project, text: str) -> Checked:
    """Write the recipe if it is valid; a page may not add paths outside the project's folder."""
    if len(text) > LARGEST_RECIPE:
        raise KinematchError(f"is no recipe: {len(text)} characters long")
    checked = check(project, text)
    if checked.recipe is None:
        return checked
    try:
        before = _outside(project.recipe(), project)
    except KinematchError:
        before = set()
    new = _outside(parse_recipe(text, project.recipe_path), project) - before
    if new:
        raise KinematchError(f"{min(new)!r} is not in the project's folder; only an editor on this machine can name it")
    write_beside(project.recipe_path, text.encode())
    return check(project, text)


def _outside(recipe: Recipe, project: Project) -> set[str]:
    """The paths and globs of a recipe that leave the project's folder."""
    named = [recipe.output, recipe.skeleton]
    for source in recipe.source:
        named += [*source.files, source.tpose or ""]
    folder = os.path.realpath(project.folder)
    return {
        one for one in named if one and not Path(os.path.normpath(os.path.join(folder, one))).is_relative_to(folder)
    }


def listing(project: Project, under: str = "") -> Listing:
    """The motion files in a folder of the project, and the subfolders that contain some."""
    top = inside(project, under)
    if not top.is_dir():
        raise FileError(top, "no such folder")
    try:
        used = {file.path for file in project.files()}
    except KinematchError:
        used = set()
    found = [path for path in islice(_walk(top), MOST_LOOKED_AT) if path.suffix.lower() in READABLE]
    counts: dict[Path, int] = {}
    for path in found:
        counts[path.parent] = counts.get(path.parent, 0) + 1
    folder = project.folder.resolve()
    return Listing(
        files=[
            FolderFile(path=project.relative(path), size=path.stat().st_size, used=path in used)
            for path in sorted(found)[:MOST_FILES]
        ],
        folders=[
            Folder(path="" if path == folder else path.relative_to(folder).as_posix(), files=count)
            for path, count in sorted(counts.items())
        ],
        more=len(found) > MOST_FILES,
    )


def _walk(top: Path):
    """All files below a folder, without hidden folders and links."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(names) if not name.startswith("."))


def reference() -> dict[str, dict[str, str]]:
    """Every key of a recipe with its meaning, table by table."""
    return {
        name: {field.alias or key: field.description or "" for key, field in model.model_fields.items()}
        for name, model in TABLES.items()
    }


def kind_needs() -> dict[str, list[str]]:
    return {name: sorted(kind.needs) for name, kind in KINDS.items()}
