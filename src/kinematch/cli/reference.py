"""`kinematch reference`: commands in, joint angles of a robot out, as a file or a stream."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.opening import open_database
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.control.script import Script
    from kinematch.robot.reference.robot_reference import RobotReference

PORT = 8125
SERVED_RATE = 50.0  # Hz


def reference(
    source: Annotated[
        tyro.conf.Positional[Path | None], option("the database to play, packed or not; default: the built-in motion")
    ] = None,
    /,
    *,
    robot: Annotated[Path, option("the robot (MJCF or URDF)")],
    script: Annotated[
        Path | None,
        option("a script of commands (.jsonl), at the robot's own speeds; with --serve it is played in a loop"),
    ] = None,
    output: Annotated[
        Path | None, option("joint angles to write (csv, npz, holosoma.npz, gmr.npz or lerobot)", "-o")
    ] = None,
    roles: Annotated[
        Path | None, option("names of its parts where they mislead (toml); a file that is missing is written")
    ] = None,
    rate: Annotated[float | None, option("frames a second; default: 50, and 30 for csv")] = None,
    serve: Annotated[
        bool, option("send the reference to every client of ws://HOST:PORT/stream, who steer it if there is no script")
    ] = False,
    horizon: Annotated[float, option("with --serve: seconds that are sent ahead, in five times")] = 1.0,
    port: Annotated[int, option("port of the WebSocket; if it is in use, the next free one")] = PORT,
    host: Annotated[
        str,
        option(
            "address to listen on; the default admits only this machine, others need the key in the printed address"
        ),
    ] = "127.0.0.1",
    origin: Annotated[tuple[str, ...], option("origins whose pages may connect, such as http://localhost:5173")] = (),
) -> int:
    """Play commands on a robot: motion that can be steered, for tracking policies.

    The whole database is put on the robot first, which takes a second for each two minutes or so of motion.
    """
    from kinematch.cli.convert_robot import read_or_write_roles
    from kinematch.cli.screen import progress_bar
    from kinematch.control.script_file import read_script
    from kinematch.robot.output import RATES
    from kinematch.robot.read import read_robot
    from kinematch.robot.reference.robot_frames import retarget_database
    from kinematch.robot.reference.robot_reference import RobotReference
    from kinematch.robot.tasks import RobotSettings

    if (output is None) == (not serve):
        raise KinematchError("name a file with -o, or --serve, not both")
    if output is not None and script is None:
        raise KinematchError("a file needs commands: name a script with --script")
    if not 0 <= port < 65536:
        raise KinematchError(f"port {port}, expected 0 to 65535")
    check_output(output, *RATES, reads=[source, robot, script, roles])
    commands = None if script is None else read_script(script)
    if commands is not None and not commands.duration > 0:
        raise KinematchError(f"{script}: the script takes no time")
    model = read_robot(robot)
    settings = RobotSettings(roles=read_or_write_roles(roles, model))
    with progress_bar("opening") as show:
        database, name, _ = open_database(source, None, show)
    with progress_bar("putting the database on the robot") as show:
        frames = retarget_database(database, model, settings, progress=show)
    usual = SERVED_RATE if output is None else RATES[output.suffix.lower()]
    steered = RobotReference(
        model, (database, frames), rate=usual if rate is None else rate, horizon=horizon if serve else 0.0
    )
    if output is not None and commands is not None:
        _write(steered, commands, output)
    else:
        _serve(steered, commands, name, host, port, origin)
    return 0


def _write(steered: "RobotReference", commands: "Script", output: Path) -> None:
    """The script from beginning to end, as a file."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.control.script import ScriptPlayer
    from kinematch.robot.output import write_trajectory
    from kinematch.robot.reference.record import record_reference

    with progress_bar("playing") as show:
        motion = record_reference(steered, ScriptPlayer(commands), commands.duration, progress=show)
    write_trajectory(output, motion)
    hinges = steered.model.hinge_count
    Screen().say(f"{output}: {motion.frame_count} frames at {motion.frame_rate:g} fps, {hinges} hinges")


def _serve(
    steered: "RobotReference", commands: "Script | None", name: str, host: str, port: int, origins: tuple[str, ...]
) -> None:
    """The script again and again, or what listeners ask for, until Ctrl-C."""
    import asyncio
    from contextlib import suppress
    from itertools import repeat

    from kinematch.access.guard import is_loopback
    from kinematch.access.keys import AccessKey
    from kinematch.cli.screen import Screen
    from kinematch.cli.stream import run_stream
    from kinematch.control.script import ScriptPlayer
    from kinematch.stream.reference_stream import StreamedReference
    from kinematch.studio.server.serving import listen

    screen, streamed = Screen(), StreamedReference(steered, name=name)
    controllers = repeat(streamed.steering) if commands is None else (ScriptPlayer(commands) for _ in iter(int, 1))
    opened = listen(host, port)
    key = None if is_loopback(host) else AccessKey()
    shown = f"[{host}]" if ":" in host else host
    place = f"ws://{shown}:{opened.getsockname()[1]}/stream"
    screen.say("reference at ", (place if key is None else key.add_to(place), "bold"), "; Ctrl-C ends")
    screen.file.flush()  # for programs that wait for this line
    with suppress(KeyboardInterrupt):
        asyncio.run(run_stream(streamed, controllers, opened, host=host, origins=origins, key=key))
