"""`kinematch init`: a commented recipe for the files of a folder."""

from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import track

from kinematch.cli.doctor import motion_files
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.errors import FileError, KinematchError
from kinematch.writing import write_beside


def init(
    folder: tyro.conf.Positional[Path],
    /,
    output: Annotated[
        Path | None, tyro.conf.arg(aliases=["-o"], help="the recipe; FOLDER/recipe.toml if not given")
    ] = None,
    force: Annotated[bool, tyro.conf.arg(help="write over a recipe that is there already")] = False,
) -> int:
    """Examine the motion files of FOLDER and write a recipe that builds them, with what the doctor found."""
    if not folder.is_dir():
        raise KinematchError(f"{folder}: no such folder")
    recipe = output or folder / "recipe.toml"
    if recipe.exists() and not force:
        raise FileError(recipe, "is there already; --force writes over it, -o names another")
    paths = motion_files([folder])
    console = Console(stderr=True)
    reports = [examine(path) for path in track(paths, "examining", console=console, transient=True)]
    text = prescribe(reports, recipe.parent, recipe.name)
    write_beside(recipe, text.encode())
    good = sum(report.buildable for report in reports)
    Console().print(f"{recipe}: {good} of {len(reports)} files can be built as they are", highlight=False)
    Console().print(f"next: kinematch build {recipe}", highlight=False)
    return 0
