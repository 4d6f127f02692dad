"""Files of one rig in one folder have one up axis: those that seem to lie are read as their siblings are."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinematch.doctor.examine import examine
from kinematch.doctor.report import Problem, Report, by_severity, counted


def agree_on_axes(reports: Sequence[Report], **overrides: Any) -> list[Report]:
    """The reports, those examined again whose up axis differs from that of most other files of their rig and folder.

    Sure axes count by the time they were seen in; guesses do not count. An axis that was given is no guess.
    """
    shares: dict[tuple[str, Path], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for report in reports:
        if report.format == "bvh" and "guess" not in report.up_reason:
            likely = 1.0 if report.up in ("Y", "Z") else 0.1  # programs have no other
            shares[report.rig, Path(report.path).parent][report.up] += report.duration * likely
    agreed = []
    for report in reports:
        votes = shares.get((report.rig, Path(report.path).parent), {})
        axis = max(votes, key=lambda up: votes[up], default=report.up)
        if report.format == "bvh" and report.up != axis and overrides.get("up") is None:
            again = examine(report.path, **{**overrides, "up": axis})
            others = sum(other.rig == report.rig and other.up == axis for other in reports)
            what = f"up axis {axis} as in {counted(others, 'other file')} of this rig; by itself it seemed {report.up}"
            problem = Problem("warning", f"{what} ({report.up_reason})", f'up = "{axis}"')
            report = replace(again, problems=by_severity([problem, *again.problems]))
        agreed.append(report)
    return agreed
