"""`kinematch find`: clips of databases by words, tags, speed, length and likeness."""

import json as json_module
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.options import blaming, option

if TYPE_CHECKING:
    from kinematch.database.storage import Database

QUERY = (
    "words of names, and tag:idle, speed:1-2 (m/s), turn:45- (degrees a second), seconds:-10, like:CLIP, "
    "like:CLIP@1.5 (the pose at a time), same (held twice); all of them have to hold"
)


def find(
    query: Annotated[tyro.conf.Positional[str], option(QUERY)],
    databases: Annotated[tyro.conf.Positional[list[Path]], option("the databases to look through")],
    /,
    most: Annotated[int, option("the largest number of clips to print")] = 40,
    json: Annotated[bool, option("print all that was found as JSON")] = False,
) -> int:
    """Find clips in DATABASES: the most similar first, else in order. Exit status: 0 found, 1 none."""
    from rich.table import Table

    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.database.find import find_clips, parse_query
    from kinematch.database.storage import open_on_disk
    from kinematch.errors import KinematchError

    if not databases:
        raise KinematchError("which databases?")
    asked = parse_query(query)
    with progress_bar("opening") as show:
        opened: list[Database] = []
        for path in databases:
            show(len(opened), len(databases))
            opened.append(open_on_disk(path, verify=False))
    with blaming(databases[0]):
        found = find_clips(asked, opened)
    if json:
        rows = [{**asdict(row), "database": str(databases[row.database])} for row in found]
        print(json_module.dumps(rows, indent=2))
        return 0 if found else 1
    screen = Screen()
    table = Table(box=None, pad_edge=False)
    for column in ("clip", "s", "m/s", "deg/s", "tags"):
        table.add_column(column, justify="left" if column in ("clip", "tags") else "right")
    if asked.like is not None:
        table.add_column("distance", justify="right")
        table.add_column("at, s", justify="right")
    if asked.same:
        table.add_column("same as")
    if len(databases) > 1:
        table.add_column("database")
    for row in found[:most]:
        cells = [row.name, f"{row.seconds:.1f}", f"{row.speed:.2f}", f"{row.turn:.0f}", " ".join(row.tags)]
        cells += [f"{row.distance:.2f}", f"{row.at:.2f}"] if asked.like is not None else []
        cells += [", ".join(row.same_as)] if asked.same else []
        cells += [databases[row.database].name] if len(databases) > 1 else []
        table.add_row(*cells)
    screen.print(table)
    if len(found) > most:
        screen.say(f"... and {len(found) - most} more (--most)")
    if not found:
        screen.say("nothing found")
    return 0 if found else 1
