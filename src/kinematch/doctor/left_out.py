"""What a recipe leaves out of the files of a folder, and why; and what remains doubtful in the others."""

from collections.abc import Sequence
from pathlib import Path

from kinematch.doctor.motion_problems import SINGLE
from kinematch.doctor.quoting import can_be_quoted
from kinematch.doctor.report import Report
from kinematch.errors import listed, visible


def usable(report: Report) -> bool:
    """Whether it can be built as it is or once its recipe lines are pasted."""
    curable = all(p.severity != "error" or (p.fix and "root_joint" in p.fix) for p in report.problems)
    return curable and report.frames >= SINGLE and can_be_quoted(report.path)


def list_left_out(reports: Sequence[Report]) -> list[str]:
    """A line for each file, or some of its animations, that a recipe leaves out."""
    lines = [f"{Path(report.path).name}: {_explain(report)}" for report in reports if not usable(report)]
    for report in reports:
        kept = {one.name for one in report.animations}
        gone = [clip for clip in report.clips if kept and clip not in kept]
        if not usable(report) or not gone:
            continue
        name, rest = Path(report.path).name, [clip for clip in gone if clip not in report.equal]
        if rest:
            lines.append(f"of {name}: {listed(rest, 4)}; `kinematch doctor` says why")
        if report.equal:
            where = listed(list(dict.fromkeys(report.equal.values())), 2)
            lines.append(f"of {name}: {listed(list(report.equal), 4)}; the same as {where}")
    return [visible(line) for line in lines]


def list_doubts(reports: Sequence[Report]) -> list[str]:
    """What no recipe line settles, as `kinematch build` says it again: each doubt once, with the files it is about."""
    names: dict[str, list[str]] = {}
    for report in reports:
        for doubt in report.role_doubts:
            names.setdefault(doubt, []).append(Path(report.path).stem)
    return [visible(f"{listed(about, 3)}: roles: {doubt}") for doubt, about in names.items()]


def _explain(report: Report) -> str:
    if not can_be_quoted(report.path):
        return "its name is no Unicode text: rename it"
    return report.problems[0].what
