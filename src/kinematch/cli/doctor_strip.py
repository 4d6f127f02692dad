"""What happens when in a take, as a line of letters for the terminal and as a picture."""

from collections.abc import Sequence
from pathlib import Path

from kinematch.cli.options import check_output
from kinematch.doctor.labels import COLOURS, LABELS, find_label, list_moments, list_rows
from kinematch.doctor.report import Report
from kinematch.errors import KinematchError

COLUMNS = 96
LETTERS = {label.name: label.letter for label in LABELS} | {"": "."}


def write_strip(report: Report) -> str:
    """`TTwwwwCCLLLwww..II`, a letter for each part of the take."""
    rows = list_rows(report)
    if not rows:
        return ""
    times = [(k + 0.5) * report.duration / COLUMNS for k in range(COLUMNS)]
    return "".join(LETTERS[find_label(rows, time)] for time in times)


def explain_strip(strip: str) -> str:
    """`T T-pose, w walking`"""
    return ", ".join(f"{label.letter} {label.name}" for label in LABELS if label.letter in strip)


def draw_strip(reports: Sequence[Report], path: Path) -> None:
    """One picture of one take."""
    from kinematch.draw.strip import time_strip

    drawn = [report for report in reports if list_rows(report)]
    if len(drawn) != 1:
        raise KinematchError(f"--strip draws one take with one person in it; there are {len(drawn)}")
    check_output(path)
    rows = list_rows(drawn[0])
    title = Path(drawn[0].path).name
    colours = [COLOURS[name] - 1 for name in rows]
    time_strip(rows, drawn[0].duration, moments=list_moments(drawn[0]), title=title, colours=colours).save(path)
