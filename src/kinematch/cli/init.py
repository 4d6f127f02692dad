"""`kinematch init`: a commented recipe for the files of a folder."""

import shlex
from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.doctor import motion_files
from kinematch.cli.options import check_output, option
from kinematch.errors import FileError
from kinematch.writing import write_beside


def init(
    folder: Annotated[tyro.conf.Positional[Path], option("the folder with your motion files")],
    /,
    output: Annotated[Path | None, option("recipe to write; default: FOLDER/recipe.toml", "-o")] = None,
    force: Annotated[bool, option("overwrite an existing recipe")] = False,
) -> int:
    """Examine the motion files in FOLDER and write a recipe for them, with calibration poses dropped, idles tagged and
    the doctor's other fixes filled in."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.doctor import Report, examine
    from kinematch.doctor.prescribe import prescribe, usable
    from kinematch.doctor.report import counted
    from kinematch.doctor.siblings import agree_on_axes

    if not folder.is_dir():
        raise FileError(folder, "no such folder")
    recipe = output or folder / "recipe.toml"
    if recipe.exists() and not force:
        raise FileError(recipe, "is there already; --force writes over it, -o names another")
    check_output(recipe)
    paths = motion_files([folder])
    reports: list[Report] = []
    with progress_bar("examining files") as show:
        for path in paths:
            show(len(reports), len(paths))
            reports.append(examine(path))
    reports = agree_on_axes(reports)
    if not any(usable(report) for report in reports):
        why = f"kinematch doctor {shlex.quote(str(folder))}"
        raise FileError(folder, f"none of its {counted(len(reports), 'motion file')} can be built; `{why}` says why")
    text = prescribe(reports, recipe.parent, recipe.name)
    write_beside(recipe, text.encode(errors="backslashreplace"))
    good = [report for report in reports if usable(report)]
    mended = sum(any(one.fix and one.severity != "note" for one in report.problems) for report in good)
    added = f", {mended} of them with lines that were added to it" if mended else ""
    Screen().say(f"{recipe}: {len(good)} of {len(reports)} files can be built{added}")
    Screen().say(f"next: kinematch build {shlex.quote(str(recipe))}")
    return 0
