"""`kinematch evaluate camera`: scores what a camera adds to trackers, in front of simulated cameras."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.evaluate_avatar import check_users, plain_row, tell_left_out
from kinematch.cli.evaluate_options import Figures, Report, Seconds, Seed, Users
from kinematch.cli.opening import MOTION
from kinematch.cli.options import check_output, option

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.camera.evaluation import CameraEvaluation

LOOK_AROUND = 30.0  # degrees: without it the headset gives away the body's direction
ROOM = 1.5  # m that the built-in users go from where they start


def camera(
    database: Annotated[tyro.conf.Positional[Path | None], option(MOTION)] = None,
    /,
    users: Users = (),
    seconds: Seconds = 30.0,
    look_around: Annotated[float, option("spread of added glances, in degrees")] = LOOK_AROUND,
    quick: Annotated[bool, option("one place and two users")] = False,
    seed: Seed = 0,
    json: Figures = None,
    report: Report = None,
) -> int:
    """Score what a camera adds to headset and controllers, with simulated cameras at several places."""
    import numpy as np

    from kinematch.avatar.simulate import Imperfections
    from kinematch.cli.opening import open_motion
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.camera.evaluation import evaluate_camera
    from kinematch.evaluate.camera.places import PLACES
    from kinematch.evaluate.camera.report import write_report
    from kinematch.evaluate.vr.built_in import COUNT, make_clips
    from kinematch.evaluate.vr.casting import cast_users, find_motion_files
    from kinematch.evaluate.vr.users import make_cast

    check_users(seconds, look_around)
    check_output(json)
    check_output(report, ".html", ".htm")
    screen = Screen()
    spread = float(np.radians(look_around))
    options: dict[str, Any] = {"longest": seconds, "look_around": spread, "imperfections": Imperfections()}
    with progress_bar("evaluating cameras") as show:
        opened, name = open_motion(database, show)
        notes: Sequence[str] = ()
        if users:
            casts, notes = cast_users(find_motion_files(users), seed=seed, **options)
        else:
            count = 2 if quick else COUNT
            clips = make_clips(count, seconds=min(seconds, 20.0), seed=seed, room=ROOM)
            casts = [make_cast(clips, seed=seed, **options)]
        places = list(PLACES)[:1] if quick else list(PLACES)
        found = evaluate_camera(
            opened, casts, places=places, seed=seed, progress=lambda what, done, total: show(done, total, what)
        )
        if report is not None:
            write_report(report, found, title=name)
    tell_left_out(screen, notes)
    print_tables(screen, found, name)
    write_figures(json, to_plain(found))
    return 0


def print_tables(screen: "Screen", found: "CameraEvaluation", name: str) -> None:
    """One table for each place."""
    import numpy as np

    from kinematch.cli.evaluate_text import make_table
    from kinematch.evaluate.camera.measures import COLUMNS
    from kinematch.evaluate.camera.methods import ESTIMATORS
    from kinematch.evaluate.camera.report import show_value

    people = [user for cast in found.casts for user in cast.users]
    minutes = sum(user.seconds for user in people) / 60
    screen.say(f"{name}: {len(people)} users, {minutes:.1f} minutes; errors of the hips' direction in degrees")
    for place, aligned in found.alignments.items():
        table = make_table(place, [column.text for column in COLUMNS])
        for source in ESTIMATORS:
            row = found.rows[place, source]
            table.add_row(source, *(show_value(row[column.name]) for column in COLUMNS))
        screen.print(table)
        if aligned:
            good = np.mean([one.yaw < 2 and one.place < 10 for one in aligned])
            yaw, gap, late = (np.median([one[k] for one in aligned]) for k in (1, 2, 3))
            screen.say(
                f"  camera after 5 s, medians of {len(aligned)} users: yaw {yaw:.1f} degrees, place {gap:.0f} cm, "
                f"time {late:.0f} ms off; {good:.0%} within 2 degrees and 10 cm"
            )


def to_plain(found: "CameraEvaluation") -> dict[str, Any]:
    """Every figure, as JSON knows it."""
    return {
        "users": [user.name for cast in found.casts for user in cast.users],
        "places": {
            place: {
                "sources": {source: plain_row(row) for (where, source), row in found.rows.items() if where == place},
                "alignments": [one._asdict() for one in aligned],
            }
            for place, aligned in found.alignments.items()
        },
    }
