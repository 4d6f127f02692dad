"""`kinematch doctor`: what each file is, what is wrong with it, and the recipe lines that fix it."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.options import RAY_HELP, option
from kinematch.errors import FileError, KinematchError

MIN_PROGRESS_FILES = 4  # fewer files than this need no progress bar


def doctor(
    files: Annotated[tyro.conf.Positional[list[Path]], option("motion files, or folders of them")],
    /,
    json: Annotated[bool, option("print the reports as JSON")] = False,
    unit: Annotated[str | None, option("the files' unit: cm, m, inch, cmu ... or metres per unit")] = None,
    up: Annotated[str | None, option("the files' up axis: X, Y, Z, -X ...")] = None,
    strip: Annotated[Path | None, option("draw a timeline of the activities in a file (PNG)")] = None,
    ray: Annotated[str | None, option(RAY_HELP)] = None,
) -> int:
    """Examine motion files or folders. Exit status: 0 all can be built, 1 some cannot, 2 nothing to examine."""
    from kinematch.cli.doctor_strip import draw_strip
    from kinematch.cli.doctor_text import format_json, print_reports
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.doctor.examine_files import examine_files
    from kinematch.doctor.siblings import agree_on_axes
    from kinematch.files.units_and_axes import axis_name, unit_in_metres

    if not files:
        raise KinematchError("which files or folders?")
    given = number_or_name(unit)
    if given is not None:
        unit_in_metres(given)  # a bad option is an error of the command, not of every file
    if up is not None:
        axis_name(up)
    paths = motion_files(files)
    with progress_bar("examining files") as show:
        quiet = len(paths) < MIN_PROGRESS_FILES
        progress = (lambda done, total: None) if quiet else show
        reports = examine_files(paths, unit=given, up=up, cluster=ray, progress=progress)
    reports = agree_on_axes(reports, unit=given, up=up)
    if strip is not None:
        draw_strip(reports, strip)
    if json:
        print(format_json(reports))
    else:
        print_reports(reports)
        if any(report.buildable for report in reports):
            Screen().say(f"next: kinematch init {shlex.quote(str(_find_folder(files)))}")
    return 0 if all(report.buildable for report in reports) else 1


def _find_folder(paths: list[Path]) -> Path:
    """The folder that holds all that was examined."""
    folders = [path if path.is_dir() else path.parent for path in paths]
    return folders[0] if len(set(folders)) == 1 else Path(os.path.commonpath([path.absolute() for path in folders]))


def motion_files(paths: list[Path]) -> list[Path]:
    """The files named, and all readable ones in the folders named."""
    from kinematch.files import READABLE
    from kinematch.files.fbx_read import check_fbx

    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise FileError(path, "no such file or folder")
        inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in READABLE] if path.is_dir() else [path]
        if not inside:
            raise FileError(path, f"no motion files in it; readable are {' '.join(READABLE)}{_advise(path)}")
        if all(file.suffix.lower() == ".fbx" for file in inside):
            check_fbx(inside[0])  # one message, rather than one per file
        found += inside
    return found


def _advise(folder: Path) -> str:
    """What to do with files of other programs."""
    others = {".blend": "Blender", ".c3d": "C3D", ".usd": "USD", ".dae": "Collada"}
    kinds = sorted({others[p.suffix.lower()] for p in folder.rglob("*") if p.suffix.lower() in others})
    if not kinds:
        return ""
    return f". There are {' and '.join(kinds)} files: export them as glTF (.glb) or BVH, in Blender by File > Export"


def number_or_name(text: str | None) -> float | str | None:
    """A unit from the command line: `0.01` is a number, `cm` a name."""
    try:
        return text if text is None else float(text)
    except ValueError:
        return text
