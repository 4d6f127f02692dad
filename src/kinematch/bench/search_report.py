"""The search benchmark for people: a table for each kind of question, and charts of medians and of growth."""

import numpy as np
from PIL import Image
from rich.table import Table

from kinematch.bench.search import Curve, Report
from kinematch.draw.chart import bar_chart, line_chart


def tables(report: Report) -> list[Table]:
    """One for each database and kind of questions."""
    made = []
    for database, questions in dict.fromkeys((row.database, row.questions) for row in report.rows):
        rows = [row for row in report.rows if (row.database, row.questions) == (database, questions)]
        table = Table(title=f"{database}: {rows[0].frames} frames, {questions}", title_justify="left", box=None)
        table.add_column("search", no_wrap=True)
        for name in ("median us", "p99 us", "recall", "x boxes", "x at p99", "build s", "memory MB"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(
                row.rival, f"{row.median:.1f}", f"{row.p99:.1f}", f"{row.recall:.1%}", f"{row.ratio:.2f}",
                f"{row.ratio_p99:.2f}", f"{row.build:.2f}", f"{row.memory:.1f}",
            )  # fmt: skip
        made.append(table)
    return made


def lines(report: Report) -> list[str]:
    """Crowds and the machine, in words."""
    told = [
        f"{crowd.database}, a crowd of 1000: boxes on one thread {crowd.boxes_one_thread:.1f} us each, "
        f"the default on all cores {crowd.wide_all_cores:.2f} us each, {crowd.ratio:.1f} times faster"
        for crowd in report.crowds
    ]
    machine = report.machine
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    told.append(f"{machine['processor']}, {machine['cores']} cores, {machine['vectors']}; {versions}")
    if machine["not installed"]:
        told.append(f"not installed, so not compared: {', '.join(machine['not installed'])}")
    return told


def medians(report: Report) -> Image.Image:
    """Medians of every rival on random pairs, on a logarithmic scale, for the last database."""
    last = report.rows[-1].database
    rows = [row for row in report.rows if row.database == last and row.questions == "random pairs"]
    title = f"One search among {rows[0].frames} frames, random pairs"
    times = np.array([row.median for row in rows])
    names = [row.rival for row in rows]
    return bar_chart(names, {"median": times}, title=title, y_label="median, microseconds", log=True, size=(900, 460))


def growth_chart(curve: Curve) -> Image.Image:
    sizes = np.array(curve.frames, float)
    return line_chart(
        {
            f"random pairs, exponent {curve.random_exponent:.2f}": (sizes, np.array(curve.random)),
            f"play, exponent {curve.play_exponent:.2f}": (sizes, np.array(curve.play)),
        },
        title="The default search against database size",
        x_label="frames",
        y_label="median, microseconds",
        log_x=True,
        log_y=True,
    )
