"""`kinematch init`: a commented recipe for the files of a folder."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.doctor import motion_files
from kinematch.cli.options import RAY_HELP, check_output, option
from kinematch.errors import FileError
from kinematch.writing import write_beside

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.doctor import Report

MAX_LEFT_OUT_LINES = 8  # lines about what is left out


def init(
    folder: Annotated[tyro.conf.Positional[Path], option("the folder with your motion files")],
    /,
    output: Annotated[Path | None, option("recipe to write; default: FOLDER/recipe.toml", "-o")] = None,
    force: Annotated[bool, option("overwrite an existing recipe")] = False,
    ray: Annotated[str | None, option(RAY_HELP)] = None,
) -> int:
    """Examine the motion files in FOLDER and write a recipe for them, with calibration poses dropped, idles tagged and
    the doctor's other fixes filled in."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.doctor.equals import leave_out_equals
    from kinematch.doctor.examine_files import examine_files
    from kinematch.doctor.left_out import usable
    from kinematch.doctor.mix import leave_out_strangers
    from kinematch.doctor.prescribe import prescribe
    from kinematch.doctor.report import counted
    from kinematch.doctor.siblings import agree_on_axes

    if not folder.is_dir():
        raise FileError(folder, "no such folder")
    recipe = output or folder / "recipe.toml"
    if recipe.exists() and not force:
        raise FileError(recipe, "is there already; --force writes over it, -o names another")
    check_output(recipe)
    paths = motion_files([folder])
    with progress_bar("examining files") as show:
        reports = examine_files(paths, cluster=ray, progress=show)
    reports = leave_out_strangers(leave_out_equals(agree_on_axes(reports)))
    if not any(usable(report) for report in reports):
        why = f"kinematch doctor {shlex.quote(str(folder))}"
        raise FileError(folder, f"none of its {counted(len(reports), 'motion file')} can be built; `{why}` says why")
    text = prescribe(reports, recipe.parent, recipe.name)
    write_beside(recipe, text.encode(errors="backslashreplace"))
    _summary(Screen(), recipe, reports)
    return 0


def _summary(screen: "Screen", recipe: Path, reports: "list[Report]") -> None:
    from kinematch.doctor.left_out import list_doubts, list_left_out, usable
    from kinematch.doctor.mix import explain_mix, list_groups
    from kinematch.doctor.report import counted

    good = [report for report in reports if usable(report)]
    mended = sum(any(one.fix and one.severity != "note" for one in report.problems) for report in good)
    added = f", {mended} of them with lines that were added to it" if mended else ""
    screen.say(f"{recipe}: {len(good)} of {counted(len(reports), 'file')} can be built{added}")
    left_out = list_left_out(reports)
    for line in left_out[:MAX_LEFT_OUT_LINES]:
        screen.say(("  left out: ", "yellow"), line.removeprefix("of "))
    if len(left_out) > MAX_LEFT_OUT_LINES:
        screen.say(f"  ... and {len(left_out) - MAX_LEFT_OUT_LINES} more, named at the end of its sources")
    for line in explain_mix(list_groups(good)):
        screen.say(("  mix: ", "yellow"), line)
    for doubt in list_doubts(good):
        screen.say(("  warning: ", "yellow"), doubt)
    screen.say(f"next: kinematch build {shlex.quote(str(recipe))}")
