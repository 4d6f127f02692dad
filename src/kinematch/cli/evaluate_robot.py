"""`kinematch evaluate robot`: how well a robot follows many motion files."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.evaluate_options import Figures
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError


def robot(
    model: Annotated[tyro.conf.Positional[Path], option("the robot (MJCF or URDF)")],
    motions: Annotated[tyro.conf.Positional[list[Path]], option("motion files, or folders of them")],
    /,
    roles: Annotated[
        Path | None, option("names of its parts where they mislead (toml); a file that is missing is written")
    ] = None,
    json: Figures = None,
) -> int:
    """Score how well a robot follows motion files: a row for each, and totals on foot and lying."""
    from kinematch.cli.convert_robot import read_or_write_roles
    from kinematch.cli.robot_text import print_feasibility, print_quality
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.robots import evaluate_robot, pool_rows
    from kinematch.evaluate.vr.casting import find_motion_files
    from kinematch.robot.read import read_robot
    from kinematch.robot.simulation.simulated_robot import open_in_mujoco
    from kinematch.robot.tasks import RobotSettings

    if not motions:
        raise KinematchError("which motion files or folders? `kinematch evaluate robot g1.xml walk.bvh takes/`")
    check_output(json)
    target = read_robot(model)
    settings = RobotSettings(roles=read_or_write_roles(roles, target))
    simulated, note = None, ""
    try:
        simulated = open_in_mujoco(target)
    except KinematchError as error:
        note = str(error)
    with progress_bar("retargeting") as show:
        standing, lying, left_out = evaluate_robot(
            find_motion_files(motions), target, settings, simulated=simulated, progress=show
        )
    if not standing and not lying:
        raise KinematchError("no motion could be put on the robot: " + "; ".join(left_out[:3]))
    screen = Screen()
    totals = [pool_rows(rows, name) for rows, name in ((standing, "all on foot"), (lying, "all that lie")) if rows]
    print_quality(screen, [*standing, *lying, *totals])
    print_feasibility(screen, [*standing, *lying, *totals], note)
    for line in left_out:
        screen.say(f"left out: {line}")
    rows = {"on_foot": standing, "lying": lying, "totals": totals}
    write_figures(json, {name: [asdict(row) for row in those] for name, those in rows.items()})
    return 0
