"""The project: a folder of motion files and the recipe in it, which Build edits."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from kinematch.database.features import KINDS
from kinematch.database.recipe import LARGEST_RECIPE, parse_recipe
from kinematch.database.recipe_errors import RecipeError
from kinematch.database.recipe_reference import TABLES
from kinematch.database.schema import FeatureSchema
from kinematch.database.sources import SourceFile
from kinematch.errors import FileError, KinematchError
from kinematch.files import READABLE
from kinematch.files.safe_paths import OutsideError, find_inside
from kinematch.studio.workshop.messages import (
    Checked,
    FeatureRow,
    Folder,
    FolderFile,
    Listing,
    RecipeProblem,
    UsedFile,
)
from kinematch.studio.workshop.project_files import Project, files_or_none, inside, list_page_files
from kinematch.writing import write_beside

MOST_FILES = 2000  # shown of a folder
MOST_LOOKED_AT = 200_000  # names visited, so that a whole disk given by mistake does not take for ever


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
        files = list_page_files(project, text)
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
        list_page_files(project, text)
    except OutsideError:
        raise
    except KinematchError:  # a recipe may be saved before its files are there; `check` reports that
        pass
    write_beside(project.recipe_path, text.encode())
    return check(project, text)


def listing(project: Project, under: str = "") -> Listing:
    """The motion files in a folder of the project, and the subfolders that contain some."""
    top = inside(project, under)
    if not top.is_dir():
        raise FileError(top, "no such folder")
    used = {file.path for file in files_or_none(project)}
    found = [path for path in islice(_walk(top), MOST_LOOKED_AT) if path.suffix.lower() in READABLE]
    # a link that leads out of the folder is shown only if the recipe has it
    found = [path for path in found if find_inside(project.folder, path) or path.resolve() in used]
    counts: dict[Path, int] = {}
    for path in found:
        counts[path.parent] = counts.get(path.parent, 0) + 1
    folder = project.folder.resolve()
    return Listing(
        files=[
            FolderFile(path=project.relative(path), size=path.stat().st_size, used=path.resolve() in used)
            for path in sorted(found)[:MOST_FILES]
        ],
        folders=[
            Folder(path="" if path == folder else path.relative_to(folder).as_posix(), files=count)
            for path, count in sorted(counts.items())
        ],
        more=len(found) > MOST_FILES,
    )


def _walk(top: Path) -> Iterator[Path]:
    """All files below a folder, without hidden folders and linked ones."""
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
