"""The doctor's findings on a file of the project, and which of them the recipe fixes already."""

import json
import tomllib
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

from kinematch.database.prepare import read_source
from kinematch.database.recipe import Source
from kinematch.database.sources import SourceFile
from kinematch.doctor import Problem, Report, examine
from kinematch.doctor.labels import LABELS, list_labels
from kinematch.doctor.prescribe import GAP
from kinematch.errors import FileError, KinematchError
from kinematch.motion.skeleton import Skeleton
from kinematch.studio.workshop.messages import FileReport, Finding, LabelInfo, LabelRow
from kinematch.studio.workshop.project_files import Project, files_or_none, find_used, inside

MAX_REPORTS = 400  # reports in memory
MOST_NAMES = 2000  # of one request
OVERRIDES = ("unit", "up", "facing", "roles", "tpose")
PLAIN = Source.model_construct(files=["*"])


class Reports:
    """Reports and skeletons by file, size, time and overrides: examining one takes a tenth of a second."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Report, Skeleton | None]] = OrderedDict()
        self._lock = Lock()

    def get(self, path: Path, source: Source, folder: Path) -> tuple[Report, Skeleton | None]:
        given = {key: getattr(source, key) for key in OVERRIDES}
        try:
            status = path.stat()
            key = json.dumps([str(path), status.st_size, status.st_mtime_ns, given])
        except OSError:
            key = ""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = _examined(path, given, folder)
        if key:
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > MAX_REPORTS:
                    self._kept.popitem(last=False)
        return found


def _examined(path: Path, given: dict[str, Any], folder: Path) -> tuple[Report, Skeleton | None]:
    tpose = folder / given["tpose"] if given["tpose"] else None
    report = examine(path, **{**given, "roles": given["roles"] or None, "tpose": tpose})
    if not report.frames:
        return report, None
    source = PLAIN.model_copy(update={**given, "clips": []})
    file = SourceFile(path, source, 0, path.stem)
    return report, read_source(file, folder)[0].skeleton


def file_reports(project: Project, reports: Reports, names: list[str]) -> list[FileReport]:
    """Reports of files, in the recipe or not."""
    if len(names) > MOST_NAMES:
        raise KinematchError(f"reports of {len(names):,} files, expected at most {MOST_NAMES:,} at a time")
    used = files_or_none(project)
    return [_file_report(project, reports, name, used) for name in names]


def _file_report(project: Project, reports: Reports, name: str, used: list[SourceFile]) -> FileReport:
    folder = project.folder
    file = find_used(project, name, used)
    path = file.path if file and file.path else inside(project, name)
    source = file.source if file else PLAIN
    report, skeleton = reports.get(path, source, folder)
    difference, owner = "", ""
    first = next((one for one in used if not one.source.retarget), None)
    if file and first and first.path and skeleton and not source.retarget and file is not first:
        _, other = reports.get(first.path, first.source, folder)
        difference = (other.difference(skeleton) if other else "") or ""
        owner = project.relative(first.path)
    findings = [_finding(problem, source) for problem in report.problems]
    return FileReport(
        path=name,
        family=report.family,
        joints=report.joints,
        frames=report.frames,
        frame_rate=report.frame_rate,
        duration=report.duration,
        facts=_facts(report),
        clips=list(report.clips),
        roles=dict(report.roles),
        missing_roles=list(report.missing_roles),
        joint_names=list(skeleton.names) if skeleton else [],
        findings=findings,
        labels=[LabelRow(name=one.name, start=one.start, stop=one.stop) for one in list_labels(report)],
        buildable=not any(one.severity == "error" and one.state != "applied" for one in findings),
        difference=difference,
        difference_from=owner,
    )


def list_label_infos() -> list[LabelInfo]:
    """All labels, with their colours in the page."""
    return [LabelInfo(name=one.name, colour=f"series-{one.colour}", tags=list(one.tags)) for one in LABELS]


def _finding(problem: Problem, source: Source) -> Finding:
    fix, state = problem.fix, "manual"
    values = fix_values(fix)
    if values and problem.severity != "note":
        state = "applied" if all(_said(source, key, value) for key, value in values.items()) else "open"
    return Finding(severity=problem.severity, what=problem.what, fix=fix, state=state)


def fix_values(lines: str) -> dict[str, Any]:
    """The keys that the doctor's lines set; empty where the user must fill them in."""
    if not lines or GAP in lines:
        return {}
    try:
        values = tomllib.loads(lines)
    except tomllib.TOMLDecodeError:
        return {}
    return values if set(values) <= set(Source.model_fields) else {}


def _said(source: Source, key: str, value: Any) -> bool:
    now = getattr(source, key)
    if isinstance(value, list) and isinstance(now, list):
        return all(one in now for one in value)
    if isinstance(value, dict) and isinstance(now, dict):
        return value.items() <= now.items()
    return bool(now == value)


def _facts(report: Report) -> list[list[str]]:
    """The facts of the doctor's report, as pairs of name and text."""
    if not report.frames:
        return []
    rows = [
        ["unit", f"{report.unit:g} m: {report.unit_reason}"],
        ["up", f"{report.up}: {report.up_reason}"],
        ["facing", f"{report.facing or 'unknown'}: {report.facing_reason}"],
        ["root", report.root],
        ["T-pose", report.tpose or "none: not a humanoid"],
    ]
    if report.floor is not None:
        hips = "" if report.hips_height is None else f", hips {report.hips_height:.2f} m above it"
        rows.append(["floor", f"at {report.floor:+.3f} m{hips}"])
    if report.speed:
        rows.append(["speed", "median {:.2f}, 95 % {:.2f}, most {:.2f} m/s".format(*report.speed)])
    if report.contacts:
        one = report.contacts
        shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(one.joints, one.share))
        rows.append(["contacts", f"{shares}; {one.stances} stances; slide {one.skate * 100:.1f} cm/s"])
    rows.append(["roles", f"{len(report.roles)} by {report.role_method}"])
    return rows


def report_of(project: Project, reports: Reports, name: str) -> Report:
    """The report of a file without any overrides."""
    path = inside(project, name)
    if not path.is_file():
        raise FileError(name, "no such file")
    return reports.get(path, PLAIN, project.folder)[0]
