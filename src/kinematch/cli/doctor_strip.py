"""What happens when in a take, as a line of letters for the terminal and as a picture."""

from collections.abc import Sequence
from pathlib import Path

from kinematch.cli.options import check_output
from kinematch.doctor.report import Report
from kinematch.errors import KinematchError

COLUMNS = 96
# what a column shows, the first that holds there; the rest of a take is a dot
LETTERS = {
    "T-pose": "T", "lying": "L", "sitting": "S", "kneeling": "K", "falling": "F", "crouching": "C", "climbing": "^",
    "jumping": "J", "idle": "I", "running": "R", "walking": "w",
}  # fmt: skip


def list_rows(report: Report) -> dict[str, list[tuple[float, float]]]:
    """Stretches in seconds by what happens in them, of a file with one animation."""
    rows = {"T-pose": [(pose.start, pose.stop) for pose in report.calibration_poses]}
    for one in report.activities:
        if one.name != "low":
            rows.setdefault(one.name, []).append((one.start, one.stop))
    return {name: stretches for name, stretches in rows.items() if stretches}


def write_strip(report: Report) -> str:
    """`TTwwwwCCLLLwww..II`, a letter for each part of the take."""
    rows = list_rows(report)
    if not rows or len(report.clips) != 1:
        return ""
    times = [(k + 0.5) * report.duration / COLUMNS for k in range(COLUMNS)]
    return "".join(
        next((LETTERS[name] for name in LETTERS if any(a <= t < b for a, b in rows.get(name, ()))), ".") for t in times
    )


def explain_strip(strip: str) -> str:
    """`T T-pose, w walking`"""
    return ", ".join(f"{letter} {name}" for name, letter in LETTERS.items() if letter in strip)


def draw_strip(reports: Sequence[Report], path: Path) -> None:
    """One picture of one take."""
    from kinematch.draw.strip import time_strip

    drawn = [report for report in reports if len(report.clips) == 1 and list_rows(report)]
    if len(drawn) != 1:
        raise KinematchError(f"--strip draws one take with one person in it; there are {len(drawn)}")
    check_output(path)
    time_strip(list_rows(drawn[0]), drawn[0].duration, title=Path(drawn[0].path).name).save(path)
