"""`kinematch convert --robot`: a motion file as joint angles of a robot, with the table of its quality."""

from pathlib import Path
from typing import TYPE_CHECKING

from kinematch.cli.screen import Screen, progress_bar

if TYPE_CHECKING:
    from kinematch.motion.clip import Clip
    from kinematch.robot.model import RobotModel
    from kinematch.robot.motion import RobotMotion


def convert_for_robot(
    target: Path, motion: "Clip", robot: Path, *, frame_rate: float | None, roles: Path | None
) -> None:
    """Write TARGET and print the table; angles as csv or npz, the robot's skeleton and looks as anything else.

    Nothing is written where the robot is far from following.
    """
    from kinematch.cli.robot_text import print_quality
    from kinematch.motion.clean.resample import resample
    from kinematch.robot.output import RATES
    from kinematch.robot.quality import check_quality
    from kinematch.robot.read import read_robot
    from kinematch.robot.tasks import RobotSettings
    from kinematch.robot.trial import try_robot

    screen = Screen()
    model = read_robot(robot)
    for note in model.notes:
        screen.say(f"{robot}: {note}")
    settings = RobotSettings(roles=read_or_write_roles(roles, model))
    rate = frame_rate or RATES.get(target.suffix.lower())
    if rate is not None:
        motion = resample(motion, rate)
    with progress_bar("retargeting") as show:
        show(0, motion.frame_count)
        made, quality = try_robot(motion, model, settings, progress=show)
    print_quality(screen, [quality])
    check_quality(quality)
    write_robot_motion(target, made)
    screen.say(f"{target}: {made.frame_count} frames at {made.frame_rate:g} fps, {model.hinge_count} hinges")


def read_or_write_roles(path: Path | None, model: "RobotModel") -> dict[str, str]:
    """The roles of a robot's parts from a file; a missing file is written as a template, with a message."""
    from kinematch.errors import FileError
    from kinematch.robot.roles_file import read_roles, write_template

    if path is None:
        return {}
    if not path.exists():
        write_template(path, model)
        raise FileError(path, "is a new template; fill it in and run the same command again")
    return read_roles(path)


def write_robot_motion(target: Path, made: "RobotMotion") -> None:
    """Angles, a GLB with the robot's own looks, or its skeleton as a motion file or picture."""
    from kinematch.cli.convert import write_motion
    from kinematch.cli.screen import write_picture
    from kinematch.draw.sheet import contact_sheet
    from kinematch.files.gltf_write import write_glb
    from kinematch.robot.appearance import make_looks
    from kinematch.robot.drawing import make_figure
    from kinematch.robot.output import RATES, write_trajectory

    suffix = target.suffix.lower()
    if suffix in RATES:
        write_trajectory(target, made)
    elif suffix == ".glb":
        write_glb(target, made.make_clip(), body=make_looks(made.model))
    elif suffix == ".png":
        write_picture(target, contact_sheet(made.make_clip(), body=make_figure(made.model)))
    else:
        write_motion(target, made.make_clip())
