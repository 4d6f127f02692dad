"""The table that says how well a robot follows a motion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from kinematch.cli.screen import Screen

if TYPE_CHECKING:
    from kinematch.robot.quality import RobotQuality

COLUMNS = (
    *("motion", "frames", "deviation cm", "penetration cm", "> 0.5 cm", "sole cm", "slip cm/s", "source's"),
    *("collision", "limits", "at limit", "rad/s", "reversals", "frames/s"),
)
FEASIBILITY_COLUMNS = ("motion", "too weak", "torque", "balanced")


def print_quality(screen: Screen, rows: Sequence["RobotQuality"]) -> None:
    """One row a motion; see docs/robots.md for what each column means."""
    table = _make_table(COLUMNS)
    for row in rows:
        table.add_row(
            row.name,
            str(row.frames),
            f"{100 * row.deviation:.1f}",
            f"{100 * row.penetration:.2f}",
            f"{row.deep_share:.2%}",
            f"{100 * row.sole_height:.2f}",
            f"{100 * row.slip:.2f}",
            f"{100 * row.source_slip:.2f} ({row.slip_ratio:.2f}x)",
            f"{row.collision_share:.2%}",
            str(row.limit_violations),
            f"{row.limit_share:.1%}",
            f"{row.joint_speed:.2f}",
            f"{row.reversal_share:.2%}",
            f"{row.rate:.0f}",
        )
    screen.print_wide(table)


def print_feasibility(screen: Screen, rows: Sequence["RobotQuality"], note: str) -> None:
    """One row a motion; `note` says why nothing was measured, if so."""
    table = _make_table(FEASIBILITY_COLUMNS)
    for row in rows:
        found = row.feasibility
        if found is None:
            table.add_row(row.name, *["not measured"] * 3)
            continue
        weak = "no limits" if found.weak_share is None else f"{found.weak_share:.1%}"
        ratio = "no limits" if found.torque_ratio is None else f"{found.torque_ratio:.2f}x"
        table.add_row(row.name, weak, ratio, "-" if found.support_share is None else f"{found.support_share:.1%}")
    screen.print_wide(table)
    if note:
        screen.say(f"not measured: {note}")


def _make_table(columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for k, name in enumerate(columns):
        table.add_column(name, justify="left" if k == 0 else "right")
    return table
