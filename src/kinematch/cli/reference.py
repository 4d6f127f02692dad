"""`kinematch reference`: commands in, joint angles of a robot out."""

from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.opening import open_database
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError


def reference(
    source: Annotated[
        tyro.conf.Positional[Path | None], option("the database to play, packed or not; default: the built-in motion")
    ] = None,
    /,
    *,
    robot: Annotated[Path, option("the robot (MJCF or URDF)")],
    script: Annotated[Path, option("a script of commands (.jsonl), at the robot's own speeds")],
    output: Annotated[Path, option("joint angles to write (csv or npz)", "-o")],
    roles: Annotated[
        Path | None, option("names of its parts where they mislead (toml); a file that is missing is written")
    ] = None,
    rate: Annotated[float | None, option("frames a second; default: 50, and 30 for csv")] = None,
) -> int:
    """Play a script of commands on a robot: motion that can be steered, for tracking policies.

    The whole database is put on the robot first, which takes a second for each two minutes or so of motion.
    """
    from kinematch.cli.convert_robot import read_or_write_roles
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.control.script import ScriptPlayer
    from kinematch.control.script_file import read_script
    from kinematch.robot.output import RATES, write_trajectory
    from kinematch.robot.read import read_robot
    from kinematch.robot.reference.record import record_reference
    from kinematch.robot.reference.robot_frames import retarget_database
    from kinematch.robot.reference.robot_reference import RobotReference
    from kinematch.robot.tasks import RobotSettings

    check_output(output, *RATES, reads=[source, robot, script, roles])
    commands = read_script(script)
    if not commands.duration > 0:
        raise KinematchError(f"{script}: the script takes no time")
    model = read_robot(robot)
    settings = RobotSettings(roles=read_or_write_roles(roles, model))
    with progress_bar("opening") as show:
        database = open_database(source, None, show)[0]
    with progress_bar("putting the database on the robot") as show:
        frames = retarget_database(database, model, settings, progress=show)
    steered = RobotReference(model, (database, frames), rate=rate or RATES[output.suffix.lower()], horizon=0.0)
    with progress_bar("playing") as show:
        motion = record_reference(steered, ScriptPlayer(commands), commands.duration, progress=show)
    write_trajectory(output, motion)
    Screen().say(f"{output}: {motion.frame_count} frames at {motion.frame_rate:g} fps, {model.hinge_count} hinges")
    return 0
