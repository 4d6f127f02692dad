"""`kinematch evaluate --vr`: scores the bodies that avatars make of a headset and two controllers."""

import json as json_module
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinematch.cli.screen import Screen, progress_bar
from kinematch.errors import KinematchError
from kinematch.writing import write_beside

if TYPE_CHECKING:
    from kinematch.evaluate.vr.evaluation import VrEvaluation

MOST_NOTES = 5  # files left out that are named


def evaluate_vr(
    database: Path | None, *, users: tuple[Path, ...], points: tuple[str, ...], seconds: float, look_around: float,
    noise: bool, seed: int, sweep: bool, json: Path | None, report: Path | None,
) -> int:  # fmt: skip
    """Score avatars of simulated users, from motion files or from the procedural walker."""
    import numpy as np

    from kinematch.avatar.simulate import PERFECT, Imperfections
    from kinematch.cli.opening import open_motion
    from kinematch.evaluate.vr.casting import cast_users, find_motion_files
    from kinematch.evaluate.vr.evaluation import evaluate_vr as run_evaluation
    from kinematch.evaluate.vr.report import write_report

    check_users(seconds, look_around)
    screen = Screen()
    files = find_motion_files(users) if users else []
    with progress_bar("evaluating avatars") as show:
        opened, name = open_motion(database, show)
        casts, notes = cast_users(
            files, points=points, longest=seconds, look_around=float(np.radians(look_around)), seed=seed,
            imperfections=Imperfections(dropouts=2.0) if noise else PERFECT,
            progress=lambda done, total: show(done, total, "casting users"),
        )  # fmt: skip
        found = run_evaluation(opened, casts, sweep=sweep, progress=lambda what, done, total: show(done, total, what))
        if report is not None:
            show(0, None, "drawing")
            write_report(report, found, title=name)
    tell_left_out(screen, notes)
    print_table(screen, found, name)
    if json is not None:
        write_beside(json, json_module.dumps(to_plain(found), indent=2).encode())
    return 0


def check_users(seconds: float, look_around: float) -> None:
    """Refuse simulated users who would end before they are scored, or turn their heads off."""
    if not 2 <= seconds <= 3600:
        raise KinematchError(f"--seconds {seconds:g}, expected 2 to 3600")
    if not 0 <= look_around <= 90:
        raise KinematchError(f"--look-around {look_around:g}, expected 0 to 90 degrees")


def tell_left_out(screen: Screen, notes: Sequence[str]) -> None:
    """Name files that gave no user."""
    for note in notes[:MOST_NOTES]:
        screen.say(f"left out: {note}")
    if len(notes) > MOST_NOTES:
        screen.say(f"left out: {len(notes) - MOST_NOTES} more")


def print_table(screen: Screen, found: "VrEvaluation", name: str) -> None:
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
