"""`kinematch evaluate avatar`: scores the bodies that avatars make of a headset and two controllers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.evaluate_options import Figures, Report, Seconds, Seed, Users
from kinematch.cli.opening import MOTION
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.vr.evaluation import VrEvaluation

MOST_NOTES = 5  # files left out that are named


def avatar(
    database: Annotated[tyro.conf.Positional[Path | None], option(MOTION)] = None,
    /,
    users: Users = (),
    points: Annotated[tuple[str, ...], option("tracked points: head, left_hand, right_hand, waist, ...")] = (
        "head",
        "left_hand",
        "right_hand",
    ),
    seconds: Seconds = 30.0,
    look_around: Annotated[float, option("spread of added glances, in degrees")] = 0.0,
    noise: Annotated[bool, option("add the noise and dropouts of real trackers")] = False,
    quick: Annotated[bool, option("skip the runs with parts of the database")] = False,
    seed: Seed = 0,
    json: Figures = None,
    report: Report = None,
) -> int:
    """Score VR avatars of simulated users against the methods of the papers: body direction, root, joints, feet."""
    import numpy as np

    from kinematch.avatar.simulate import NO_IMPERFECTIONS, Imperfections
    from kinematch.cli.opening import open_motion
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.vr.casting import cast_users, find_motion_files
    from kinematch.evaluate.vr.evaluation import evaluate_vr
    from kinematch.evaluate.vr.report import write_report

    check_users(seconds, look_around)
    check_output(json)
    check_output(report, ".html", ".htm")
    screen = Screen()
    files = find_motion_files(users) if users else []
    with progress_bar("evaluating avatars") as show:
        opened, name = open_motion(database, show)
        casts, notes = cast_users(
            files, points=points, longest=seconds, look_around=float(np.radians(look_around)), seed=seed,
            imperfections=Imperfections(dropouts=2.0) if noise else NO_IMPERFECTIONS,
            progress=lambda done, total: show(done, total, "casting users"),
        )  # fmt: skip
        found = evaluate_vr(opened, casts, sweep=not quick, progress=lambda what, done, total: show(done, total, what))
        if report is not None:
            show(0, None, "drawing")
            write_report(report, found, title=name)
    tell_left_out(screen, notes)
    print_table(screen, found, name)
    write_figures(json, to_plain(found))
    return 0


def check_users(seconds: float, look_around: float) -> None:
    """Refuse simulated users who would end before they are scored, or turn their heads off."""
    if not 2 <= seconds <= 3600:
        raise KinematchError(f"--seconds {seconds:g}, expected 2 to 3600")
    if not 0 <= look_around <= 90:
        raise KinematchError(f"--look-around {look_around:g}, expected 0 to 90 degrees")


def tell_left_out(screen: "Screen", notes: Sequence[str]) -> None:
    """Name files that gave no user."""
    for note in notes[:MOST_NOTES]:
        screen.say(f"left out: {note}")
    if len(notes) > MOST_NOTES:
        screen.say(f"left out: {len(notes) - MOST_NOTES} more")


def print_table(screen: "Screen", found: "VrEvaluation", name: str) -> None:
    """One column for each method, then the sweep."""
    from kinematch.cli.evaluate_text import make_table
    from kinematch.evaluate.vr.columns import COLUMNS
    from kinematch.evaluate.vr.evaluation import ACCURACIES
    from kinematch.evaluate.vr.report import show_value

    people = [user for cast in found.casts for user in cast.users]
    minutes = sum(user.seconds for user in people) / 60
    screen.say(f"{name}: {len(people)} users, {minutes:.1f} minutes; position accuracy {ACCURACIES[0]:g} m")
    table = make_table("", [*found.rows, f"ours, {ACCURACIES[1]:g} m", ""])
    for column in COLUMNS:
        values = [show_value(column, row.get(column.name)) for row in (*found.rows.values(), found.own)]
        table.add_row(column.text, *values, column.unit)
    screen.print(table)
    for run in found.sweep:
        turning = "" if run.turning != run.turning else f"hips {run.turning:.1f} degrees off while turning in place, "
        screen.say(f"{run.share:.0%} of the database, alpha {run.accuracy:g} m: root {run.root:.1f} cm from below the "
                   f"head, {turning}{run.poses} different poses")  # fmt: skip


def to_plain(found: "VrEvaluation") -> dict[str, Any]:
    """Every figure, as JSON knows it."""
    from kinematch.evaluate.vr.evaluation import ACCURACIES

    return {
        "users": [user.name for cast in found.casts for user in cast.users],
        "accuracies": ACCURACIES,
        "methods": {name: plain_row(row) for name, row in found.rows.items()},
        "own": plain_row(found.own),
        "microseconds": dict(found.microseconds),
        "sweep": [
            plain_row(
                {
                    "share": run.share,
                    "accuracy": run.accuracy,
                    "root": run.root,
                    "poses": run.poses,
                    "turning": run.turning,
                }
            )
            for run in found.sweep
        ],
    }


def plain_row(row: Mapping[str, float]) -> dict[str, float | None]:
    """JSON knows no NaN."""
    return {name: None if value != value else value for name, value in row.items()}
