"""A mix of files: which of them belong together, by what body they have, by rig, and by kind of motion."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kinematch.doctor.left_out import usable
from kinematch.doctor.report import Problem, Report, by_severity, counted
from kinematch.errors import listed

TAKES, LOOPS, EITHER = "takes", "animations in place", "loops to stand in"
LOOP_TAG = "animation"  # of animations in place among takes
IN_PLACE = "in_place = true"


@dataclass(frozen=True)
class FileGroup:
    """Files of one rig and one kind of motion."""

    kind: str  # TAKES or LOOPS
    rig: str
    family: str
    files: tuple[str, ...]
    minutes: float
    belongs: bool  # of the kind that most of the motion is

    def describe(self) -> str:
        names = listed([Path(file).name for file in self.files], 3)
        return (
            f"{self.kind}, {self.family} rig: {counted(len(self.files), 'file')} ({names}), {self.minutes:.1f} minutes"
        )


def find_kind(report: Report) -> str:
    """Whether a file shows a performer who moves about, or loops on the spot and actions as games have them."""
    loops = any(one.in_place or (one.loop and len(report.clips) > 1) for one in report.animations)
    lone = len(report.clips) == 1 and any(problem.fix == IN_PLACE for problem in report.problems)
    if len(report.clips) == 1 and report.animations:
        return EITHER
    return LOOPS if loops or lone else TAKES


def list_groups(reports: Sequence[Report]) -> list[FileGroup]:
    """The groups of a folder, those of its main kind first, then those with more motion."""
    files: dict[tuple[str, str], list[Report]] = defaultdict(list)
    minutes: dict[str, float] = defaultdict(float)
    for report in reports:
        if find_kind(report) != EITHER:
            minutes[find_kind(report)] += report.duration / 60
    main = max(minutes, key=lambda kind: minutes[kind], default=TAKES)
    for report in reports:
        kind = find_kind(report)
        files[main if kind == EITHER else kind, report.rig].append(report)
    groups = [
        FileGroup(kind, rig, own[0].family, tuple(r.path for r in own), sum(r.duration for r in own) / 60, kind == main)
        for (kind, rig), own in files.items()
    ]
    return sorted(groups, key=lambda group: (not group.belongs, -group.minutes))


def explain_mix(groups: Sequence[FileGroup]) -> list[str]:
    """A line for each group of a mix, with what becomes of it; none where all files are of one."""
    lines = []
    for group in groups if len(groups) > 1 else ():
        what = "retargeted to the first" if group.rig != groups[0].rig else ""
        if not group.belongs:
            apart = "left out of the default filter"
            what = f"does not belong with {groups[0].kind}: {apart}" + (f", {what}" if what else "")
        lines.append(group.describe() + (f"; {what}" if what else ""))
    return lines


def leave_out_strangers(reports: list[Report]) -> list[Report]:
    """The reports, with an error for bodies that cannot share a database with those of most of the motion.

    People can be retargeted to one another, animals and props cannot."""
    minutes: dict[tuple[str, ...], float] = defaultdict(float)
    names: dict[tuple[str, ...], str] = {}
    for report in reports:
        if report.rig and usable(report):
            minutes[_body(report)] += report.duration / 60
            names.setdefault(_body(report), f"{_describe_body(report)} ({Path(report.path).name})")
    if len(minutes) < 2:
        return reports
    main = max(minutes, key=lambda body: minutes[body])
    found = []
    for report in reports:
        if report.rig and usable(report) and _body(report) != main:
            what = f"{_describe_body(report)}, and most of the motion is of {names[main]}: build it from another folder"
            report = replace(report, problems=by_severity([Problem("error", what), *report.problems]))
        found.append(report)
    return found


def _body(report: Report) -> tuple[str, ...]:
    return ("people",) if _is_person(report) else (report.rig, report.bones)


def _describe_body(report: Report) -> str:
    kind = "a person" if _is_person(report) else "an animal" if report.four_legged else "no humanoid"
    return f"{kind}, {counted(report.joints, 'joint')}"


def _is_person(report: Report) -> bool:
    return not report.four_legged and not report.missing_roles
