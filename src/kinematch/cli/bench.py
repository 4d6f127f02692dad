"""`kinematch bench`: measures on this machine, rivals in one run on the same questions."""

import json as json_module
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import tyro

from kinematch.bench import character_report, search_report
from kinematch.bench.character import COUNTS, bench_character
from kinematch.bench.character import plain as plain_character
from kinematch.bench.growth import Growth, growth
from kinematch.bench.search import FULL, QUICK, Report, bench_search, plain
from kinematch.bench.sets import built_in, lafan1
from kinematch.cli.screen import Screen, progress_bar, write_picture
from kinematch.database import storage
from kinematch.database.storage import Database
from kinematch.writing import write_beside


def bench(
    what: tyro.conf.Positional[Literal["search", "character"]],
    databases: tyro.conf.Positional[list[Path]] = [],  # noqa: B006 (tyro wants a list)
    /,
    data: Annotated[Path | None, tyro.conf.arg(help="a folder of LAFAN1 clips: builds its sets S, M, L and XL")] = None,
    json: Annotated[Path | None, tyro.conf.arg(help="write every figure as JSON")] = None,
    chart: Annotated[Path | None, tyro.conf.arg(help="write a picture of the medians (png)")] = None,
    growth_to: Annotated[int, tyro.conf.arg(help="also measure growth up to so many frames; 0 leaves it out")] = 0,
    growth_chart: Annotated[Path | None, tyro.conf.arg(help="write a picture of the growth (png)")] = None,
    quick: Annotated[bool, tyro.conf.arg(help="a tenth of the questions")] = False,
) -> int:
    """Measure on DATABASES, or on the built-in one.

    `search` compares numpy, exhaustive, trees, boxes and the default. `character` steps crowds of 1 to 10,000.
    """
    if what == "character":
        return _character(databases, data, json, chart, quick)
    plan = QUICK if quick else FULL
    with progress_bar("building databases") as show:
        opened = _opened(databases, data, lambda name: show(0, None, f"building {name}"))
        report = bench_search(opened, plan, progress=lambda now, done, total: show(done, total, now))
        curve = None
        if growth_to:
            asked = {"count": min(1000, plan.questions), "rounds": plan.rounds}
            curve = growth(opened, growth_to, **asked, progress=lambda frames: show(0, None, f"{frames} frames"))
    _print(Screen(), report, curve)
    if json is not None:
        values = plain(report) | ({"growth": vars(curve)} if curve else {})
        write_beside(json, json_module.dumps(values, indent=2).encode())
    if chart is not None:
        write_picture(chart, search_report.medians(report))
    if growth_chart is not None and curve is not None:
        write_picture(growth_chart, search_report.growth_chart(curve))
    return 0


def _character(databases: list[Path], data: Path | None, json: Path | None, chart: Path | None, quick: bool) -> int:
    with progress_bar("building databases") as show:
        opened = _opened(databases, data, lambda name: show(0, None, f"building {name}"))
        report = bench_character(
            opened, counts=COUNTS[:-1] if quick else COUNTS, seconds=0.5 if quick else 4.0,
            progress=lambda now, done, total: show(done, total, now),
        )  # fmt: skip
    screen = Screen()
    for table in character_report.tables(report):
        screen.print(table)
        screen.say("")
    for line in character_report.lines(report):
        screen.say(line)
    if json is not None:
        write_beside(json, json_module.dumps(plain_character(report), indent=2).encode())
    if chart is not None:
        write_picture(chart, character_report.chart(report))
    return 0


def _opened(paths: list[Path], data: Path | None, progress: Callable[[str], None]) -> dict[str, Database]:
    opened = {path.stem: storage.load(path) for path in paths}
    if data is not None:
        opened |= lafan1(data, progress)
    if not opened:
        progress("the dance card")
        opened = built_in()
    return opened


def _print(screen: Screen, report: Report, curve: Growth | None) -> None:
    for table in search_report.tables(report):
        screen.print(table)
        screen.say("")
    for line in search_report.lines(report):
        screen.say(line)
    if curve is not None:
        screen.say(search_report.growth_line(curve))
