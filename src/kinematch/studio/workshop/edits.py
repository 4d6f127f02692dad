"""Edits made by the panels: each maps one recipe text to another, so undo restores the text before."""

import glob
import tomllib
from pathlib import Path
from typing import Any

from kinematch.database.schema import default_features
from kinematch.doctor import Report
from kinematch.doctor.left_out import usable
from kinematch.doctor.prescribe import prescribe
from kinematch.errors import FileError, KinematchError
from kinematch.files.toml import parse_toml
from kinematch.studio.workshop import messages as m
from kinematch.studio.workshop.file_edits import files_of, find_file, set_for_files, strike_file
from kinematch.studio.workshop.labelling import keep_filter, set_label
from kinematch.studio.workshop.project_files import Project
from kinematch.studio.workshop.recipe_text import add_table, remove, set_value
from kinematch.studio.workshop.reports import Reports, fix_values, report_of

MIN_CLIP_FRAMES = 3  # frames; a shorter file is a pose
MAX_LISTED_FILES = 12  # files up to which a recipe lists names instead of a glob


def edited(project: Project, reports: Reports, text: str, edits: list[m.Edit]) -> str:
    """The text after all edits, in order."""
    for edit in edits:
        after = _edited(project, reports, text, edit)
        text = keep_filter(text, after) if text.strip() else after
    return text


def _edited(project: Project, reports: Reports, text: str, edit: m.Edit) -> str:
    match edit:
        case m.TakeFiles(files=files):
            return take(project, reports, text, files)
        case m.LeaveOut(file=file):
            return leave_out(project, text, file)
    try:
        parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise KinematchError(f"fix the recipe's text first: {error}") from None
    match edit:
        case m.SetValue(at=at, value=None) | m.RemoveKey(at=at):
            return remove(text, tuple(at))
        case m.SetValue(at=at, value=value):
            return set_value(text, tuple(at), value)
        case m.AddTable(at=at, values=values):
            return add_table(text, tuple(at), values)
        case m.SetForFiles(files=files, values=values, whole=whole):
            return set_for_files(project, text, files, values=values, whole=whole)
        case m.Paste(file=file, lines=lines, whole=whole):
            return paste(project, text, file, lines=lines, whole=whole)
        case m.SetLabel(file=file, was=was, now=now):
            return set_label(project, text, file, was=was, now=now)
        case m.SpellFeatures():
            return spell_features(text)
    raise KinematchError(f"no edit {edit!r}")


def paste(project: Project, text: str, file: str, *, lines: str, whole: bool) -> str:
    """Apply the doctor's lines; lists and tables are merged with existing ones."""
    values = fix_values(lines)
    if not values:
        raise KinematchError("these lines name a joint or file that cannot be detected; write them into the recipe")
    if set(values) == {"exclude"}:
        return leave_out(project, text, file)
    source = tomllib.loads(text)["source"][find_file(project, text, file).index]
    joined = {key: _joined(source.get(key), value) for key, value in values.items()}
    return set_for_files(project, text, [file], values=joined, whole=whole)


def _joined(now: Any, value: Any) -> Any:
    if isinstance(now, dict) and isinstance(value, dict):
        return {**now, **value}
    if isinstance(now, list) and isinstance(value, list):
        return sorted([*now, *(one for one in value if one not in now)], key=lambda one: (str(type(one)), one))
    return value


def leave_out(project: Project, text: str, file: str) -> str:
    """Remove a file; a source without files is removed too."""
    one = find_file(project, text, file)
    alone = not any(other.index == one.index and other.path != one.path for other in files_of(project, text))
    if not alone:
        return strike_file(project, text, one)
    if len(tomllib.loads(text)["source"]) == 1:
        raise KinematchError(f"{file} is the recipe's only file; add another one first")
    return remove(text, ("source", one.index))


def take(project: Project, reports: Reports, text: str, files: list[str]) -> str:
    """Add files of the folder; the first ones make a whole recipe, as `kinematch init` writes it."""
    folder = project.folder
    known = set() if not text.strip() else {project.relative(one.path) for one in files_of(project, text)}
    found = [report_of(project, reports, name) for name in files if name not in known]
    good = [report for report in found if usable(report)]
    doubtful = [report for report in found if report not in good and report.frames > MIN_CLIP_FRAMES]
    if not good and not doubtful:
        if not found:
            return text
        raise FileError(Path(found[0].path).name, found[0].problems[0].what)
    prescribed = prescribe(
        [*good, *(one for one in found if one.frames <= MIN_CLIP_FRAMES)], folder, project.recipe_path.name
    )
    if not text.strip():
        return _doubtful(_named(prescribed, good, project) if good else prescribed, doubtful, project)
    rig = _first_rig(project, reports, text)
    for table, group in _groups(prescribed, good, project):
        table.pop("retarget", None)
        if rig is None or any((report.rig, report.bones) != rig for report in group):
            table["retarget"] = True  # a rig that differs from the recipe's first
        if not table.get("tags"):
            table.pop("tags", None)
        text = add_table(text, ("source",), table)
    return _doubtful(text, doubtful, project)


def _doubtful(text: str, reports: list[Report], project: Project) -> str:
    """Add files that need some joints named by the user before they can be built, each as its own source."""
    for report in reports:
        name = project.relative(Path(report.path).resolve())
        text = add_table(text, ("source",), {"files": [glob.escape(name)]})
    return text


def _groups(prescribed: str, good: list[Report], project: Project) -> list[tuple[dict[str, Any], list[Report]]]:
    """The sources that the doctor prescribes, each naming its own files, with their reports."""
    out: list[tuple[dict[str, Any], list[Report]]] = []
    tables = tomllib.loads(prescribed)["source"]
    for file in files_of(project, prescribed):
        while len(out) <= file.index:
            out.append(({**tables[len(out)], "files": []}, []))
        report = next((one for one in good if Path(one.path).resolve() == file.path), None)
        if report is not None:  # a glob may match files that are in the recipe already
            out[file.index][0]["files"].append(glob.escape(project.relative(file.path)))
            out[file.index][1].append(report)
    return [group for group in out if group[1]]


def _named(prescribed: str, good: list[Report], project: Project) -> str:
    """List a few files by name, so that files added to the folder later are not included by accident."""
    for index, (table, group) in enumerate(_groups(prescribed, good, project)):
        meant = [one for one in files_of(project, prescribed) if one.index == index]
        if len(group) <= MAX_LISTED_FILES or len(meant) > len(group):
            prescribed = set_value(prescribed, ("source", index, "files"), table["files"])
    return prescribed


def _first_rig(project: Project, reports: Reports, text: str) -> tuple[str, str] | None:
    first = next((one for one in files_of(project, text) if not one.source.retarget), None)
    if first is None or first.path is None:
        return None
    report, _ = reports.get(first.path, first.source, project.folder)
    return report.rig, report.bones


def spell_features(text: str) -> str:
    """Write out the default features of a recipe that lists none."""
    for feature in default_features():
        values: dict[str, Any] = {"kind": feature.kind}
        if feature.joint:
            values["joint"] = feature.joint
        if feature.times:
            values["times"] = [round(time, 4) for time in feature.times]
        text = add_table(text, ("feature",), values)
    return text
