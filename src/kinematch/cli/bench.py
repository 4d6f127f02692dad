"""`kinematch bench`: measures on this machine, rivals in one run on the same questions."""

import json as json_module
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import tyro

from kinematch.bench.search import bench_search, growth
from kinematch.bench.search_report import growth_chart, lines, medians, tables
from kinematch.cli.screen import Screen, write_picture
from kinematch.database import storage
from kinematch.database.build import build
from kinematch.database.storage import Database
from kinematch.writing import write_beside


def bench(
    what: tyro.conf.Positional[Literal["search"]],
    databases: tyro.conf.Positional[list[Path]] = [],  # noqa: B006 (tyro wants a list)
    /,
    json: Annotated[Path | None, tyro.conf.arg(help="write every figure as JSON")] = None,
    chart: Annotated[Path | None, tyro.conf.arg(help="write a picture of the medians (png)")] = None,
    growth_to: Annotated[int, tyro.conf.arg(help="also measure growth up to so many frames; 0 leaves it out")] = 0,
    growth_picture: Annotated[Path | None, tyro.conf.arg(help="write a picture of the growth (png)")] = None,
    quick: Annotated[bool, tyro.conf.arg(help="a tenth of the questions")] = False,
) -> int:
    """Compare searches on DATABASES, or on the built-in one: numpy, exhaustive, trees, boxes and the default."""
    screen, busy = Screen(), Screen(stderr=True)
    opened = {path.stem: storage.load(path) for path in databases} or {"dance card": _built_in()}
    with busy.status("starting") as status:
        report = bench_search(opened, count=200 if quick else 2000, progress=status.update)
        curve = growth(list(opened.values())[-1], growth_to, progress=status.update) if growth_to else None
    for table in tables(report):
        screen.print(table)
        screen.say("")
    for line in lines(report):
        screen.say(line)
    if curve is not None:
        screen.say(f"growth up to {curve.frames[-1]} frames: cost rises as frames to the power of "
                   f"{curve.random_exponent:.2f} for random pairs and {curve.play_exponent:.2f} for play")  # fmt: skip
    if json is not None:
        values = report.to_json() | ({"growth": vars(curve)} if curve else {})
        write_beside(json, json_module.dumps(values, indent=2).encode())
    if chart is not None:
        write_picture(chart, medians(report))
    if growth_picture is not None and curve is not None:
        write_picture(growth_picture, growth_chart(curve))
    return 0


def _built_in() -> Database:
    """The dance card, built in a folder that goes away; its arrays stay mapped."""
    with tempfile.TemporaryDirectory(prefix="kinematch-bench-", ignore_cleanup_errors=True) as folder:
        recipe = Path(folder) / "dance-card.toml"
        recipe.write_text('[[source]]\nbuiltin = "dance-card"\n')
        return build(recipe).database
