"""`kinematch evaluate --robot`: how well a robot follows many motion files."""

import json as json_module
from dataclasses import asdict
from pathlib import Path

from kinematch.cli.robot_text import print_quality
from kinematch.cli.screen import Screen, progress_bar
from kinematch.errors import KinematchError
from kinematch.writing import write_beside


def evaluate_robot(robot: Path, *, users: tuple[Path, ...], json: Path | None) -> int:
    """A row for each motion, and totals of those on foot and of those with falling and lying."""
    from kinematch.evaluate.robots import evaluate_robot as run_evaluation
    from kinematch.evaluate.robots import pool_rows
    from kinematch.evaluate.vr.casting import find_motion_files
    from kinematch.robot.read import read_robot

    if not users:
        raise KinematchError("--robot needs motion files or folders of them: --users walk.bvh takes/")
    model = read_robot(robot)
    with progress_bar("retargeting") as show:
        standing, lying, left_out = run_evaluation(find_motion_files(users), model, progress=show)
    if not standing and not lying:
        raise KinematchError("no motion could be put on the robot: " + "; ".join(left_out[:3]))
    screen = Screen()
    totals = [pool_rows(rows, name) for rows, name in ((standing, "all on foot"), (lying, "all that lie")) if rows]
    print_quality(screen, [*standing, *lying, *totals])
    for line in left_out:
        screen.say(f"left out: {line}")
    if json is not None:
        rows = {"on_foot": standing, "lying": lying, "totals": totals}
        plain = {name: [asdict(row) for row in those] for name, those in rows.items()}
        write_beside(json, json_module.dumps(plain, indent=2).encode())
    return 0
