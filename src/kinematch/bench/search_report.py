"""The search benchmark as text and pictures: a table for each query set, and charts of medians and of growth."""

import numpy as np
from PIL import Image
from rich.table import Table

from kinematch.bench.growth import Growth
from kinematch.bench.search import SearchReport
from kinematch.draw.chart import bar_chart, line_chart


def tables(report: SearchReport) -> list[Table]:
    """One for each query set of each database, and one for crowds."""
    made = []
    for database, queries in dict.fromkeys((row.database, row.queries) for row in report.rows):
        rows = [row for row in report.rows if (row.database, row.queries) == (database, queries)]
        columns = ("us", "p99 us", "x linear", "x boxes", "x p99", "recall", "build s", "MB")
        table = _table(f"{database}: {rows[0].frames} frames, {queries}", columns)
        for row in rows:
            memory = "?" if row.memory is None else f"{row.memory:.1f}"
            table.add_row(
                row.matcher, f"{row.median:.1f}", f"{row.p99:.1f}", f"{row.ratio_linear:.2f}", f"{row.ratio:.2f}",
                f"{row.ratio_p99:.2f}", f"{row.recall:.1%}", f"{row.build:.2f}", memory,
            )  # fmt: skip
        made.append(table)
    table = _table("a crowd of 1000 at once", ("frames", "threads", "us each", "x boxes, one thread"))
    for crowd in report.crowds:
        name, numbers = f"{crowd.database}: {crowd.matcher}", (f"{crowd.frames}", f"{crowd.threads}")
        table.add_row(name, *numbers, f"{crowd.each:.2f}", f"{crowd.ratio:.1f}")
    return [*made, *_loop_tables(report), table]


def _loop_tables(report: SearchReport) -> list[Table]:
    """One for each database: all query sets, in compiled loops."""
    made = []
    for database in dict.fromkeys(loop.database for loop in report.loops):
        loops = [loop for loop in report.loops if loop.database == database]
        columns = ("us", "p99 us", "x C++", "x p99", "agree")
        table = _table(f"{database}: {loops[0].frames} frames, timed inside compiled loops", columns)
        for loop in loops:
            numbers = (f"{number:.2f}" for number in (loop.median, loop.p99, loop.ratio, loop.ratio_p99))
            table.add_row(f"{loop.queries}: {loop.search}", *numbers, f"{loop.agreement:.1%}")
        made.append(table)
    return made


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("search", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def lines(report: SearchReport) -> list[str]:
    """The machine and the method, in words."""
    machine, plan = report.machine, report.plan
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    text = [
        f"{machine['processor']}, {machine['cores']} cores, compiled for {machine['numba target']} with "
        f"{machine['vectors'][0]}; Python {machine['python']}, {versions}",
        f"{plan.queries} queries ({plan.slow} for searches that visit every frame), {plan.rounds} rounds in turns; "
        "percentiles of all samples, ratios paired by round; called from Python, one thread",
        "compiled loops: percentiles over queries of each query's median over rounds",
        *report.notes,
    ]
    if machine["not installed"]:
        text.append(f"not installed, so not compared: {', '.join(machine['not installed'])}")
    return text


def growth_line(growth: Growth) -> str:
    return (
        f"growth from {growth.frames[0]} to {growth.frames[-1]} frames: time rises as frames to the power of "
        f"{growth.random_exponent:.2f} for random pairs and {growth.play_exponent:.2f} for play at 10 Hz"
    )


def medians(report: SearchReport) -> Image.Image:
    """Medians of every matcher on random pairs, on a logarithmic scale, for each database."""
    rows = [row for row in report.rows if row.queries == "random pairs"]
    names = list(dict.fromkeys(row.matcher for row in rows))
    series = {}
    for database, frames in dict.fromkeys((row.database, row.frames) for row in rows):
        times = {row.matcher: row.median for row in rows if row.database == database}
        series[f"{database}, {frames} frames"] = np.array([times[name] for name in names])
    title = "One search for a random pair of pose and trajectory"
    return bar_chart(
        names, series, title=title, y_label="median, microseconds", log=True, size=(max(720, 110 * len(names)), 460)
    )


def growth_chart(growth: Growth) -> Image.Image:
    sizes = np.array(growth.frames, float)
    return line_chart(
        {
            f"random pairs, exponent {growth.random_exponent:.2f}": (sizes, np.array(growth.random)),
            f"play at 10 Hz, exponent {growth.play_exponent:.2f}": (sizes, np.array(growth.play)),
        },
        title="The default search against database size",
        x_label="frames",
        y_label="median, microseconds",
        log_x=True,
        log_y=True,
        points=True,
    )
