"""The character benchmark for people: a table of steps, one of stages, and a chart against the size of the crowd."""

import numpy as np
from PIL import Image
from rich.table import Table

from kinematch.bench.character import CrowdReport
from kinematch.draw.chart import line_chart


def tables(report: CrowdReport) -> list[Table]:
    columns = "characters", "ms", "p99 ms", "fixed p99 ms", "us each", "searches/s", "kB each"
    steps = _table("steps of 1/60 s, everything on", columns)
    stages = _table("us for each character, one thread", ("characters", *report.rows[0].stages))
    for row in report.rows:
        steps.add_row(
            row.database, f"{row.characters}", f"{row.median:.3f}", f"{row.p99:.3f}", f"{row.fixed_p99:.3f}",
            f"{row.each:.2f}", f"{row.searches:.1f}", f"{row.memory:.1f}",
        )  # fmt: skip
        stages.add_row(row.database, f"{row.characters}", *(f"{value:.2f}" for value in row.stages.values()))
    return [steps, stages]


def lines(report: CrowdReport) -> list[str]:
    machine = report.machine
    told = [
        f"{machine['processor']}, {machine['cores']} cores; Python {machine['python']}, called from Python",
        "fixed: a loop of always the same work, as long as the median step and on as many threads, between the steps",
    ]
    for name in dict.fromkeys(row.database for row in report.rows):
        rows = [row for row in report.rows if row.database == name]
        many = [row for row in rows if row.characters >= 100]
        grown = ""
        if len(many) > 1:
            counts, times = np.log([row.characters for row in many]), np.log([row.median for row in many])
            power = np.polyfit(counts, times, 1)[0]
            grown = f"; from {many[0].characters} characters on time grows as their number to the power of {power:.2f}"
        told.append(f"{name}: {rows[0].frames} frames, {rows[0].joints} joints{grown}")
    return told


def chart(report: CrowdReport) -> Image.Image:
    """Time for each character against the size of the crowd, a line for each database."""
    drawn = {}
    for name in dict.fromkeys(row.database for row in report.rows):
        rows = [row for row in report.rows if row.database == name]
        drawn[name] = np.array([row.characters for row in rows]), np.array([row.each for row in rows])
    title = "One step of one character"
    return line_chart(
        drawn, title=title, x_label="characters", y_label="us each, median", log_x=True, log_y=True, points=True
    )


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("database", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table
