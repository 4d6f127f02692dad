"""`kinematch inspect`: what a database holds, what it lacks, and where its arms will flap."""

import json as json_module
from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.options import blaming, check_output, option


def inspect(
    database: Annotated[tyro.conf.Positional[Path], option("the database to inspect")],
    /,
    picture: Annotated[Path | None, option("write the coverage map as a picture (png)")] = None,
    json: Annotated[bool, option("print everything as JSON")] = False,
) -> int:
    """Show the clips, features and tags of DATABASE, motions to record next, and poses that features confuse."""
    from kinematch.cli.inspect_text import print_database, print_gaps, print_pairs, report
    from kinematch.cli.screen import Screen, progress_bar, write_picture
    from kinematch.database import storage
    from kinematch.database.alike import find_lookalikes
    from kinematch.database.coverage import find_gaps, measure_coverage
    from kinematch.database.coverage_picture import draw_coverage

    check_output(picture, ".png")
    with progress_bar("opening") as show:
        opened = storage.load(database, progress=show)
    with blaming(database):
        missing, pairs = find_gaps(opened.poses), find_lookalikes(opened)
    if picture is not None:
        write_picture(picture, draw_coverage(measure_coverage(opened.poses), title=database.stem))
    if json:
        print(json_module.dumps(report(opened, missing, pairs), indent=2))
        return 0
    screen = Screen()
    print_database(screen, database, opened)
    print_gaps(screen, missing)
    print_pairs(screen, pairs)
    if picture is not None:
        screen.print(f"\ncoverage map: {picture}")
    return 0
